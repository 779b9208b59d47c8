// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.tree;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.LinuxConstants;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.FoundEntry;
import org.treehaul.core.walk.Step;
import org.treehaul.core.walk.WalkDirectory;
import org.treehaul.core.walk.WalkHandler;
import org.treehaul.core.walk.WalkWorker;
import org.treehaul.schedulers.stage.ParallelFile;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StagedFile;
import org.treehaul.schedulers.stage.StagedState;
import org.treehaul.schedulers.stage.StripeLayout;

/** Copies the entries that one thread of a walk finds into a stage; gives many files their paths in one step. */
final class StageInHandler implements WalkHandler<Boolean> {

    private static final int FLAGS = LinuxConstants.O_RDONLY | LinuxConstants.O_NOFOLLOW | LinuxConstants.O_NONBLOCK;
    // A transaction of the catalogue takes as long as copying some dozens of small files.
    private static final int MOST_AT_ONCE = 256;
    private static final int FIRST_RESERVED = 8;

    /** The identity of a directory of this host, which is the same for all of its paths. */
    record DirectoryId(long device, long inode) {}

    private final Stage stage;
    private final StageInOptions options;
    private final ByteString target;
    private final Placement placement;
    private final StripeCopy stripes;
    private final boolean mayHaveEntries;
    private final Set<DirectoryId> own;
    private final StageReports reports;
    private final List<StagedFile> ready = new ArrayList<>();
    private final Deque<StagedFile> reserved = new ArrayDeque<>();
    private int reservedAtOnce = FIRST_RESERVED;
    private @Nullable MemorySegment shared;

    StageInHandler(Stage stage, StageInOptions options, ByteString target, Placement placement, StripeCopy stripes,
            boolean mayHaveEntries, Set<DirectoryId> own, StageReports reports) {
        this.stage = stage;
        this.options = options;
        this.target = target;
        this.placement = placement;
        this.stripes = stripes;
        this.mayHaveEntries = mayHaveEntries;
        this.own = own;
        this.reports = reports;
    }

    @Override
    public Step entry(FoundEntry<Boolean> found) throws SystemCallException {
        ByteString path = StagedFile.join(target, ByteString.of(found.path().toBytes()));
        try {
            if (found.kind() != EntryKind.DIRECTORY && path.equals(target)) {
                checkNothingBelow();
            }
            switch (found.kind()) {
                case DIRECTORY -> directory(found, path);
                case SYMLINK -> {
                    add(entry(path, found.status(), found.access().linkTarget(found.parentDescriptor(), found.name())));
                    reports.progress().entryDone(EntryKind.SYMLINK);
                }
                case REGULAR -> regular(found, path);
                default ->
                    throw new SystemCallException("a stage has regular files, directories and symbolic links only", 0);
            }
        } catch (StageException e) {
            throw StageReports.failure(e);
        }
        return Step.CONTINUE;
    }

    // Entries below a path make it a directory, also without an entry of its own.
    private void checkNothingBelow() throws StageException {
        if (mayHaveEntries && target.length() > 0 && stage.catalogue().find(target).isEmpty()) {
            throw new StageException(stage.catalogue().display(target), "stage in", Errno.EISDIR);
        }
    }

    private void directory(FoundEntry<Boolean> found, ByteString path) throws SystemCallException, StageException {
        if (own.contains(new DirectoryId(found.status().device(), found.status().inode()))) {
            // Its segments would become segments in it, which the walk would find again.
            throw new SystemCallException("this is a directory of the stage itself", 0);
        }
        boolean isInPlaceOfAnother = mayHaveEntries
                && stage.catalogue().find(path).filter(there -> there.kind() != EntryKind.DIRECTORY).isPresent();
        add(entry(path, found.status(), null));
        if (isInPlaceOfAnother) {
            // Other threads commit what is in the directory.
            commit();
        }
        reports.progress().entryDone(EntryKind.DIRECTORY);
    }

    private StagedFile entry(ByteString path, FileStatus status, @Nullable ByteString link) throws StageException {
        if (path.length() == 0 && status.kind() != EntryKind.DIRECTORY) {
            throw new StageException(stage.catalogue().display(path), "only a directory can become the top of a stage",
                    Errno.ENOTDIR);
        }
        return new StagedFile(stage.catalogue().stage(), path, UUID.randomUUID(), 1, StagedState.COMMITTED,
                status.kind(), 0, status.permissions(), status.uid(), status.gid(), status.mtimeSeconds(),
                status.mtimeNanos(), link, "", 0, 0).saved(true);
    }

