// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare.store;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.treehaul.core.compare.CompareOptions;
import org.treehaul.core.compare.CompareResult;
import org.treehaul.core.compare.DifferenceListener;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.storage.SourceTree;

/**
 * Compares a tree of one store with one of another: kinds, sizes, modes, owners, times of change, targets of links and,
 * if asked for, data. A root may be a file. Holds the names of the directories in progress in memory.
 */
public final class StoreComparer {

    /** Opens one side of a comparison for a thread, on that thread. */
    @FunctionalInterface
    public interface Opening {

        /** Opens the tree, which the comparison closes. */
        SourceTree open() throws SystemCallException;
    }

    /**
     * One of the two trees.
     *
     * @param name the root as the user gave it
     */
    public record Side(ByteString name, Opening trees) {}

    private final Side a;
    private final Side b;
    private final CompareOptions options;

    /**
     * Prepares a comparison.
     *
     * @param options which kinds of difference count, the window of times, the filter and the number of threads, 1 or
     *        more; the other options have no effect
     */
    public StoreComparer(Side a, Side b, CompareOptions options) {
        this.a = a;
        this.b = b;
        this.options = options;
    }

    /**
     * Compares the trees. Returns when all is compared, or the token was cancelled.
     *
     * @param listener receives differences, on any thread
     * @param events receives failures, on any thread
     */
    public CompareResult compare(DifferenceListener listener, EventListener events, Progress progress,
            Cancellation cancellation) {
        StoreComparison run = new StoreComparison(options, a.name(), b.name(), listener, events, progress,
                cancellation);
        run.frontier().push(0, new ComparedDirectory(TreePath.root()));
        try (ExecutorService pool = Executors.newFixedThreadPool(options.threads(),
                Thread.ofPlatform().name("treehaul-compare-", 0).daemon(true).factory())) {
            List<Future<?>> workers = new ArrayList<>();
            for (int i = 0; i < options.threads(); i++) {
                int index = i;
                workers.add(pool.submit(() -> work(run, index)));
            }
            workers.forEach(StoreComparer::await);
        }
        return run.result();
    }

    private void work(StoreComparison run, int index) {
        try (Arena arena = Arena.ofShared(); SourceTree first = open(run, true); SourceTree second = open(run, false)) {
            new CompareWorker(run, index, first, second, arena).loop();
        } catch (InterruptedException | OpenException e) {
            run.stop();
        } catch (RuntimeException | Error e) {
            run.stop();
            throw e;
        }
    }

    /** A side could not be opened, which was reported. */
    private static final class OpenException extends Exception {

        private static final long serialVersionUID = 1L;
    }

    private SourceTree open(StoreComparison run, boolean isA) throws OpenException {
        try {
            return (isA ? a : b).trees().open();
        } catch (SystemCallException e) {
            run.failed(isA, TreePath.root(), e);
            throw new OpenException();
        }
    }

    private static void await(Future<?> worker) {
        boolean isInterrupted = false;
        while (true) {
            try {
                worker.get();
                break;
            } catch (InterruptedException e) {
                isInterrupted = true;
            } catch (ExecutionException e) {
                switch (e.getCause()) {
                    case RuntimeException cause -> throw cause;
                    case Error cause -> throw cause;
                    case null, default -> throw new IllegalStateException(e.getCause());
                }
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
