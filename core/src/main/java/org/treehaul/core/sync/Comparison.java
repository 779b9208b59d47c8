// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync;

import java.util.EnumSet;
import java.util.Set;
import java.util.function.Consumer;

import org.treehaul.core.compare.CompareOptions;
import org.treehaul.core.compare.CompareResult;
import org.treehaul.core.compare.Difference;
import org.treehaul.core.compare.DifferenceKind;
import org.treehaul.core.compare.DifferenceListener;
import org.treehaul.core.compare.TreeComparer;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.Preserve;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.walk.options.Symlinks;

/**
 * Compares the source of a run with its copy, in what the run would change.
 *
 * @param scope the part of the source to compare
 * @param symlinks the links of the source that are followed
 */
record Comparison(FileSystemCalls calls, SyncOptions options, Scope scope, ByteString target, Symlinks symlinks) {

    /** Compares everything that the options ask for. */
    CompareResult all(DifferenceListener found, EventListener listener, Progress progress, Cancellation cancellation) {
        return compare(ofOptions(), found, listener, progress, cancellation);
    }

    /**
     * Compares only which names belong to one file.
     *
     * @param parted receives each name that is linked to another one on one side only, on any thread
     */
    CompareResult links(Consumer<TreePath> parted, EventListener listener, Cancellation cancellation) {
        return compare(ofOptions().ignoring(EnumSet.complementOf(EnumSet.of(DifferenceKind.HARD_LINKS))),
                new PartedNames(parted), listener, new Progress(), cancellation);
    }

    /** Passes on the names that are linked on one side only. */
    private record PartedNames(Consumer<TreePath> names) implements DifferenceListener.WithStatus {

        @Override
        public void onDifference(Difference difference) {
            if (difference.kind() == DifferenceKind.HARD_LINKS) {
                names.accept(difference.path());
            }
        }

        @Override
        public boolean isOfEqualPairs() {
            return false;
        }

        // A listed path that neither side has was removed, or was reported before.
        @Override
        public boolean acceptsMissing() {
            return true;
        }

        @Override
        public void onPair(TreePath path, FileStatus a, FileStatus b, Set<DifferenceKind> kinds) {
            // Only their names matter.
        }

        @Override
        public void onOnlyInFirst(TreePath path, FileStatus a) {
            // A failure of the copy.
        }

        @Override
        public void onOnlyInSecond(TreePath path, FileStatus b) {
            // Removed after the copy.
        }
    }

    private CompareResult compare(CompareOptions comparison, DifferenceListener found, EventListener listener,
            Progress progress, Cancellation cancellation) {
        return TreeComparer.of(calls, comparison)
                .ofCopy(symlinks)
                .compare(scope.root(), target, found, listener, progress, cancellation);
    }

    private CompareOptions ofOptions() {
        Set<DifferenceKind> kinds = EnumSet.of(DifferenceKind.ONLY_IN_A, DifferenceKind.ONLY_IN_B, DifferenceKind.SIZE,
                DifferenceKind.LINK_TARGET, DifferenceKind.DEVICE);
        CopyOptions copy = options.copy();
        if (copy.preserves(Preserve.TIMESTAMPS) || options.check() == SyncOptions.Check.SIZE_AND_TIME) {
            kinds.add(DifferenceKind.MTIME);
        }
        if (copy.preserves(Preserve.MODE)) {
            kinds.add(DifferenceKind.MODE);
        }
        if (copy.preserves(Preserve.OWNERSHIP)) {
            kinds.addAll(Set.of(DifferenceKind.OWNER, DifferenceKind.GROUP));
        }
        if (copy.preserves(Preserve.LINKS)) {
            kinds.add(DifferenceKind.HARD_LINKS);
        }
        if (copy.preserves(Preserve.XATTR)) {
            kinds.add(DifferenceKind.XATTR);
        }
        if (copy.preserves(Preserve.ACL)) {
            kinds.add(DifferenceKind.ACL);
        }
        if (options.check() == SyncOptions.Check.CONTENT) {
            kinds.add(DifferenceKind.CONTENT);
        }
        // A large file is compared by one thread, so that all its differences are known together.
        return CompareOptions.defaults()
                .ignoring(EnumSet.allOf(DifferenceKind.class))
                .comparing(kinds)
                .withModifyWindow(options.modifyWindow())
                .withOneFileSystem(copy.oneFileSystem())
                .withFilter(copy.filter())
                .withWhere(copy.where())
                .withThreads(copy.threads())
                .withChunkBytes(Long.MAX_VALUE);
    }
}
