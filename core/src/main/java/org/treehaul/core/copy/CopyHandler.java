// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Collections;
import java.util.Objects;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.FoundEntry;
import org.treehaul.core.walk.Step;
import org.treehaul.core.walk.WalkDirectory;
import org.treehaul.core.walk.WalkHandler;
import org.treehaul.core.walk.WalkWorker;

/** Copies what one thread of the walk finds. */
final class CopyHandler implements WalkHandler<TargetDirectory>, CopyEnd {

    private static final int CHANGED_TRIES = 2;
    private static final int PASSING_TRIES = 4;

    private final CopyRun run;
    private final WalkWorker<TargetDirectory> worker;
    private final FileAccess access;
    private final FileCopier files;
    private final NodeCopier nodes;
    private final DirectoryCopier directories;
    private final MetadataWriter metadata;
    private final MemorySegment sourceName = Arena.ofAuto().allocate(4096);
    private final MemorySegment targetName = Arena.ofAuto().allocate(4096);

    // The target directory that this thread copied into last stays open: the next entry is most likely in the same one.
    private @Nullable TargetDirectory current;

    CopyHandler(CopyRun run, WalkWorker<TargetDirectory> worker) {
        this.run = run;
        this.worker = worker;
        this.access = worker.access();
        this.metadata = new MetadataWriter(run, access);
        Placer placer = new Placer(run, access);
        this.files = new FileCopier(run, worker, metadata, placer, this);
        this.nodes = new NodeCopier(run, access, metadata, placer);
        this.directories = new DirectoryCopier(run, access, metadata);
    }

    FileCopier files() {
        return files;
    }

    FileAccess access() {
        return access;
    }

    WalkWorker<TargetDirectory> worker() {
        return worker;
    }

    @Override
    public Step entry(FoundEntry<TargetDirectory> found) {
        if (found.kind() == EntryKind.DIRECTORY) {
            if (run.options().recursive()) {
                return Step.CONTINUE;
            }
            run.sourceFailed(found.rootIndex(), found.path(),
                    new SystemCallException("copy a directory without -r", Errno.EISDIR));
            return Step.SKIP;
        }
        WalkDirectory<TargetDirectory> parent = found.parent();
        int rootIndex = found.rootIndex();
        worker.busyWith(rootIndex, found.path());
        try {
            TargetDirectory target = parent == null ? directories.sweptTargetParent(rootIndex) : parent.attachment();
            ByteString name = parent == null ? directories.targetName(rootIndex) : found.path().name();
            CopyTask task = new CopyTask(parent, rootIndex, found.path(), found.kind(), found.isFollowed(), target,
                    name);
            MemorySegment nameAtTarget = parent == null ? put(targetName, name) : found.name();
            copy(task, found.parentDescriptor(), found.name(), hold(target), nameAtTarget);
        } catch (SystemCallException e) {
            run.targetFailed(rootIndex, found.path(), e);
        }
        return Step.CONTINUE;
    }

    private int hold(TargetDirectory target) throws SystemCallException {
        if (current == target) {
            return target.handle().descriptor();
        }
        letGo();
        int descriptor = target.handle().acquire(access);
        current = target;
        return descriptor;
    }

    private void letGo() {
        if (current != null) {
            current.handle().release();
            current = null;
        }
    }

    /** Puts a task's name at the target into scratch of this thread. */
    MemorySegment targetName(CopyTask task) {
        return put(targetName, task.targetName());
    }

    private static MemorySegment put(MemorySegment scratch, ByteString name) {
        byte[] bytes = name.toBytes();
        MemorySegment.copy(bytes, 0, scratch, ValueLayout.JAVA_BYTE, 0, bytes.length);
        scratch.set(ValueLayout.JAVA_BYTE, bytes.length, (byte) 0);
        return scratch;
    }

    private void copy(CopyTask task, int directory, MemorySegment name, int targetDirectory,
            MemorySegment nameAtTarget) {
        boolean isStream = !run.options().recursive() && task.kind() != EntryKind.SYMLINK;
        if (task.kind() == EntryKind.REGULAR || isStream && task.path().isRoot()) {
            copyFile(task, directory, name, targetDirectory, nameAtTarget);
        } else {
            copyNode(task, directory, name, targetDirectory, nameAtTarget);
        }
    }

