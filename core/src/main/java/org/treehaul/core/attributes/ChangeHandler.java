// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.attributes;

import java.lang.foreign.MemorySegment;
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
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.operation.OperationTarget;
import org.treehaul.core.walk.FoundEntry;
import org.treehaul.core.walk.FoundValues;
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
    private final Set<Place> noted;
    private final EventListener listener;
    private final Progress progress;
    private final FoundValues values;

    /**
     * Creates the handler of a thread.
     *
     * @param roots the roots of the walk
     * @param top the status of the directory {@code /} if it must not be changed with its content
     * @param noted a set for all threads: with conditions the directories to change when they are left; otherwise, for
     *        a change that is not repeatable, those that were changed before their content, because then their status
     *        does not show it
     */
    ChangeHandler(AttributeChange change, ChangeOptions options, List<Root> roots, Optional<FileStatus> top,
            Set<Place> noted, EventListener listener, Progress progress) {
        this.change = change;
        this.setting = new AttributeSetting(change);
        this.options = options;
        this.roots = roots;
        this.top = top;
        this.noted = noted;
        this.listener = listener;
        this.progress = progress;
        this.values = new FoundValues(roots);
    }

    @Override
    public Step entry(FoundEntry<Boolean> found) throws SystemCallException {
        FileStatus status = found.status();
        boolean isWalked = status.kind() == EntryKind.DIRECTORY && options.recursive();
        if (isWalked && found.parent() == null && top.filter(status::isSameFile).isPresent()) {
            throw new SystemCallException(TreeChanger.IS_TOP, 0);
        }
        boolean isBefore = !isWalked || change.isBeforeContent(status);
        if (isWanted(found)) {
            boolean isNoted = hasConditions() ? !isBefore : isBefore && !change.isRepeatable();
            if (isWalked && isNoted) {
                noted.add(new Place(found.rootIndex(), found.path()));
            }
            if (isBefore) {
                changeFirst(found, status);
            }
        }
        return isWalked ? Step.CONTINUE : Step.SKIP;
    }

    private void changeFirst(FoundEntry<Boolean> found, FileStatus status) {
        try {
            change(target(found, status), found.isFollowed());
        } catch (SystemCallException e) {
            failed(failure(found.rootIndex(), found.path(), e));
        }
    }

    private boolean hasConditions() {
        return !options.where().isAll();
    }

    // The walk itself has skipped other entries.
    private boolean isWanted(FoundEntry<Boolean> found) throws SystemCallException {
        return !hasConditions() || found.kind() != EntryKind.DIRECTORY || options.where().matches(values.of(found));
    }

    private OperationTarget target(FoundEntry<Boolean> found, FileStatus status) {
        return new OperationTarget(found.access().calls(), found.parentDescriptor(), found.name(), status,
                root(found.rootIndex()), found.path());
    }

    private EntryFailure failure(int root, TreePath path, SystemCallException e) {
        EntryFailure failure = EntryFailure.of(root(root), path, e);
        return switch (e.errno()) {
            case Errno.ENOENT -> path.isRoot() ? failure : failure.as(EntryFailure.Kind.VANISHED);
            case Errno.ESTALE -> failure.as(EntryFailure.Kind.CHANGED);
            default -> failure;
        };
    }

    @Override
    public @Nullable Boolean enter(WalkDirectory<Boolean> directory, WalkWorker<Boolean> worker) {
        return true;
    }

    @Override
    public void leave(WalkDirectory<Boolean> directory, WalkWorker<Boolean> worker) {
        // A directory that could not be opened has been reported, and stays as it is, as with the GNU programs.
        if (!isLeftToChange(directory) || !directory.isAttached()) {
            return;
        }
        try {
            changeLast(directory, worker.access());
        } catch (SystemCallException e) {
            failed(failure(directory.rootIndex(), directory.path(), e));
        }
    }

    private void changeLast(WalkDirectory<Boolean> directory, FileAccess access) throws SystemCallException {
        try {
            int descriptor = directory.handle().acquire(access);
            try {
                change(target(directory, access, descriptor, access.name(HERE)), false);
            } finally {
                directory.handle().release();
            }
        } catch (SystemCallException e) {
            if (e.errno() != Errno.EACCES) {
                throw e;
            }
            changeByName(directory, access);
        }
    }

    // A directory that may be read but not searched can be changed only from above.
    private void changeByName(WalkDirectory<Boolean> directory, FileAccess access) throws SystemCallException {
        WalkDirectory<Boolean> parent = directory.parent();
        if (parent == null) {
            try (LongPath path = LongPath.of(access, root(directory.rootIndex()))) {
                change(target(directory, access, path.base(), access.rootName(path.rest())), directory.isFollowed());
            }
            return;
        }
        int descriptor = parent.handle().acquire(access);
        try {
            change(target(directory, access, descriptor, access.name(directory.path().nameBytes())),
                    directory.isFollowed());
        } finally {
            parent.handle().release();
        }
    }

    private OperationTarget target(WalkDirectory<Boolean> directory, FileAccess access, int descriptor,
            MemorySegment name) {
        return new OperationTarget(access.calls(), descriptor, name, directory.status(), root(directory.rootIndex()),
                directory.path());
    }

    private boolean isLeftToChange(WalkDirectory<Boolean> directory) {
        if (hasConditions()) {
            return noted.remove(place(directory));
        }
        return !change.isBeforeContent(directory.status())
                && (change.isRepeatable() || !noted.remove(place(directory)));
    }

    private static Place place(WalkDirectory<Boolean> directory) {
        return new Place(directory.rootIndex(), directory.path());
    }

    private void change(OperationTarget target, boolean follow) throws SystemCallException {
        FileStatus status = target.status();
        boolean isChanged = options.dryRun() ? change.isNeeded(status) : setting.set(target, follow);
        if (!isChanged) {
            progress.entrySkipped();
        } else {
            progress.entryDone(status.kind());
        }
        if (isChanged ? options.reportChanged() : options.reportRetained()) {
            String before = change.before(status);
            listener.onEvent(new Event.Changed(target.path().below(target.root()), change.attribute(), before,
                    isChanged ? change.after(status) : before));
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
