// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/** Runs ranks as threads of this process. */
final class RankThreads {

    private RankThreads() {}

    static void run(List<Communicator> communicators, Consumer<Communicator> rank) {
        AtomicReference<@Nullable Throwable> first = new AtomicReference<>();
        List<Thread> threads = new ArrayList<>();
        for (Communicator communicator : communicators) {
            threads.add(Thread.ofPlatform().daemon(true).name("treehaul-rank-" + communicator.rank()).start(() -> {
                try (communicator) {
                    rank.accept(communicator);
                } catch (Throwable e) {
                    // Whatever it is must reach the caller.
                    first.compareAndSet(null, e);
                }
            }));
        }
        boolean interrupted = false;
        for (Thread thread : threads) {
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                    threads.forEach(Thread::interrupt);
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        switch (first.get()) {
            case null -> {
            }
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            case Throwable e -> throw new IllegalStateException(e);
        }
    }
}