    private void copyFile(CopyTask task, int directory, MemorySegment name, int targetDirectory,
            MemorySegment nameAtTarget) {
        HardLinks.Group group = null;
        for (int tries = 1;; tries++) {
            FileCopier.Attempt attempt = null;
            int source = -1;
            boolean isHandedOver = false;
            try {
                source = files.open(task, directory, name);
                FileStatus status = access.status(source);
                attempt = new FileCopier.Attempt(task, source, status, Collections.emptySortedMap(), targetDirectory,
                        nameAtTarget, group);
                if (group == null && run.preserves(Preserve.LINKS) && status.linkCount() > 1) {
                    group = run.hardLinks().group(status);
                    if (!leads(group, task, status, targetDirectory, nameAtTarget)) {
                        return;
                    }
                }
                attempt = new FileCopier.Attempt(task, source, status, metadata.attributesOf(source), targetDirectory,
                        nameAtTarget, group);
                isHandedOver = !files.copy(attempt);
                return;
            } catch (ChangedException e) {
                if (tries >= CHANGED_TRIES) {
                    fail(task, group, e);
                    return;
                }
            } catch (SystemCallException e) {
                if (tries >= PASSING_TRIES || !isPassing(e)) {
                    fail(task, group, e);
                    return;
                }
            } catch (TargetException e) {
                if (tries >= PASSING_TRIES || !isPassing(e.call())) {
                    fail(task, group, e);
                    return;
                }
            } catch (WithdrawnException e) {
                fail(task, group, e);
                return;
            } finally {
                if (source >= 0 && !isHandedOver) {
                    access.closeQuietly(source);
                }
            }
        }
    }

    // What servers that fail over answer: the same call may go through a moment later.
    private static boolean isPassing(SystemCallException e) {
        return e.errno() == Errno.ESTALE || e.errno() == Errno.EAGAIN || e.errno() == Errno.EINTR;
    }

    private boolean leads(HardLinks.Group group, CopyTask task, FileStatus status, int targetDirectory,
            MemorySegment nameAtTarget) throws TargetException, SystemCallException {
        // Held before it joins: another thread may finish the leader, and this name with it, at any moment from then on.
        worker.hold(task.sourceDirectory());
        HardLinks.Part part = group.join(task);
        if (part == HardLinks.Part.WAIT) {
            return false;
        }
        worker.release(task.sourceDirectory());
        if (part == HardLinks.Part.LEAD) {
            return true;
        }
        return !link(group, task, status, targetDirectory, nameAtTarget);
    }

    // Returns false when no more links can be made to the leader's copy: then this name is copied and leads from now on.
    private boolean link(HardLinks.Group group, CopyTask task, FileStatus status, int targetDirectory,
            MemorySegment nameAtTarget) throws TargetException, SystemCallException {
        Optional<HardLinks.Place> leader = group.leader();
        if (leader.isEmpty()) {
            return false;
        }
        NodeCopier.Outcome outcome = nodes.link(leader.get(), task, status, targetDirectory, nameAtTarget);
        switch (outcome) {
            case DONE -> run.done("link", task.rootIndex(), task.path());
            case SKIPPED -> run.progress().entrySkipped();
            case IMPOSSIBLE -> {
                run.notice("some hard links are separate files in the copy: the destination allows no more links");
                return false;
            }
        }
        group.nameDone();
        return true;
    }

    @Override
    public void copied(FileCopier.Attempt attempt) {
        CopyTask task = attempt.task();
        run.progress().fileDone();
        run.done("copy", task.rootIndex(), task.path());
        HardLinks.Group group = attempt.group();
        if (group != null) {
            HardLinks.Place place = new HardLinks.Place(task.target(), task.targetName());
            group.succeeded(place).forEach(this::again);
        }
    }

    // A name that waited is looked at again as if it had just been found, by any thread.
    private void again(CopyTask task) {
        worker.fork(task.sourceDirectory(), w -> ((CopyHandler) w.handler()).copyAgain(task));
        worker.release(task.sourceDirectory());
    }

