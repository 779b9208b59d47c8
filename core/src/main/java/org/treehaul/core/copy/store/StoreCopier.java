// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.store;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.treehaul.core.copy.failure.TargetException;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.outcome.CopyResult;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.storage.SourceTree;
import org.treehaul.core.storage.TargetTree;
import org.treehaul.core.walk.options.Symlinks;

/**
 * Copies a tree of one store into a tree of another with several threads. The root may be a file. Existing files are
 * replaced unless the options keep them, and existing directories are used. Each name of a file with several names
 * becomes a file of its own. Keeps no state between copies.
 *
 * <p>
 * One thread lists a directory and copies its files, so a single directory is not divided. Waiting directories take
 * about 150 bytes each; nothing is kept of finished entries.
 */
public final class StoreCopier {

    /** Opens one side of a copy for a thread, on that thread. */
    @FunctionalInterface
    public interface Opening<T> {

        /** Opens the tree, which the copier closes. */
        T open() throws SystemCallException;
    }

    private static final long TICK_MILLIS = 20;

    private final CopyPair names;
    private final Opening<? extends SourceTree> sources;
    private final Opening<? extends TargetTree> targets;
    private final CopyOptions options;

    private StoreCopier(CopyPair names, Opening<? extends SourceTree> sources, Opening<? extends TargetTree> targets,
            CopyOptions options) {
        this.names = names;
        this.sources = sources;
        this.targets = targets;
        this.options = options;
    }

    /**
     * Returns a copier.
     *
     * @param names the roots of both trees for reports
     * @param sources opens the source for each thread; an error ends the copy and is reported for the root
     * @param targets opens the target for each thread, with the same rule for errors
     * @param options the number of threads, the filter, the conditions, the rule for existing files, the rate, holes,
     *        clones, verification, durability, dry runs and the reports of entries done apply; the target decides which
     *        metadata it keeps. A root that is a directory is copied also without recursion
     * @throws IllegalArgumentException if options are not possible between stores; the message names them
     */
    public static StoreCopier of(CopyPair names, Opening<? extends SourceTree> sources,
            Opening<? extends TargetTree> targets, CopyOptions options) {
        List<String> refused = refused(options);
        if (names.source().selection().isPresent()) {
            refused.add("selected paths");
        }
        if (!refused.isEmpty()) {
            throw new IllegalArgumentException("not possible between stores: " + String.join(", ", refused));
        }
        return new StoreCopier(names, sources, targets, options);
    }

    private static List<String> refused(CopyOptions options) {
        Map<String, Boolean> wishes = new LinkedHashMap<>();
        wishes.put("following every symbolic link", options.recursive() && options.symlinks() == Symlinks.ALWAYS);
        wishes.put("removing existing files first", options.removeDestination());
        wishes.put("writing in place", options.inPlace());
        wishes.put("backups", options.backup().isMade());
        wishes.put("links in place of copies", options.form() != CopyOptions.Form.COPY);
        wishes.put("confirmation", options.confirmation().isPresent());
        wishes.put("the data of devices and FIFOs", options.copyContents());
        wishes.put("metadata without data", options.attributesOnly());
        wishes.put("one file system", options.oneFileSystem());
        List<String> refused = new ArrayList<>();
        wishes.forEach((wish, isMade) -> {
            if (isMade) {
                refused.add(wish);
            }
        });
        return refused;
    }

    /**
     * Copies the tree. Returns when all entries are done, or after the token was cancelled and the entries in progress
     * are finished or withdrawn. Failures of single entries are sent as events and counted in the result; they do not
     * end the copy. When the target fails as a whole (full, read-only, gone), the copy gives up.
     *
     * @param listener receives failures, on any thread
     * @param progress counts the entries while the copy runs
     */
    public CopyResult copy(EventListener listener, Progress progress, Cancellation cancellation) {
        int threads = options.threads() == 0 ? Runtime.getRuntime().availableProcessors() : options.threads();
        Cancellation stop = Cancellation.of(cancellation);
        StoreRun run = new StoreRun(options, names, listener, progress, stop, threads);
        run.frontier().push(0, new StoreDirectory(null, TreePath.root()));
        try (ExecutorService pool = Executors.newFixedThreadPool(threads,
                Thread.ofPlatform().name("treehaul-copy-", 0).daemon(true).factory())) {
            List<Future<?>> workers = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int index = i;
                workers.add(pool.submit(() -> work(run, index)));
            }
            workers.forEach(worker -> await(worker, run));
        }
        return run.result();
    }

    private void work(StoreRun run, int index) {
        try (Arena arena = Arena.ofShared(); SourceTree source = sources.open(); TargetTree target = openTarget()) {
            new StoreWorker(run, index, source, target, arena.allocate(FileAccess.BUFFER_BYTES, 4096)).loop();
        } catch (InterruptedException e) {
            run.cancel();
        } catch (SystemCallException | TargetException e) {
            run.notOpened(e);
        } catch (RuntimeException | Error e) {
            run.cancel();
            throw e;
        }
    }

    private TargetTree openTarget() throws TargetException {
        try {
            return targets.open();
        } catch (SystemCallException e) {
            throw new TargetException(e);
        }
    }

    // Passes a cancellation on to the workers that wait for work.
    private static void await(Future<?> worker, StoreRun run) {
        boolean isInterrupted = false;
        while (!worker.isDone()) {
            try {
                worker.get(TICK_MILLIS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException tick) {
                if (run.isStopped()) {
                    run.cancel();
                }
            } catch (InterruptedException e) {
                isInterrupted = true;
                run.cancel();
            } catch (ExecutionException e) {
                run.cancel();
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
        if (worker.state() == Future.State.FAILED) {
            switch (worker.exceptionNow()) {
                case RuntimeException e -> throw e;
                case Error e -> throw e;
                default -> throw new IllegalStateException(worker.exceptionNow());
            }
        }
    }
}
