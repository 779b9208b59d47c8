// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare.select;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.FoundEntry;
import org.treehaul.core.walk.FoundValues;
import org.treehaul.core.walk.Step;
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.core.walk.WalkDirectory;
import org.treehaul.core.walk.WalkHandler;
import org.treehaul.core.walk.WalkWorker;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.SelectedPaths;
import org.treehaul.core.walk.options.WalkOptions;

/**
 * The directories of one tree that have no counterpart in the other, and that may contain entries which meet the
 * conditions. Keeps about 200 bytes for each. Any number of threads may add directories; the walk begins after that.
 */
public final class OneSidedTrees {

    private final Root root;
    private final Queue<TreePath> directories = new ConcurrentLinkedQueue<>();

    /**
     * Creates an instance without directories.
     *
     * @param root the tree, with the selection of the comparison if it has one
     */
    public OneSidedTrees(Root root) {
        this.root = root;
    }

    /** Adds a directory. */
    public void add(TreePath directory) {
        directories.add(directory);
    }

    /**
     * Walks everything below the directories.
     *
     * @param options the options of the walk, with the conditions
     * @param found receives each entry that meets the conditions, on any thread
     * @param failed receives each failure, on any thread
     * @return whether all was seen
     */
    public boolean walk(FileSystemCalls calls, WalkOptions options, BiConsumer<TreePath, FileStatus> found,
            Consumer<EntryFailure> failed, Cancellation cancellation) {
        if (directories.isEmpty()) {
            return true;
        }
        // Links on the way to the paths that a user selects are followed, and a directory may be below such a link.
        SelectedPaths selection = root.selection().isPresent() ? SelectedPaths.following() : SelectedPaths.strict();
        directories.forEach(selection::add);
        Root selected = Root.of(root.path(), selection);
        return TreeWalker.of(calls, options)
                .walkWith(List.of(selected),
                        (WalkWorker<Boolean> worker) -> new Handler(root.path(), options.where(), found, failed),
                        cancellation)
                .isComplete();
    }

    private static final class Handler implements WalkHandler<Boolean> {

        private final FoundValues values;
        private final FileQuery where;
        private final BiConsumer<TreePath, FileStatus> receiver;
        private final Consumer<EntryFailure> failures;

        Handler(ByteString root, FileQuery where, BiConsumer<TreePath, FileStatus> receiver,
                Consumer<EntryFailure> failures) {
            this.values = new FoundValues(List.of(Root.of(root)));
            this.where = where;
            this.receiver = receiver;
            this.failures = failures;
        }

        @Override
        public Step entry(FoundEntry<Boolean> found) throws SystemCallException {
            WalkDirectory<Boolean> parent = found.parent();
            // The comparison has seen the directories themselves, and those on the way to them.
            if (parent != null && parent.isListed()
                    && (found.kind() != EntryKind.DIRECTORY || where.matches(values.of(found)))) {
                receiver.accept(found.path(), found.status());
            }
            return Step.CONTINUE;
        }

        @Override
        public Boolean enter(WalkDirectory<Boolean> directory, WalkWorker<Boolean> worker) {
            return true;
        }

        @Override
        public void leave(WalkDirectory<Boolean> directory, WalkWorker<Boolean> worker) {
            // All was reported on the way down.
        }

        @Override
        public void failed(EntryFailure failure) {
            failures.accept(failure);
        }
    }
}