    private void regular(FoundEntry<Boolean> found, ByteString path) throws SystemCallException, StageException {
        if (path.length() == 0) {
            entry(path, found.status(), null);
        }
        FileAccess access = found.access();
        // Reading should not update the access time; O_NOATIME is permitted only to the owner.
        int descriptor = access.tryOpen(found.parentDescriptor(), found.name(), FLAGS | LinuxConstants.O_NOATIME, 0);
        if (descriptor == -Errno.EPERM) {
            descriptor = access.tryOpen(found.parentDescriptor(), found.name(), FLAGS, 0);
        }
        FileAccess.check("open", descriptor);
        try {
            FileStatus status = access.status(descriptor);
            if (status.kind() != EntryKind.REGULAR) {
                changed(found.path());
            } else if (mayHaveEntries && isStaged(path, status)) {
                reports.progress().entrySkipped();
            } else if (status.size() <= options.stripe()) {
                whole(access, descriptor, found.path(), path, status);
            } else {
                cut(access, descriptor, found.path(), path, status);
            }
        } finally {
            access.closeQuietly(descriptor);
        }
    }

    private boolean isStaged(ByteString path, FileStatus status) {
        Optional<StagedFile> there = stage.catalogue().find(path);
        return there.isPresent() && there.get().kind() == EntryKind.REGULAR
                && there.get().state() == StagedState.COMMITTED && there.get().incomplete().isEmpty()
                && there.get().size() == status.size() && there.get().mtimeSeconds() == status.mtimeSeconds()
                && there.get().mtimeNanos() == status.mtimeNanos();
    }

    private static StagedFile intent(StagedFile intent, ByteString path, FileStatus status, StripeLayout layout) {
        return new StagedFile(intent.stage(), path, intent.id(), 1, StagedState.INTENT, EntryKind.REGULAR, 0,
                status.permissions(), status.uid(), status.gid(), status.mtimeSeconds(), status.mtimeNanos(), null,
                String.join(",", layout.servers()), layout.segments(), layout.stripe(), layout.copies(), "", false);
    }

    private void whole(FileAccess access, int descriptor, TreePath source, ByteString path, FileStatus status)
            throws SystemCallException, StageException {
        StripeLayout layout = new StripeLayout(placement.whole(status.size(), options.copies()), 1, options.stripe(),
                options.copies());
        MemorySegment buffer = buffer(access);
        long count = access.readFully(descriptor, buffer, 0);
        if (count < buffer.byteSize() && options.copies() == 1) {
            // All of it was read before anything is made.
            if (isChanged(access, descriptor, status, count)) {
                changed(source);
            } else {
                small(intent(reserve(), path, status, layout), status, buffer.asSlice(0, count));
            }
            return;
        }
        ParallelFile out = stage.open(intent(reserve(), path, status, layout));
        try {
            long size = 0;
            while (count > 0 && !reports.isCancelled()) {
                out.write(buffer.asSlice(0, count).asByteBuffer(), size);
                reports.progress().bytesDone(count);
                size += count;
                count = count < buffer.byteSize() ? 0 : access.readFully(descriptor, buffer, size);
            }
            end(access, descriptor, out, source, status, size);
        } catch (SystemCallException | StageException | RuntimeException e) {
            abandon(out, e);
            throw e;
        }
    }

    // Other threads send further copies, and may not use the buffer of this one.
    private MemorySegment buffer(FileAccess access) {
        if (options.copies() == 1) {
            return access.buffer();
        }
        MemorySegment known = shared;
        if (known == null) {
            known = Arena.ofAuto().allocate(FileAccess.BUFFER_BYTES);
            shared = known;
        }
        return known;
    }

    private void small(StagedFile intent, FileStatus status, MemorySegment bytes) throws StageException {
        add(stage.make(intent, bytes, status.mtime(), options.isDurable()).saved(true));
        reports.progress().bytesDone(bytes.byteSize());
        reports.progress().entryDone(EntryKind.REGULAR);
    }

    private static boolean isChanged(FileAccess access, int descriptor, FileStatus before, long size)
            throws SystemCallException {
        return size != before.size() || !access.status(descriptor).isUnchangedSince(before);
    }

