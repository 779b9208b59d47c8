// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.report;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.event.Cancellation;

/**
 * Handles the signals of this process: the first INT, TERM or HUP asks the work to end, the second ends the process at
 * once, USR1 makes it print its state.
 *
 * <p>
 * {@code sun.misc.Signal} is called by reflection, because javac's warning about it cannot be turned off.
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
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object proxy = Proxy.newProxyInstance(Signals.class.getClassLoader(), new Class<?>[]{handler},
                    (self, method, args) -> call(self, method, args, action));
            signal.getMethod("handle", signal, handler)
                    .invoke(null, signal.getConstructor(String.class).newInstance(name), proxy);
        } catch (ReflectiveOperationException e) {
            // -Xrs, or a Java without sun.misc: the signal keeps its default effect.
            return;
        }
    }

    private static Object call(Object self, Method method, Object[] args, Runnable action) {
        return switch (method.getName()) {
            case "handle" -> {
                action.run();
                yield 0;
            }
            // Proxies are distinguished only by identity.
            case "equals" -> System.identityHashCode(self) == System.identityHashCode(args[0]);
            case "hashCode" -> System.identityHashCode(self);
            default -> "signal handler";
        };
    }
}
