// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.remove;

import static org.treehaul.core.fs.LinuxConstants.AT_REMOVEDIR;
import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;

import java.lang.foreign.MemorySegment;
import java.util.List;
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
import org.treehaul.core.walk.FoundEntry;
import org.treehaul.core.walk.FoundValues;
import org.treehaul.core.walk.Step;
import org.treehaul.core.walk.WalkDirectory;
import org.treehaul.core.walk.WalkHandler;
import org.treehaul.core.walk.WalkWorker;
import org.treehaul.core.walk.listing.DirectoryRecords;
import org.treehaul.core.walk.options.Root;

/** Removes the entries that one thread finds: other entries at once, a directory when it is left. */
final class RemovalHandler implements WalkHandler<Remains> {

    /** A directory of the walk. */
    record Place(int root, TreePath path) {}

    private static final int READ_AND_SEARCH = 0500;

    // Few enough for the progress, which is shown five times per second: even slow servers remove more in that time.
    private static final int COUNTED_AT_ONCE = 64;

    private final RemoveOptions options;
    private final List<Operand> operands;
    private final RefusedOperands refused;
    private final long user;
    // Null if there are no conditions.
    private final @Nullable FoundValues values;
    private final Set<Place> wanted;
    private final @Nullable RemovalQuestion question;
    private final @Nullable Runnable pace;
    private final EventListener listener;
    private final Progress progress;

    // Entries that this thread has removed, but not yet added to the progress.
    private int entries;
    private int files;
    private int directories;

    /**
     * Creates the handler of a thread.
     *
     * @param operands the operands, in the order of the walk's roots
     * @param refused the directories that are refused as operands
     * @param user the user of this process; 0 may read every directory
     * @param wanted a set for all threads: the directories that meet the conditions, if there are any, and are not left
     *        yet
     * @param question asks before each step; null if the user does not want that
     * @param pace called before each removal; waits as long as the limit of the rate requires. Null if there is no
     *        limit
     */
    RemovalHandler(RemoveOptions options, List<Operand> operands, RefusedOperands refused, long user, Set<Place> wanted,
            @Nullable RemovalQuestion question, @Nullable Runnable pace, EventListener listener, Progress progress) {
        this.options = options;
        this.operands = operands;
        this.refused = refused;
        this.user = user;
        this.values = options.where().isAll()
                ? null
                : new FoundValues(operands.stream().map(operand -> Root.of(operand.path())).toList());
        this.wanted = wanted;
        this.question = question;
        this.pace = pace;
        this.listener = listener;
        this.progress = progress;
    }

    @Override
    public Step entry(FoundEntry<Remains> found) {
        WalkDirectory<Remains> parent = found.parent();
        try {
            if (parent == null) {
                check(found);
            }
            boolean isDirectory = found.kind() == EntryKind.DIRECTORY;
            if (isDirectory && !options.recursive()) {
                removeAlone(found);
                return Step.SKIP;
            }
            boolean isWanted = values == null || options.where().matches(values.of(found));
            if (!isWanted && !isDirectory || question != null
                    && !question.allows(isDirectory ? RemovalQuestion.Step.ENTER : RemovalQuestion.Step.REMOVE_ENTRY,
                            fullPath(found.rootIndex(), found.path()))) {
                keep(parent);
                return Step.SKIP;
            }
            if (isDirectory) {
                if (!isWanted || !isUnreadable(found) || !removeEmpty(found)) {
                    if (isWanted && values != null) {
                        wanted.add(new Place(found.rootIndex(), found.path()));
                    }
                    keep(parent);
                    return Step.CONTINUE;
                }
            } else if (!options.dryRun()) {
                unlink(found.access(), found.parentDescriptor(), found.name(), 0);
            }
            removed(found.kind());
            if (options.reportDone()) {
                report(found.rootIndex(), found.path());
            }
        } catch (SystemCallException e) {
            boolean isGone = e.errno() == Errno.ENOENT;
            if (!isGone) {
                keep(parent);
            }
            failed(failure(found.rootIndex(), found.path(), e, isGone && parent != null));
        }
        return Step.SKIP;
    }