    private void cut(FileAccess access, int descriptor, TreePath source, ByteString path, FileStatus status)
            throws SystemCallException, StageException {
        StripeLayout layout = new StripeLayout(placement.cut(), options.segments(), options.stripe(), options.copies());
        StagedFile blank = stage.intent(path, layout, 0);
        StagedFile intent = intent(blank, path, status, layout);
        stage.catalogue().begin(List.of(intent));
        ParallelFile out = stage.open(intent);
        try {
            stripes.each(status.size(), options.stripe(), at -> !reports.isCancelled(),
                    (tools, at) -> stripe(tools, descriptor, out, at, Math.min(options.stripe(), status.size() - at)));
            if (!reports.isCancelled() && out.size() < status.size()) {
                // It ends with a hole.
                out.truncate(status.size());
            }
            end(access, descriptor, out, source, status, status.size());
        } catch (SystemCallException | StageException | RuntimeException e) {
            abandon(out, e);
            throw e;
        } catch (IOException e) {
            abandon(out, e);
            throw new StageException(path.toString(), e.toString(), Errno.EIO, e);
        }
    }

    private void stripe(StripeCopy.Tools tools, int descriptor, ParallelFile out, long at, long length)
            throws SystemCallException, StageException {
        long data = tools.access().nextData(descriptor, at);
        if (data == -Errno.ENXIO || data >= at + length) {
            return;
        }
        long done = 0;
        while (done < length) {
            MemorySegment part = tools.buffer().asSlice(0, Math.min(tools.buffer().byteSize(), length - done));
            long count = tools.access().readFully(descriptor, part, at + done);
            if (count == 0) {
                // The file became shorter, as its status will show.
                return;
            }
            out.write(part.asSlice(0, count).asByteBuffer(), at + done);
            reports.progress().bytesDone(count);
            done += count;
        }
    }

    private void end(FileAccess access, int descriptor, ParallelFile out, TreePath source, FileStatus before, long size)
            throws SystemCallException, StageException {
        if (reports.isCancelled()) {
            out.abandon();
            return;
        }
        if (isChanged(access, descriptor, before, size)) {
            out.abandon();
            changed(source);
            return;
        }
        if (options.isDurable()) {
            out.sync();
        }
        add(out.finish(before.mtime()).saved(true));
        reports.progress().entryDone(EntryKind.REGULAR);
    }

    private static void abandon(ParallelFile out, Exception cause) {
        try {
            out.abandon();
        } catch (StageException e) {
            cause.addSuppressed(e);
        }
    }

    private void changed(TreePath source) {
        reports.failed(EntryFailure.Kind.CHANGED, source, "while it was read", 0);
    }

    /** Returns an intent that the catalogue has and no file uses yet. */
    private StagedFile reserve() throws StageException {
        if (reserved.isEmpty()) {
            StripeLayout anywhere = new StripeLayout(options.servers(), 1, options.stripe(), options.copies());
            List<StagedFile> more = new ArrayList<>();
            for (int i = 0; i < reservedAtOnce; i++) {
                more.add(stage.reserved(target, anywhere));
            }
            stage.catalogue().begin(more);
            reserved.addAll(more);
            reservedAtOnce = Math.min(MOST_AT_ONCE, 2 * reservedAtOnce);
        }
        return reserved.removeFirst();
    }

    private void add(StagedFile complete) {
        if (!complete.stale().isEmpty()) {
            reports.missedCopies(TreePath.of(below(complete.path())), complete.stale());
        }
        ready.add(complete);
        if (ready.size() == MOST_AT_ONCE) {
            commit();
        }
    }

    private void commit() {
        try {
            stage.catalogue().commit(ready).forEach(stage::removeReplaced);
        } catch (StageException e) {
            // One of them is refused; the others get their paths.
            ready.forEach(this::commitAlone);
        }
        ready.clear();
    }

    private void commitAlone(StagedFile complete) {
        try {
            stage.catalogue().commit(List.of(complete)).forEach(stage::removeReplaced);
        } catch (StageException e) {
            reports.failed(TreePath.of(below(complete.path())), e);
            stage.catalogue().forget(List.of(complete.id()));
            stage.removeReplaced(complete);
        }
    }

    private byte[] below(ByteString path) {
        byte[] all = path.toBytes();
        int from = target.length() == 0 ? 0 : Math.min(all.length, target.length() + 1);
        return ByteString.of(all, from, all.length).toBytes();
    }

    /** Ends the work of this thread, when the walk is over. */
    void end() {
        if (!ready.isEmpty()) {
            commit();
        }
        stage.catalogue().forget(reserved.stream().map(StagedFile::id).toList());
        reserved.clear();
    }

    @Override
    public Boolean enter(WalkDirectory<Boolean> directory, WalkWorker<Boolean> worker) {
        return Boolean.TRUE;
    }

    @Override
    public boolean needsDirectoryStatus() {
        return false;
    }

    @Override
    public void failed(EntryFailure failure) {
        reports.failed(failure);
    }
}
