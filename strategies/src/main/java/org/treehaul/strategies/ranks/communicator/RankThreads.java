// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.communicator;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Internal;

/** Runs the ranks of a group as threads of this process, for a transport that connects them. Used by one thread. */
@Internal
public final class RankThreads {

    private static final Duration LOOK = Duration.ofMillis(100);

    private final AtomicReference<@Nullable Throwable> first = new AtomicReference<>();
    private final List<Thread> threads = new ArrayList<>();
    private final List<Consumer<Throwable>> listeners = new ArrayList<>();
    private final Consumer<Thread> starter;

    /** Makes a group without ranks. */
    public RankThreads() {
        this(Thread::start);
    }

    RankThreads(Consumer<Thread> starter) {
        this.starter = starter;
    }

    /**
     * Adds a rank.
     *
     * @param body the rank's work, which {@link #run} starts
     * @param failed receives, on the rank's thread, the exception that the body threw; or, on that of {@link #run}, the
     *        error that kept the rank from starting
     */
    public void add(int rank, ThreadGroup group, Runnable body, Consumer<Throwable> failed) {
        listeners.add(failed);
        threads.add(Thread.ofPlatform().group(group).daemon(true).name("treehaul-rank-" + rank).unstarted(() -> {
            try {
                body.run();
            } catch (Throwable e) {
                // Every failure must reach the caller; failures that it causes in other ranks come after it.
                first.compareAndSet(null, e);
                failed.accept(e);
            }
        }));
    }

    /**
     * Runs all ranks and returns when they have ended; throws the first exception that any of them threw. If the caller
     * is interrupted, it interrupts them.
     *
     * @param isToLeave returns whether to abandon the ranks that still run
     */
    public void run(BooleanSupplier isToLeave) {
        start();
        boolean interrupted = false;
        for (Thread thread : threads) {
            while (thread.isAlive() && !isToLeave.getAsBoolean()) {
                try {
                    thread.join(LOOK);
                } catch (InterruptedException e) {
                    interrupted = true;
                    threads.forEach(Thread::interrupt);
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        rethrow();
    }

    // The ranks that have started must not go on working for a group that never begins.
    private void start() {
        for (int rank = 0; rank < threads.size(); rank++) {
            try {
                starter.accept(threads.get(rank));
            } catch (OutOfMemoryError e) {
                // The limit of threads is reached (ulimit -u).
                first.compareAndSet(null, e);
                listeners.get(rank).accept(e);
                return;
            }
        }
    }

    private void rethrow() {
        switch (first.get()) {
            case null -> {
            }
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            case Throwable e -> throw new IllegalStateException(e);
        }
    }
}
