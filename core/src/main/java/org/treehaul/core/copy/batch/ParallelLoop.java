// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.batch;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.walk.TreeWalker;

/** Processes many similar items with several threads, which start and end within each call. */
final class ParallelLoop {

    // A network file system serves many threads at once; a local one is not slowed down by these few.
    private static final int LEAST = 8;

    private final FileSystemCalls calls;
    private final int threads;

    /**
     * Creates a loop.
     *
     * @param wanted number of threads, 0 for an automatic choice
     */
    ParallelLoop(FileSystemCalls calls, int wanted) {
        this.calls = calls;
        int most = Math.max(LEAST, 2 * Runtime.getRuntime().availableProcessors());
        this.threads = TreeWalker.threadsOnTwoTrees(wanted == 0 ? most : wanted);
    }

    /**
     * Processes each item and returns when all are done.
     *
     * @param leastForTwo with fewer items, a second thread does not pay off
     * @param workers creates the function that processes items, on each thread, given its access
     */
    <T> void each(List<T> items, int leastForTwo, Function<FileAccess, Consumer<T>> workers) {
        AtomicInteger next = new AtomicInteger();
        AtomicReference<@Nullable Throwable> fault = new AtomicReference<>();
        Runnable work = () -> {
            try (FileAccess access = FileAccess.open(calls)) {
                Consumer<T> worker = workers.apply(access);
                for (int i = next.getAndIncrement(); i < items.size()
                        && fault.get() == null; i = next.getAndIncrement()) {
                    worker.accept(items.get(i));
                }
            } catch (Throwable e) {
                fault.compareAndSet(null, e);
            }
        };
        List<Thread> others = new ArrayList<>();
        int wanted = items.size() < leastForTwo ? 1 : Math.min(threads, items.size());
        for (int i = 1; i < wanted; i++) {
            others.add(Thread.ofPlatform().name("treehaul-loop-" + i).daemon(true).start(work));
        }
        work.run();
        others.forEach(ParallelLoop::join);
        switch (fault.get()) {
            case null -> {
            }
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            case Throwable e -> throw new IllegalStateException(e);
        }
    }

    // The threads must not continue after the method has returned, so an interrupt is deferred.
    private static void join(Thread thread) {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
