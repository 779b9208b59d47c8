// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Internal;
import org.treehaul.core.copy.context.BatchSettings;
import org.treehaul.core.copy.context.CopyContext;
import org.treehaul.core.copy.links.EarlierCopies;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.outcome.CopyResult;
import org.treehaul.core.copy.target.TargetDirectory;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.DirectoryPool;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.ProcessStatus;
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.core.walk.WalkHandler;
import org.treehaul.core.walk.WalkResult;
import org.treehaul.core.walk.Walker;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;

/** Copies trees with many threads. It keeps no state between copies and may be used by any number of threads. */
public final class TreeCopier {

    private final FileSystemCalls calls;
    private final CopyOptions options;
    private final Function<WalkOptions, Walker> walkers;

    /** Receives facts about a copy that are known at its end. */
    @Internal
    @FunctionalInterface
    public interface Ending {

        /**
         * Called once, before the result is returned.
         *
         * @param hasOpenLinks whether a copied file has further names that were not copied
         * @param newDirectories the number of directories that were created
         */
        void ended(boolean hasOpenLinks, long newDirectories);
    }

    private TreeCopier(FileSystemCalls calls, CopyOptions options, Function<WalkOptions, Walker> walkers) {
        this.calls = calls;
        this.options = options;
        this.walkers = walkers;
    }

    /** Returns a copier. */
    public static TreeCopier of(FileSystemCalls calls, CopyOptions options) {
        return new TreeCopier(calls, options, walk -> TreeWalker.of(calls, walk));
    }

    /**
     * Returns a copier that walks the sources with another walker, such as one that shares the walk among ranks.
     *
     * @param others creates the walker, given the options that the copy needs; its number of threads may differ
     */
    public TreeCopier withWalking(Function<WalkOptions, Walker> others) {
        return new TreeCopier(calls, options, others);
    }

    /**
     * Copies each source to its target. Returns when all entries are done or, after the token was cancelled, when the
     * entries in progress are finished or withdrawn. Failures of single entries are sent as events and counted in the
     * result; they do not end the copy. When the destination fails as a whole (full, read-only, gone), the copy gives
     * up and the result is not complete.
     *
     * <p>
     * Afterwards every file with its final name is complete. After a cancellation, incomplete directories are left
     * private; repeating the same copy completes them.
     *
     * @param pairs the sources and their targets; no two have the same target
     * @param listener receives failures and notices, on any thread
     * @param progress counts the entries while the copy runs
     * @throws UncheckedIOException if /proc is not mounted
     * @throws IllegalArgumentException if the walker does only a {@linkplain Walker#isPart() part}
     */
    public CopyResult copy(List<CopyPair> pairs, EventListener listener, Progress progress, Cancellation cancellation) {
        return copy(pairs, listener, progress, cancellation, (BatchSettings) null);
    }

    @Internal
    public CopyResult copy(List<CopyPair> pairs, EventListener listener, Progress progress, Cancellation cancellation,
            @Nullable BatchSettings batch) {
        return copy(pairs, listener, progress, cancellation, batch, null, null);
    }

    /**
     * Copies as {@link #copy(List, EventListener, Progress, Cancellation)} does.
     *
     * @param earlier earlier copies, whose equal entries need not be copied again; or null
     * @param ending receives further facts at the end
     */
    @Internal
    public CopyResult copy(List<CopyPair> pairs, EventListener listener, Progress progress, Cancellation cancellation,
            @Nullable EarlierCopies earlier, Ending ending) {
        return copy(pairs, listener, progress, cancellation, null, earlier, ending);
    }

    private CopyResult copy(List<CopyPair> pairs, EventListener listener, Progress progress, Cancellation cancellation,
            @Nullable BatchSettings batch, @Nullable EarlierCopies earlier, @Nullable Ending ending) {
        WalkOptions walk = options.walk()
                .withStatus(false)
                .withThreads(TreeWalker.threadsOnTwoTrees(options.threads()))
                .withDirectoryBudget(DirectoryPool.LARGEST_BUDGET);
        Walker walker = walkers.apply(walk);
        if (walker.isPart()) {
            throw new IllegalArgumentException("a part of the entries cannot finish a directory");
        }
        List<Root> roots = pairs.stream().map(CopyPair::source).toList();
        Cancellation stop = Cancellation.of(cancellation);
        DryLinks links = new DryLinks();
        try (CopyContext context = new CopyContext(calls, options, pairs, ProcessStatus.read(), listener, progress,
                stop, batch, earlier)) {
            WalkResult<WalkHandler<TargetDirectory>> walked = walker.walkWith(roots,
                    worker -> options.dryRun()
                            ? new DryRunHandler(context, links, worker)
                            : new CopyHandler(context, worker),
                    stop, progress);
            if (context.widened().isAny()) {
                try (FileAccess access = FileAccess.open(calls)) {
                    context.widened().restore(access, context.outcomes()::notice);
                }
            }
            if (options.fsync() && !options.dryRun()) {
                try (FileAccess access = FileAccess.open(calls)) {
                    context.syncParents(access);
                }
            }
            if (ending != null) {
                ending.ended(context.hardLinks().isAnyOpen(), context.newDirectories());
            }
            return context.outcomes().result(walked.isComplete());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
