// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.sync.Found.Mark;
import org.treehaul.core.walk.FoundEntry;
import org.treehaul.core.walk.FoundValues;
import org.treehaul.core.walk.Step;
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.core.walk.WalkDirectory;
import org.treehaul.core.walk.WalkHandler;
import org.treehaul.core.walk.WalkResult;
import org.treehaul.core.walk.WalkWorker;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.SelectedPaths;
import org.treehaul.core.walk.options.WalkOptions;

/**
 * Lists the entries to remove, each directory after its content, so that nothing is removed that was not listed.
 * Excluded entries stay, as do directories that could not be read, are mount points or on another file system than the
 * directory above them, are the source, or contain an entry that stays.
 */
final class RemovalList {

    private final FileSystemCalls calls;
    private final SyncOptions options;
    private final Scope scope;
    private final SyncPlace place;
    private final ByteString root;
    private final Consumer<EntryFailure> failed;
    // Directories in progress that do not meet the conditions.
    private final Set<TreePath> staying = ConcurrentHashMap.newKeySet();

    RemovalList(FileSystemCalls calls, SyncOptions options, Scope scope, SyncPlace place,
            Consumer<EntryFailure> failed) {
        this.calls = calls;
        this.options = options;
        this.scope = scope;
        this.place = place;
        this.root = place.pair().target();
        this.failed = failed;
    }

    /**
     * Adds entries, and everything below them, to a spool.
     *
     * @return whether all were listed; false after a cancellation
     */
    boolean list(List<Found> portion, Spool into, Cancellation cancellation) {
        SelectedPaths directories = SelectedPaths.strict();
        boolean hasDirectories = false;
        for (Found one : portion) {
            // Conditions need more than the mark.
            if (one.kind() == EntryKind.DIRECTORY || scope.isSelective()) {
                directories.add(one.path());
                hasDirectories = true;
            } else {
                into.add(one);
            }
        }
        if (!hasDirectories) {
            return true;
        }
        WalkOptions walk = WalkOptions.defaults().withStatus(true).withThreads(options.copy().threads());
        WalkResult<Handler> result = TreeWalker.of(calls, walk)
                .walkWith(List.of(Root.of(root, directories)),
                        (WalkWorker<AtomicBoolean> worker) -> new Handler(directories, into), cancellation);
        return result.isComplete();
    }

    /** The attachment of a directory is whether something in it stays. */
    private final class Handler implements WalkHandler<AtomicBoolean> {

        private final SelectedPaths selected;
        private final Spool into;
        private final FoundValues values = scope.values();

        Handler(SelectedPaths selected, Spool into) {
            this.selected = selected;
            this.into = into;
        }

        @Override
        public Step entry(FoundEntry<AtomicBoolean> found) throws SystemCallException {
            WalkDirectory<AtomicBoolean> parent = found.parent();
            boolean isListed = parent != null && parent.isListed();
            if (parent == null || !isListed && !(scope.isSelective() && selected.covers(found.path()))) {
                // The entry was selected, or is on the way to one.
                return Step.CONTINUE;
            }
            boolean isDirectory = found.kind() == EntryKind.DIRECTORY;
            if (options.copy().filter().excludes(found.path(), isDirectory)) {
                parent.attachment().set(true);
                return Step.SKIP;
            }
            try {
                Mark mark = Mark.of(found.status());
                if (scope.isSelective() && !scope.where().matches(values.of(found))) {
                    // An entry that does not meet the conditions stays, and with it the directories above.
                    parent.attachment().set(true);
                    if (isDirectory) {
                        staying.add(found.path());
                    }
                } else if (!isDirectory) {
                    into.add(new Found(found.path(), found.kind(), Mark.NONE, mark));
                }
            } catch (SystemCallException e) {
                if (e.errno() != Errno.ENOENT) {
                    parent.attachment().set(true);
                    throw e;
                }
            }
            return Step.CONTINUE;
        }

        @Override
        public @Nullable AtomicBoolean enter(WalkDirectory<AtomicBoolean> directory, WalkWorker<AtomicBoolean> worker) {
            WalkDirectory<AtomicBoolean> parent = directory.parent();
            SystemCallException reason = directory.isListed() ? reasonToStay(directory, worker.access()) : null;
            if (reason == null) {
                return new AtomicBoolean();
            }
            if (parent != null) {
                parent.attachment().set(true);
            }
            failed(EntryFailure.of(root, directory.path(), reason));
            return null;
        }

        private @Nullable SystemCallException reasonToStay(WalkDirectory<AtomicBoolean> directory, FileAccess access) {
            WalkDirectory<AtomicBoolean> parent = directory.parent();
            if (parent != null && parent.status().device() != directory.status().device()) {
                return new SystemCallException("rmdir", Errno.EXDEV);
            }
            if (directory.status().isSameFile(place.source())) {
                return new SystemCallException("remove the source, which is mounted elsewhere too", Errno.EBUSY);
            }
            try {
                // Such a mount shows a part of the same file system, which may be the source or contain it.
                return access.isMountPoint(directory.handle().descriptor())
                        ? new SystemCallException("remove a mount point", Errno.EBUSY)
                        : null;
            } catch (SystemCallException e) {
                return e;
            }
        }

        @Override
        public void leave(WalkDirectory<AtomicBoolean> directory, WalkWorker<AtomicBoolean> worker) {
            if (!directory.isListed() || !directory.isAttached()) {
                return;
            }
            WalkDirectory<AtomicBoolean> parent = directory.parent();
            if (staying.remove(directory.path()) || directory.isIncomplete() || directory.attachment().get()) {
                if (parent != null) {
                    parent.attachment().set(true);
                }
            } else {
                into.add(new Found(directory.path(), EntryKind.DIRECTORY, Mark.NONE, Mark.of(directory.status())));
            }
        }

        @Override
        public void failed(EntryFailure failure) {
            if (failure.errno() != Errno.ENOENT) {
                synchronized (RemovalList.this) {
                    failed.accept(failure);
                }
            }
        }
    }
}
