// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.attributes;

import java.util.List;
import java.util.Optional;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.operation.OperationTarget;
import org.treehaul.core.walk.FoundEntry;
import org.treehaul.core.walk.Step;
import org.treehaul.core.walk.WalkDirectory;
import org.treehaul.core.walk.WalkHandler;
import org.treehaul.core.walk.WalkWorker;
import org.treehaul.core.walk.options.Root;

/**
 * Changes the entries that one thread finds: a directory when it is found or when it is left, as the change demands.
 */
final class ChangeHandler implements WalkHandler<Boolean> {

    /** A directory of the walk. */
    record Place(int root, TreePath path) {}

    private static final byte[] HERE = {'.'};

    private final AttributeChange change;
    private final AttributeSetting setting;
    private final ChangeOptions options;
    private final List<Root> roots;
    private final Optional<FileStatus> top;
    private final Set<Place> changedFirst;
    private final EventListener listener;
    private final Progress progress;

    /**
     * Creates the handler of a thread.
     *
     * @param roots the roots of the walk
     * @param top the status of the directory {@code /} if it must not be changed with its content
     * @param changedFirst the directories that were changed before their content, for all threads; used only for a
     *        change that is not repeatable, because then the status of a directory does not show it
     */
    ChangeHandler(AttributeChange change, ChangeOptions options, List<Root> roots, Optional<FileStatus> top,
            Set<Place> changedFirst, EventListener listener, Progress progress) {
        this.change = change;
        this.setting = new AttributeSetting(change);
        this.options = options;
        this.roots = roots;
        this.top = top;
        this.changedFirst = changedFirst;
        this.listener = listener;
        this.progress = progress;
    }

    @Override
    public Step entry(FoundEntry<Boolean> found) throws SystemCallException {
        FileStatus status = found.status();
        boolean isWalked = status.kind() == EntryKind.DIRECTORY && options.recursive();
        if (isWalked && found.parent() == null && top.filter(status::isSameFile).isPresent()) {
            throw new SystemCallException(TreeChanger.IS_TOP, 0);
        }
        if (!isWalked || change.isBeforeContent(status)) {
            if (isWalked && !change.isRepeatable()) {
                changedFirst.add(new Place(found.rootIndex(), found.path()));
            }
            try {
                change(target(found, status), found.isFollowed());
            } catch (SystemCallException e) {
                failed(failure(found, e));
            }
        }
        return isWalked ? Step.CONTINUE : Step.SKIP;
    }

    private OperationTarget target(FoundEntry<Boolean> found, FileStatus status) {
        return new OperationTarget(found.access().calls(), found.parentDescriptor(), found.name(), status,
                root(found.rootIndex()), found.path());
    }

    private EntryFailure failure(FoundEntry<Boolean> found, SystemCallException e) {
        EntryFailure failure = EntryFailure.of(root(found.rootIndex()), found.path(), e);
        return switch (e.errno()) {
            case Errno.ENOENT -> found.parent() == null ? failure : failure.as(EntryFailure.Kind.VANISHED);
            case Errno.ESTALE -> failure.as(EntryFailure.Kind.CHANGED);
            default -> failure;
        };
    }

    @Override
    public @Nullable Boolean enter(WalkDirectory<Boolean> directory, WalkWorker<Boolean> worker) {
        return true;
    }

    @Override
    public void leave(WalkDirectory<Boolean> directory, WalkWorker<Boolean> worker) throws SystemCallException {
        FileStatus status = directory.status();
        boolean isChanged = change.isBeforeContent(status)
                || !change.isRepeatable() && changedFirst.remove(new Place(directory.rootIndex(), directory.path()));
        if (isChanged) {
            return;
        }
        int descriptor = directory.handle().acquire(worker.access());
        try {
            change(new OperationTarget(worker.access().calls(), descriptor, worker.access().name(HERE), status,
                    root(directory.rootIndex()), directory.path()), false);
        } finally {
            directory.handle().release();
        }
    }

    private void change(OperationTarget target, boolean follow) throws SystemCallException {
        FileStatus status = target.status();
        boolean isChanged = options.dryRun() ? change.isNeeded(status) : setting.set(target, follow);
        if (!isChanged) {
            progress.entrySkipped();
        } else {
            progress.entryDone();
            if (status.kind() == EntryKind.REGULAR) {
                progress.fileDone();
            } else if (status.kind() == EntryKind.DIRECTORY) {
                progress.directoryDone();
            }
        }
        if (isChanged ? options.reportChanged() : options.reportRetained()) {
            String before = change.before(status);
            listener.onEvent(new Event.Changed(ByteString.of(EntryFailure.fullPath(target.root(), target.path())),
                    change.attribute(), before, isChanged ? change.after(status) : before));
        }
    }

    private ByteString root(int index) {
        return roots.get(index).path();
    }

    @Override
    public void failed(EntryFailure failure) {
        progress.entryFailed();
        listener.onEvent(new Event.Failed(failure));
    }
}
