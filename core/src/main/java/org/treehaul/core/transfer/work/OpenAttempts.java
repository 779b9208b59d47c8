// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.work;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.transfer.batch.Claims;
import org.treehaul.core.transfer.batch.TaskSlots;

/**
 * The attempts of a worker that run: one after another, on the thread of the worker, or beside each other. Then the
 * attempt at the next batch begins when tasks of the earlier ones leave slots free, so that there are never more
 * attempts than slots. Used by one thread, which starts others.
 */
final class OpenAttempts implements AutoCloseable {

    /** Runs an attempt. */
    @FunctionalInterface
    interface Run {

        /**
         * Runs the attempt to its end.
         *
         * @param slots the slots of its tasks, if tasks share slots
         */
        AttemptRun.Ended run(Claims.Claimed claimed, TaskSlots.@Nullable Attempt slots, Cancellation stop)
                throws IOException;
    }

    /**
     * An attempt that has ended.
     *
     * @param fault the exception that it threw; null if there is none
     */
    record Ended(Claims.Claimed claimed, AttemptRun.@Nullable Ended result, @Nullable Throwable fault) {

        /** Returns the result, or throws the exception. */
        AttemptRun.Ended get() throws IOException {
            return switch (fault) {
                case null -> {
                    if (result == null) {
                        throw new IllegalStateException("no result");
                    }
                    yield result;
                }
                case IOException e -> throw e;
                case RuntimeException e -> throw e;
                case Error e -> throw e;
                case Throwable e -> throw new IllegalStateException(e);
            };
        }
    }

    private final @Nullable TaskSlots slots;
    private final Consumer<Thread> starter;
    private boolean areBeside;
    private final Cancellation stop;
    private final List<Thread> threads = new ArrayList<>();
    // Has at most as many elements as attempts are open.
    private final LinkedBlockingQueue<Ended> ended = new LinkedBlockingQueue<>();
    private int open;

    /**
     * Creates the object of a worker.
     *
     * @param slots the slots that the tasks of all attempts share; null if there are no tasks
     * @param areBeside whether attempts may run beside each other; needs slots
     */
    OpenAttempts(@Nullable TaskSlots slots, boolean areBeside, Cancellation whole) {
        this(slots, areBeside, whole, Thread::start);
    }

    /** Creates an object that starts its threads by a function. */
    OpenAttempts(@Nullable TaskSlots slots, boolean areBeside, Cancellation whole, Consumer<Thread> starter) {
        this.slots = slots;
        this.starter = starter;
        this.areBeside = areBeside && slots != null;
        this.stop = Cancellation.of(whole);
    }

    /** Begins an attempt; one that runs on this thread has ended when this method returns. */
    void begin(Claims.Claimed claimed, Run run) {
        open++;
        TaskSlots.Attempt part = slots == null ? null : slots.open();
        Runnable attempt = () -> {
            // Closing the part wakes the thread that waits for its slots.
            try (part) {
                end(claimed, run, part);
            }
        };
        if (!areBeside) {
            attempt.run();
            return;
        }
        threads.removeIf(thread -> !thread.isAlive());
        Thread thread = Thread.ofPlatform()
                .name("treehaul-batch-" + claimed.name().batch())
                .daemon(true)
                .unstarted(attempt);
        try {
            starter.accept(thread);
        } catch (OutOfMemoryError e) {
            // The limit of threads is reached (ulimit -u).
            areBeside = false;
            attempt.run();
            return;
        }
        threads.add(thread);
    }

    private void end(Claims.Claimed claimed, Run run, TaskSlots.@Nullable Attempt part) {
        try {
            ended.add(new Ended(claimed, run.run(claimed, part, stop), null));
        } catch (IOException | RuntimeException | Error e) {
            ended.add(new Ended(claimed, null, e));
        }
    }

    /** Returns whether no attempt is open: all have ended, and were {@linkplain #ended returned}. */
    boolean isEmpty() {
        return open == 0;
    }

    /**
     * Waits until a further attempt may begin, or one has ended.
     *
     * @return whether a further attempt may begin
     */
    boolean awaitTurn() throws InterruptedException {
        if (!areBeside || slots == null) {
            return true;
        }
        slots.awaitFree(() -> !ended.isEmpty());
        return slots.isFree();
    }

    /** Returns the attempts that have ended since the last call. */
    List<Ended> ended() {
        List<Ended> all = new ArrayList<>();
        open -= ended.drainTo(all);
        return all;
    }

    /** Waits until an attempt has ended, at most for a time; returns whether one has. */
    boolean await(long millis) throws InterruptedException {
        Ended first = ended.poll(millis, TimeUnit.MILLISECONDS);
        if (first != null) {
            ended.add(first);
        }
        return first != null;
    }

    /** Waits until all attempts have ended, and returns those that were not returned yet. */
    List<Ended> rest() {
        boolean isInterrupted = false;
        for (Thread thread : threads) {
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    isInterrupted = true;
                    stop.cancel();
                }
            }
        }
        threads.clear();
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
        return ended();
    }

    /**
     * Waits for the attempts that still run. A state directory may fail for a moment: commands that have run for hours
     * are not ended by that.
     */
    @Override
    public void close() {
        rest();
    }
}
