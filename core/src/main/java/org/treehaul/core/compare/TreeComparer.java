// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import java.util.List;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Internal;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.core.walk.WalkResult;
import org.treehaul.core.walk.WalkWorker;
import org.treehaul.core.walk.Walker;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.SelectedEntries;
import org.treehaul.core.walk.options.Symlinks;
import org.treehaul.core.walk.options.WalkOptions;

/** Compares trees with many threads. It keeps no state between comparisons and may be used by any number of threads. */
public final class TreeComparer {

    private final FileSystemCalls calls;
    private final CompareOptions options;
    private final Function<WalkOptions, Walker> walkers;
    private final @Nullable Symlinks copied;

    private TreeComparer(FileSystemCalls calls, CompareOptions options, Function<WalkOptions, Walker> walkers,
            @Nullable Symlinks copied) {
        this.calls = calls;
        this.options = options;
        this.walkers = walkers;
        this.copied = copied;
    }

    /** Returns a comparer with these options. */
    public static TreeComparer of(FileSystemCalls calls, CompareOptions options) {
        return new TreeComparer(calls, options, walk -> TreeWalker.of(calls, walk), null);
    }

    /**
     * Returns a comparer that walks the first tree with another walker, such as one that shares the walk among ranks.
     *
     * @param others creates the walker, given the options that the comparison needs; its number of threads may differ
     */
    public TreeComparer withWalking(Function<WalkOptions, Walker> others) {
        return new TreeComparer(calls, options, others, copied);
    }

    /**
     * Returns a comparer of a source, the first tree, with its copy, the second: it follows the links of the first tree
     * that the copy followed, and no symbolic link below the root of the second.
     *
     * @param followed the links that the copy followed, besides those on the way to selected paths
     */
    public TreeComparer ofCopy(Symlinks followed) {
        return new TreeComparer(calls, options, walkers, followed);
    }

    /**
     * Compares everything below two roots, or a selection of it. Returns when all entries are compared or, after the
     * token was cancelled, when the entries in progress are finished. An unreadable entry is reported as an event and
     * counted in the result; it does not end the comparison, and entries that might be below it are not reported as
     * missing.
     *
     * @param a the first tree; its selection, if any, applies to both
     * @param b the second tree
     * @param differences receives each difference, on any thread
     * @param events receives each failure, on any thread
     * @param progress counts the entries while the comparison runs
     * @throws IllegalArgumentException if the walker shares its walks with other processes; see {@link #comparePart}
     */
    public CompareResult compare(Root a, ByteString b, DifferenceListener differences, EventListener events,
            Progress progress, Cancellation cancellation) {
        return compare(a, b, null, differences, events, progress, cancellation, false).result();
    }

    /**
     * Compares this process's part of two trees, while other processes compare the rest; {@link ComparedPart} combines
     * all parts. The differences of this part are reported at once, except those of hard links, which may span several
     * parts.
     *
     * @param a the first tree; its selection, if any, applies to both
     * @param b the second tree
     * @param differences receives each difference, on any thread
     * @param events receives each failure, on any thread
     * @param progress counts the entries while the comparison runs
     * @throws IllegalArgumentException if the walker does not share its walks with other processes
     */
    public ComparedPart comparePart(Root a, ByteString b, DifferenceListener differences, EventListener events,
            Progress progress, Cancellation cancellation) {
        return compare(a, b, null, differences, events, progress, cancellation, true);
    }

    /**
     * Compares the entries that the root selects alone, without the directories on the way to them. No symbolic link is
     * followed in the second tree, except its root's path if there are entries below it.
     *
     * @param a the first tree, with a selection of entries or of directories alone
     * @param b the second tree
     * @param scope which links of the first tree are followed, which data are compared, and the receiver of each pair
     * @param differences receives each difference, on any thread
     * @param events receives each failure, on any thread; the failure of a directory on the way represents everything
     *        below it
     * @param progress counts the entries while the comparison runs
     * @throws IllegalArgumentException if the root has no selection of entries alone
     */
    @Internal
    public CompareResult compareEntries(Root a, ByteString b, EntryScope scope, DifferenceListener differences,
            EventListener events, Progress progress, Cancellation cancellation) {
        if (a.selection().filter(SelectedEntries.class::isInstance).isEmpty()) {
            throw new IllegalArgumentException("not a selection of entries: " + a.path());
        }
        return compare(a, b, scope, differences, events, progress, cancellation, false).result();
    }

    private ComparedPart compare(Root a, ByteString b, @Nullable EntryScope scope, DifferenceListener differences,
            EventListener events, Progress progress, Cancellation cancellation, boolean isPart) {
        Symlinks roots = copied != null ? copied : options.followRoots() ? Symlinks.ROOTS : Symlinks.NEVER;
        WalkOptions walk = WalkOptions.defaults()
                .withStatus(false)
                .withFilter(options.filter())
                .withSymlinks(scope == null ? roots : scope.symlinks())
                .withThreads(TreeWalker.threadsOnTwoTrees(options.threads()))
                .withDirectoryBudget(options.directoryBudget())
                .withWhere(copied == null ? FileQuery.all() : options.where());
        Walker walker = walkers.apply(walk);
        if (walker.isPart() != isPart) {
            throw new IllegalArgumentException(
                    isPart ? "the walker must handle a part only" : "the walker must handle all entries, not a part");
        }
        try (ComparisonRun run = new ComparisonRun(calls, options, a, b, scope, copied != null, differences, events,
                progress)) {
            WalkResult<CompareHandler> result = walker.walkWith(List.of(a), worker -> new CompareHandler(run),
                    cancellation, workers -> progress.setBusy(() -> busy(workers)));
            boolean isComplete = result.isComplete();
            if (run.isSelective()) {
                isComplete = isComplete && run.reportOneSided(calls, cancellation);
            }
            if (!isPart) {
                run.finish();
            }
            return new ComparedPart(run.result(isComplete), run.links());
        } finally {
            progress.setBusy(List::of);
        }
    }

    private static List<String> busy(List<WalkWorker<PairedDirectory>> workers) {
        return workers.stream().flatMap(worker -> worker.current().stream()).toList();
    }
}
