// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.operation;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Directory;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.FoundEntry;
import org.treehaul.core.walk.Root;
import org.treehaul.core.walk.Step;
import org.treehaul.core.walk.WalkDirectory;
import org.treehaul.core.walk.WalkHandler;
import org.treehaul.core.walk.WalkWorker;

/** Performs an operation on the entries that one thread of a walk finds. */
final class OperationHandler implements WalkHandler<Boolean> {

    private final EntryOperation operation;
    private final List<Root> roots;
    private final FailedPlaces failed;
    private final Optional<String> action;
    private final EventListener listener;
    private final Progress progress;

    OperationHandler(EntryOperation operation, List<Root> roots, FailedPlaces failed, Optional<String> action,
            EventListener listener, Progress progress) {
        this.operation = operation;
        this.roots = roots;
        this.failed = failed;
        this.action = action;
        this.listener = listener;
        this.progress = progress;
    }

    @Override
    public Step entry(FoundEntry<Boolean> found) throws SystemCallException {
        if (found.kind() == EntryKind.DIRECTORY) {
            return Step.CONTINUE;
        }
        operation.entry(new OperationTarget(found.access(), found.parentDescriptor(), found.name(), Optional.empty()));
        if (found.kind().hasData()) {
            progress.fileDone();
        }
        done(found.rootIndex(), action.isPresent() ? found.path() : null);
        return Step.SKIP;
    }

    @Override
    public Boolean enter(WalkDirectory<Boolean> directory, WalkWorker<Boolean> worker) {
        return true;
    }

    @Override
    public void leave(WalkDirectory<Boolean> directory, WalkWorker<Boolean> worker) throws SystemCallException {
        if (failed.contain(root(directory.rootIndex()), directory.path())) {
            return;
        }
        FileAccess access = worker.access();
        WalkDirectory<Boolean> parent = directory.parent();
        if (parent == null) {
            try (LongPath path = LongPath.of(access, root(directory.rootIndex()))) {
                perform(access, path.base(), access.rootName(path.rest()));
            }
        } else {
            Directory handle = parent.handle();
            int descriptor = handle.acquire(access);
            try {
                perform(access, descriptor, access.name(directory.path().nameBytes()));
            } finally {
                handle.release();
            }
        }
        progress.directoryDone();
        done(directory.rootIndex(), directory.path());
    }

    private void perform(FileAccess access, int directory, MemorySegment name) throws SystemCallException {
        operation.directory(new OperationTarget(access, directory, name, Optional.empty()));
    }

    private void done(int rootIndex, @Nullable TreePath path) {
        progress.entryDone();
        if (path != null && action.isPresent()) {
            listener.onEvent(new Event.Done(action.get(), ByteString.of(EntryFailure.fullPath(root(rootIndex), path)),
                    ByteString.empty()));
        }
    }

    private ByteString root(int index) {
        return roots.get(index).path();
    }

    @Override
    public void failed(EntryFailure failure) {
        failed.add(failure);
        progress.entryFailed();
        listener.onEvent(new Event.Failed(failure));
    }
}