    private void removeAlone(FoundEntry<Remains> found) throws SystemCallException {
        if (values != null && !options.where().matches(values.of(found))
                || !mayRemoveDirectory(found.rootIndex(), found.path())) {
            return;
        }
        if (options.dryRun()) {
            requireEmpty(found);
        } else {
            unlink(found.access(), found.parentDescriptor(), found.name(), AT_REMOVEDIR);
        }
        removed(EntryKind.DIRECTORY);
        if (options.reportDone()) {
            report(found.rootIndex(), found.path());
        }
    }

    private static void requireEmpty(FoundEntry<Remains> found) throws SystemCallException {
        FileAccess access = found.access();
        int descriptor = access.open(found.parentDescriptor(), found.name(), O_DIRECTORY | O_NOFOLLOW, 0);
        try {
            if (!DirectoryRecords.isEmpty(access, descriptor)) {
                throw new SystemCallException("rmdir", Errno.ENOTEMPTY);
            }
        } finally {
            access.closeQuietly(descriptor);
        }
    }

    private static void keep(@Nullable WalkDirectory<Remains> parent) {
        if (parent != null) {
            parent.attachment().add();
        }
    }

    private boolean mayRemoveDirectory(int root, TreePath path) {
        return question == null || question.allows(RemovalQuestion.Step.REMOVE_DIRECTORY, fullPath(root, path));
    }

    private ByteString fullPath(int root, TreePath path) {
        return path.below(operands.get(root).path());
    }

    private void check(FoundEntry<Remains> root) throws SystemCallException {
        Operand operand = operands.get(root.rootIndex());
        boolean isDirectory = root.kind() == EntryKind.DIRECTORY;
        if (!isDirectory && operand.hasSlash()) {
            requireDirectory(root);
            throw new SystemCallException("unlink", Errno.ENOTDIR);
        }
        if (isDirectory && !options.recursive() && !options.emptyDirectories()) {
            throw new SystemCallException("unlink", Errno.EISDIR);
        }
        refused.check(root.access(), root.parentDescriptor(), root.name(), root.status(), operand);
    }

    // As the kernel resolves the path with its slash: such a path does not exist unless a link leads to a directory.
    private static void requireDirectory(FoundEntry<Remains> root) throws SystemCallException {
        if (root.kind() != EntryKind.SYMLINK
                || root.access().followedStatus(root.parentDescriptor(), root.name()).kind() != EntryKind.DIRECTORY) {
            throw new SystemCallException("stat", Errno.ENOTDIR);
        }
    }

    // The walk cannot open such a directory, but an empty one can be removed without that. Reading the mode of each
    // directory costs less than a rmdir(2) that fails for most.
    private boolean isUnreadable(FoundEntry<Remains> found) throws SystemCallException {
        if (user == 0 || options.dryRun()) {
            return false;
        }
        FileStatus status = found.status();
        int needed = status.uid() == user ? READ_AND_SEARCH : READ_AND_SEARCH >> 3 | READ_AND_SEARCH >> 6;
        return (status.permissions() & needed) != needed;
    }

    private boolean removeEmpty(FoundEntry<Remains> found) {
        await();
        return found.access().calls().unlinkat(found.parentDescriptor(), found.name(), AT_REMOVEDIR) == 0;
    }

    @Override
    public @Nullable Remains enter(WalkDirectory<Remains> directory, WalkWorker<Remains> worker)
            throws SystemCallException {
        WalkDirectory<Remains> parent = directory.parent();
        if (options.oneFileSystem() && parent != null && parent.status().device() != directory.status().device()) {
            failed(failure(directory.rootIndex(), directory.path(), new SystemCallException("rmdir", Errno.EXDEV),
                    false));
            return null;
        }
        return new Remains(parent == null ? worker.access().status(directory.handle().descriptor()) : null);
    }

    @Override
    public boolean needsDirectoryStatus() {
        return options.oneFileSystem();
    }

    @Override
    public void unopened(WalkDirectory<Remains> directory, WalkWorker<Remains> worker) {
        forgetIfGone(directory, worker.access());
    }

    // Others may have removed it before it could be read; then it does not keep its parent.
    private static void forgetIfGone(WalkDirectory<Remains> directory, FileAccess access) {
        WalkDirectory<Remains> parent = directory.parent();
        if (parent != null && isGone(directory, parent, access)) {
            parent.attachment().removed();
        }
    }

