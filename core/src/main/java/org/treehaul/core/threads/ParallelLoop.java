// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.threads;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Internal;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.walk.TreeWalker;

/**
 * Processes many similar items with several threads, which start and end within each call. Safe for any number of
 * threads.
 */
@Internal
public final class ParallelLoop {

    // A network file system serves many threads at once; a local one is not slowed down by these few.
    private static final int LEAST = 8;

    private final FileSystemCalls calls;
    private final int threads;

    /**
     * Creates a loop over two trees.
     *
     * @param wanted the number of threads, 0 for an automatic choice
     */
    public ParallelLoop(FileSystemCalls calls, int wanted) {
        this.calls = calls;
        int most = Math.max(LEAST, 2 * Runtime.getRuntime().availableProcessors());
        this.threads = TreeWalker.threadsOnTwoTrees(wanted == 0 ? most : wanted);
    }

    /** Items one after another. */
    @FunctionalInterface
    public interface Source<T> {
        /** Returns the next one, or null after the last. */
        @Nullable T next() throws IOException;
    }

    /** Processes items on one thread. */
    public interface Worker<T> extends AutoCloseable {

        /** Processes an item. */
        void process(T item);

        @Override
        void close();
    }

    /** A worker with its own access to files. */
    private record FileWorker<T>(FileAccess access, Consumer<T> consumer) implements Worker<T> {

        static <T> FileWorker<T> open(FileSystemCalls calls, Function<FileAccess, Consumer<T>> workers) {
            FileAccess access = FileAccess.open(calls);
            try {
                return new FileWorker<>(access, workers.apply(access));
            } catch (RuntimeException | Error e) {
                access.close();
                throw e;
            }
        }

        @Override
        public void process(T item) {
            consumer.accept(item);
        }

        @Override
        public void close() {
            access.close();
        }
    }

    /** Returns the largest number of threads. */
    public int threads() {
        return threads;
    }

    /**
     * Processes each item and returns when all are done.
     *
     * @param leastForTwo with fewer items, a second thread does not pay off
     * @param workers creates the function that processes items, on each thread, given its access
     */
    public <T> void each(List<T> items, int leastForTwo, Function<FileAccess, Consumer<T>> workers) {
        Iterator<T> left = items.iterator();
        try {
            each(() -> left.hasNext() ? left.next() : null, items.size() < leastForTwo ? 1 : threads,
                    () -> FileWorker.open(calls, workers));
        } catch (IOException e) {
            throw new IllegalStateException("a list throws none", e);
        }
    }

    /**
     * Processes each item and returns when all are done. A second thread starts when there is a second item, and so on.
     *
     * @param source is called by one thread at a time
     * @param workers creates the worker of each thread
     * @throws IOException if the source throws it; the items that were taken are processed
     */
    public <T> void each(Source<T> source, Supplier<Worker<T>> workers) throws IOException {
        each(source, threads, workers);
    }

    /**
     * Processes each item with at most this number of threads, as {@link #each(Source, Supplier)} does.
     *
     * @throws IOException if the source throws it; the items that were taken are processed
     */
    public static <T> void each(Source<T> source, int most, Supplier<Worker<T>> workers) throws IOException {
        each(source, most, workers, Thread::start);
    }

    static <T> void each(Source<T> source, int most, Supplier<Worker<T>> workers, Consumer<Thread> starter)
            throws IOException {
        Shared<T> shared = new Shared<>(source, workers, new AtomicReference<>());
        List<Thread> others = new ArrayList<>();
        T first = shared.take();
        for (int i = 1; i < most && first != null; i++) {
            T next = shared.take();
            if (next == null) {
                break;
            }
            Thread other = Thread.ofPlatform()
                    .name("treehaul-loop-" + i)
                    .daemon(true)
                    .unstarted(() -> shared.run(next));
            try {
                starter.accept(other);
            } catch (OutOfMemoryError e) {
                // The limit of threads is reached (ulimit -u): those that run do the work.
                shared.run(next);
                break;
            }
            others.add(other);
        }
        if (first != null) {
            shared.run(first);
        }
        others.forEach(Threads::join);
        switch (shared.fault.get()) {
            case null -> {
            }
            case IOException e -> throw e;
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            case Throwable e -> throw new IllegalStateException(e);
        }
    }

    /** The parts that the threads of a call share. After a fault, no thread takes another item. */
    private record Shared<T>(Source<T> source, Supplier<Worker<T>> workers,
            AtomicReference<@Nullable Throwable> fault) {

        @Nullable T take() {
            synchronized (fault) {
                try {
                    return fault.get() == null ? source.next() : null;
                } catch (IOException | RuntimeException e) {
                    fault.compareAndSet(null, e);
                    return null;
                }
            }
        }

        void run(T first) {
            try (Worker<T> worker = workers.get()) {
                for (T item = first; item != null; item = take()) {
                    worker.process(item);
                }
            } catch (Throwable e) {
                fault.compareAndSet(null, e);
            }
        }
    }
}
