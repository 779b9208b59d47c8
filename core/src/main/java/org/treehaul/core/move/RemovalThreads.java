// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.move;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.walk.TreeWalker;

/** Takes items from a source and removes them with several threads, which start and end within each call. */
final class RemovalThreads {

    // A network file system serves many threads at once; a local one is not slowed down by these few.
    private static final int LEAST = 8;

    private final RemovalContext context;
    private final int number;

    /**
     * Creates an instance.
     *
     * @param wanted the number of threads, 0 for an automatic choice
     */
    RemovalThreads(RemovalContext context, int wanted) {
        this.context = context;
        int most = Math.max(LEAST, 2 * Runtime.getRuntime().availableProcessors());
        this.number = TreeWalker.threadsOnTwoTrees(wanted == 0 ? most : wanted);
    }

    /** Returns the largest number of threads. */
    int number() {
        return number;
    }

    /**
     * Processes each item and returns when all are done. A second thread starts when there is a second item, and so on.
     *
     * @param source is called by one thread at a time
     * @throws IOException if the source throws it; the items that were taken are processed
     */
    <T> void each(CopiedEntries.Source<T> source, BiConsumer<NameRemover, T> work) throws IOException {
        AtomicReference<@Nullable Throwable> fault = new AtomicReference<>();
        List<Thread> others = new ArrayList<>();
        try (NameRemover own = new NameRemover(context)) {
            Loop<T> loop = new Loop<>(source, work, fault, new Object());
            T first = loop.take();
            if (first == null) {
                return;
            }
            for (int i = 1; i < number; i++) {
                T next = loop.take();
                if (next == null) {
                    break;
                }
                others.add(Thread.ofPlatform().name("treehaul-remove-" + i).daemon(true).start(() -> {
                    try (NameRemover remover = new NameRemover(context)) {
                        loop.run(remover, next);
                    } catch (Throwable e) {
                        fault.compareAndSet(null, e);
                    }
                }));
            }
            loop.run(own, first);
        } catch (Throwable e) {
            // The other threads take no further item.
            fault.compareAndSet(null, e);
        } finally {
            others.forEach(RemovalThreads::join);
        }
        switch (fault.get()) {
            case null -> {
            }
            case IOException e -> throw e;
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            case Throwable e -> throw new IllegalStateException(e);
        }
    }

    /** The parts that the threads of a call share. */
    private record Loop<T>(CopiedEntries.Source<T> source, BiConsumer<NameRemover, T> work,
            AtomicReference<@Nullable Throwable> fault, Object lock) {

        @Nullable T take() {
            synchronized (lock) {
                try {
                    return fault.get() == null ? source.next() : null;
                } catch (IOException e) {
                    fault.compareAndSet(null, e);
                    return null;
                }
            }
        }

        void run(NameRemover remover, T first) {
            for (T item = first; item != null; item = take()) {
                work.accept(remover, item);
            }
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
