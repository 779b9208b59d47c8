// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import java.util.List;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.walk.Cancellation;
import org.treehaul.core.walk.PathSelection;
import org.treehaul.core.walk.Root;
import org.treehaul.core.walk.Symlinks;
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.core.walk.WalkOptions;
import org.treehaul.core.walk.WalkResult;
import org.treehaul.core.walk.WalkWorker;
import org.treehaul.core.walk.Walking;

/** Compares trees with many threads. It keeps no state between comparisons and may be used by any number of threads. */
public final class TreeComparer {

    private final FileSystemCalls calls;
    private final CompareOptions options;
    private final Function<WalkOptions, Walking> walkings;
    private final @Nullable Symlinks copied;

    private TreeComparer(FileSystemCalls calls, CompareOptions options, Function<WalkOptions, Walking> walkings,
            @Nullable Symlinks copied) {
        this.calls = calls;
        this.options = options;
        this.walkings = walkings;
        this.copied = copied;
    }

    /** Returns a comparer. */
    public static TreeComparer of(FileSystemCalls calls, CompareOptions options) {
        return new TreeComparer(calls, options, walk -> TreeWalker.of(calls, walk), null);
    }

    /**
     * Returns a comparer that has something else walk the first tree, such as ranks.
     *
     * @param others makes what walks, given the options that a comparison wants; it may have other threads
     */
    public TreeComparer withWalking(Function<WalkOptions, Walking> others) {
        return new TreeComparer(calls, options, others, copied);
    }

    /**
     * Returns a comparer of what was copied, the first tree, with its copy, the second: what copying followed is
     * followed in the first one, and no symbolic link below the root of the second.
     *
     * @param followed the links that copying followed, besides those on the way to selected paths
     */
    public TreeComparer ofCopy(Symlinks followed) {
        return new TreeComparer(calls, options, walkings, followed);
    }

    /**
     * Compares all below two roots, or a selection of it, and returns when all is done, or when the token was cancelled
     * and what was in hand is finished. What cannot be read is an event and counted in the result; it does not end the
     * comparison, and what might stand there is not reported as missing.
     *
     * @param a the first tree; its selection, if any, holds for both
     * @param b the second tree
     * @param differences hears each difference, on any thread
     * @param events hears each failure, on any thread
     * @param progress is counted up meanwhile
     */
    public CompareResult compare(Root a, ByteString b, DifferenceListener differences, EventListener events,
            Progress progress, Cancellation cancellation) {
        return compare(a, b, null, differences, events, progress, cancellation, false).result();
    }

    /**
     * Compares the part of two trees that falls to this process, while others do the rest of it: {@link ComparedPart}
     * makes one of all parts. The differences of this part are told at once, but for those of hard links, which may go
     * from one part to another.
     *
     * @param a the first tree; its selection, if any, holds for both
     * @param b the second tree
     * @param differences hears each difference, on any thread
     * @param events hears each failure, on any thread
     * @param progress is counted up meanwhile
     */
    public ComparedPart comparePart(Root a, ByteString b, DifferenceListener differences, EventListener events,
            Progress progress, Cancellation cancellation) {
        return compare(a, b, null, differences, events, progress, cancellation, true);
    }

    /**
     * Compares the entries that the root selects alone, without the directories on the way to them. No symbolic link is
     * followed in the second tree, but for what its root's path leads to when entries stand below it.
     *
     * @param a the first tree, with a selection of entries or of directories alone
     * @param b the second tree
     * @param scope how the first tree is walked, what of the data is compared, and who hears of each pair
     * @param differences hears each difference, on any thread
     * @param events hears each failure, on any thread; one of a directory on the way stands for all below it
     * @param progress is counted up meanwhile
     * @throws IllegalArgumentException when the root selects no entries alone
     */
    public CompareResult compareEntries(Root a, ByteString b, EntryScope scope, DifferenceListener differences,
            EventListener events, Progress progress, Cancellation cancellation) {
        if (a.selection().filter(PathSelection::isOfEntries).isEmpty()) {
            throw new IllegalArgumentException("no selection of entries: " + a.path());
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
                .withDirectoryBudget(options.directoryBudget());
        Walking walking = walkings.apply(walk);
        if (walking.isPart() != isPart) {
            throw new IllegalArgumentException(
                    isPart ? "what walks does all, not a part" : "what walks does only a part");
        }
        try (ComparisonRun run = new ComparisonRun(calls, options, a, b, scope, copied != null, differences, events,
                progress)) {
            WalkResult<CompareHandler> result = walking.walkWith(List.of(a), worker -> new CompareHandler(run),
                    cancellation, workers -> progress.setBusy(() -> busy(workers)));
            if (!isPart) {
                run.finish();
            }
            return new ComparedPart(run.result(result.isComplete()), run.links());
        } finally {
            progress.setBusy(List::of);
        }
    }

    private static List<String> busy(List<WalkWorker<PairedDirectory>> workers) {
        return workers.stream().flatMap(worker -> worker.current().stream()).toList();
    }
}