    private void copyAgain(CopyTask task) {
        worker.busyWith(task.rootIndex(), task.path());
        WalkDirectory<TargetDirectory> directory = task.sourceDirectory();
        try {
            int targetDirectory = hold(task.target());
            MemorySegment nameAtTarget = put(targetName, task.targetName());
            if (directory == null) {
                try (LongPath path = LongPath.of(access, run.pair(task.rootIndex()).source().path())) {
                    copy(task, path.base(), put(sourceName, ByteString.of(path.rest())), targetDirectory, nameAtTarget);
                }
                return;
            }
            int descriptor = directory.handle().acquire(access);
            try {
                copy(task, descriptor, put(sourceName, task.path().name()), targetDirectory, nameAtTarget);
            } finally {
                directory.handle().release();
            }
        } catch (SystemCallException e) {
            run.sourceFailed(task.rootIndex(), task.path(), e);
        }
    }

    @Override
    public void skipped(FileCopier.Attempt attempt) {
        run.progress().entrySkipped();
        leaderFailed(attempt.group());
    }

    @Override
    public void failed(FileCopier.Attempt attempt, Exception cause) {
        fail(attempt.task(), attempt.group(), cause);
    }

    private void fail(CopyTask task, HardLinks.@Nullable Group group, Exception cause) {
        switch (cause) {
            case ChangedException e -> run.sourceChanged(task.rootIndex(), task.path());
            case CorruptException e -> run.targetCorrupt(task.rootIndex(), task.path());
            case SystemCallException e -> run.sourceFailed(task.rootIndex(), task.path(), e);
            case TargetException e -> run.targetFailed(task.rootIndex(), task.path(), e.call());
            case WithdrawnException e -> {
            }
            case RuntimeException e -> throw e;
            default -> throw new IllegalStateException(cause);
        }
        leaderFailed(group);
    }

    private void leaderFailed(HardLinks.@Nullable Group group) {
        if (group != null) {
            group.failed().ifPresent(this::again);
        }
    }

    private void copyNode(CopyTask task, int directory, MemorySegment name, int targetDirectory,
            MemorySegment nameAtTarget) {
        try {
            FileStatus status = access.status(directory, name);
            if (status.kind() != task.kind()) {
                run.sourceChanged(task.rootIndex(), task.path());
                return;
            }
            HardLinks.Group group = null;
            if (run.preserves(Preserve.LINKS) && status.linkCount() > 1) {
                group = run.hardLinks().group(status);
                if (!leads(group, task, status, targetDirectory, nameAtTarget)) {
                    return;
                }
            }
            boolean isDone = false;
            try {
                isDone = nodes.copy(task, status, directory, name, targetDirectory,
                        nameAtTarget) == NodeCopier.Outcome.DONE;
            } finally {
                if (group != null && isDone) {
                    group.succeeded(new HardLinks.Place(task.target(), task.targetName())).forEach(this::again);
                } else {
                    leaderFailed(group);
                }
            }
            if (isDone) {
                run.done("make", task.rootIndex(), task.path());
            } else {
                run.progress().entrySkipped();
            }
        } catch (SystemCallException e) {
            run.sourceFailed(task.rootIndex(), task.path(), e);
        } catch (TargetException e) {
            run.targetFailed(task.rootIndex(), task.path(), e.call());
        }
    }

    @Override
    public @Nullable TargetDirectory enter(WalkDirectory<TargetDirectory> directory,
            WalkWorker<TargetDirectory> entering) {
        try {
            return directories.enter(directory);
        } catch (TargetException e) {
            run.targetFailed(directory.rootIndex(), directory.path(), e.call());
            return null;
        }
    }

    @Override
    public void leave(WalkDirectory<TargetDirectory> directory, WalkWorker<TargetDirectory> leaving) {
        if (!directory.isAttached()) {
            return;
        }
        if (current == Objects.requireNonNull(directory.attachment())) {
            letGo();
        }
        directories.leave(directory);
    }

    @Override
    public void idle(WalkWorker<TargetDirectory> idling) {
        files.verifier().flush();
        letGo();
    }

    @Override
    public void finished(WalkWorker<TargetDirectory> finishing) {
        letGo();
    }

    @Override
    public void failed(EntryFailure failure) {
        run.failed(failure);
    }
}
