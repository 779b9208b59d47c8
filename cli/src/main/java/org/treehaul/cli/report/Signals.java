// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.report;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.event.Cancellation;

/**
 * Handles the signals of this process: the first INT, TERM or HUP asks the work to end, the second ends the process at
 * once, USR1 makes it print its state.
 */
public final class Signals {

    // A signal to a whole process group arrives twice, once through the launcher; users do not press ^C twice that
    // fast.
    private static final long ONE_AND_THE_SAME_NANOS = 300_000_000;

    private final Screen screen;
    private final Cancellation cancellation;
    private final @Nullable Runnable halt;
    private final BooleanSupplier isWaiting;
    private final AtomicLong first = new AtomicLong();

    Signals(Screen screen, Cancellation cancellation, @Nullable Runnable halt, BooleanSupplier isWaiting) {
        this.screen = screen;
        this.cancellation = cancellation;
        this.halt = halt;
        this.isWaiting = isWaiting;
    }

    /**
     * Begins to handle signals. A signal that was ignored when this process started stays ignored.
     *
     * @param halt ends the process; null if the work ends by itself however often it is asked to, because a scheduler
     *        may send the same signal several times, to a job and to each of its processes
     * @param isWaiting whether this process only waits for others, so that it has nothing to finish
     * @param state prints the state
     * @param resize records that the terminal's width has changed
     */
    public static void handle(Screen screen, Cancellation cancellation, @Nullable Runnable halt,
            BooleanSupplier isWaiting, Runnable state, Runnable resize) {
        Signals signals = new Signals(screen, cancellation, halt, isWaiting);
        Runnable stop = () -> signals.stop(System.nanoTime());
        on("INT", stop);
        on("TERM", stop);
        on("HUP", stop);
        on("USR1", state);
        on("WINCH", resize);
    }

    void stop(long nanos) {
        long now = Math.max(1, nanos);
        if (first.compareAndSet(0, now)) {
            cancellation.cancel();
            if (isWaiting.getAsBoolean()) {
                // The bar would stay beside the message of the command.
                screen.status("");
                return;
            }
            screen.note("stopping: finishing the entries in progress"
                    + (halt == null ? "" : "; interrupt again to stop immediately"));
        } else if (halt != null && now - first.get() > ONE_AND_THE_SAME_NANOS) {
            screen.status("");
            halt.run();
        }
    }

    private static void on(String name, Runnable action) {
        try {
            SignalAction.of(action).on(name);
        } catch (ReflectiveOperationException | LinkageError | IllegalArgumentException e) {
            // -Xrs, or a Java without sun.misc: the signal keeps its default effect.
            return;
        }
    }
}