    private static boolean isGone(WalkDirectory<Remains> directory, WalkDirectory<Remains> parent, FileAccess access) {
        try {
            int descriptor = parent.handle().acquire(access);
            try {
                return access.find(descriptor, access.name(directory.path().nameBytes()), false) == null;
            } finally {
                parent.handle().release();
            }
        } catch (SystemCallException e) {
            return e.errno() == Errno.ENOENT;
        }
    }

    @Override
    public void leave(WalkDirectory<Remains> directory, WalkWorker<Remains> worker) {
        boolean isWanted = values == null || wanted.remove(new Place(directory.rootIndex(), directory.path()));
        if (directory.isIncomplete()) {
            forgetIfGone(directory, worker.access());
            return;
        }
        if (!isWanted || !directory.isAttached() || !directory.attachment().areNone()
                || !mayRemoveDirectory(directory.rootIndex(), directory.path())) {
            return;
        }
        WalkDirectory<Remains> parent = directory.parent();
        try {
            if (!options.dryRun()) {
                if (parent == null) {
                    removeRoot(directory, worker.access());
                } else {
                    removeChild(directory, parent, worker.access());
                }
            }
            removed(EntryKind.DIRECTORY);
            if (options.reportDone()) {
                report(directory.rootIndex(), directory.path());
            }
        } catch (SystemCallException e) {
            boolean isGone = e.errno() == Errno.ENOENT;
            failed(failure(directory.rootIndex(), directory.path(), e, isGone));
            if (!isGone) {
                return;
            }
        }
        if (parent != null) {
            parent.attachment().removed();
        }
    }

    private void removeChild(WalkDirectory<Remains> directory, WalkDirectory<Remains> parent, FileAccess access)
            throws SystemCallException {
        int descriptor = parent.handle().acquire(access);
        try {
            unlink(access, descriptor, access.name(directory.path().nameBytes()), AT_REMOVEDIR);
        } finally {
            parent.handle().release();
        }
    }

    // The path of an operand is resolved a second time here: another user may have moved it in between.
    private void removeRoot(WalkDirectory<Remains> directory, FileAccess access) throws SystemCallException {
        try (LongPath path = LongPath.of(access, operands.get(directory.rootIndex()).path())) {
            MemorySegment name = access.rootName(path.rest());
            if (!access.status(path.base(), name).isSameFile(directory.attachment().root())) {
                throw new SystemCallException("rmdir", Errno.ESTALE);
            }
            unlink(access, path.base(), name, AT_REMOVEDIR);
        }
    }

    private void unlink(FileAccess access, int directory, MemorySegment name, int flags) throws SystemCallException {
        await();
        FileAccess.check(flags == 0 ? "unlink" : "rmdir", access.calls().unlinkat(directory, name, flags));
    }

    private void await() {
        if (pace != null) {
            pace.run();
        }
    }

    // Changes the counters that the threads share for many entries at once: one by one took a twentieth of the time that the threads spend
    // outside the kernel.
    private void removed(EntryKind kind) {
        entries++;
        files += kind == EntryKind.REGULAR ? 1 : 0;
        directories += kind == EntryKind.DIRECTORY ? 1 : 0;
        if (entries == COUNTED_AT_ONCE || pace != null) {
            count();
        }
    }

    private void count() {
        if (entries > 0) {
            progress.done(entries, files, directories, 0);
            entries = 0;
            files = 0;
            directories = 0;
        }
    }

    @Override
    public void idle(WalkWorker<Remains> worker) {
        count();
    }

    @Override
    public void finished(WalkWorker<Remains> worker) {
        count();
    }

    private void report(int root, TreePath path) {
        listener.onEvent(new Event.Removed(fullPath(root, path)));
    }

    private EntryFailure failure(int root, TreePath path, SystemCallException e, boolean hasVanished) {
        EntryFailure failure = EntryFailure.of(operands.get(root).path(), path, e);
        return hasVanished ? failure.as(EntryFailure.Kind.VANISHED) : failure;
    }

    @Override
    public void failed(EntryFailure failure) {
        if (options.ignoreMissing() && isMissing(failure)) {
            return;
        }
        progress.entryFailed();
        listener.onEvent(new Event.Failed(failure));
    }

    // A file on the way to an operand means that the operand does not exist, too.
    private static boolean isMissing(EntryFailure failure) {
        return failure.errno() == Errno.ENOENT
                || failure.errno() == Errno.ENOTDIR && failure.path().isRoot() && failure.operation().equals("stat");
    }
}
