// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;
import static org.treehaul.core.fs.LinuxConstants.O_RDONLY;
import static org.treehaul.core.fs.LinuxConstants.O_TRUNC;
import static org.treehaul.core.fs.LinuxConstants.O_WRONLY;
import static org.treehaul.core.fs.LinuxConstants.SEEK_SET;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.SortedMap;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.WalkWorker;

/**
 * Copies regular files: the least sequence of calls for a small new one, whole temporaries for all others, chunks by
 * several threads for large ones. Used by one thread.
 */
final class FileCopier implements DataMover.StopSign {

    // Below this many missing bytes a file that takes less room than its size is not worth a search for holes: file
    // systems keep small files in the inode, and compress.
    private static final int LEAST_HOLE = 4096;

    private final CopyRun run;
    private final WalkWorker<TargetDirectory> worker;
    private final FileAccess access;
    private final MetadataWriter metadata;
    private final Placer placer;
    private final DataMover mover;
    private final Verifier verifier;
    private final ExistingTarget existing;
    private final FileFinisher finisher;
    private final CopyEnd end;

    FileCopier(CopyRun run, WalkWorker<TargetDirectory> worker, MetadataWriter metadata, Placer placer, CopyEnd end) {
        this.run = run;
        this.worker = worker;
        this.access = worker.access();
        this.metadata = metadata;
        this.placer = placer;
        this.mover = new DataMover(run, access, this);
        this.verifier = new Verifier(run, worker, mover);
        this.existing = new ExistingTarget(run.options());
        this.finisher = new FileFinisher(run, access, metadata, placer, existing, verifier, end);
        this.end = end;
    }

    FileFinisher finisher() {
        return finisher;
    }

    Placer placer() {
        return placer;
    }

    DataMover mover() {
        return mover;
    }

    Verifier verifier() {
        return verifier;
    }

    @Override
    public boolean isStopped() {
        return worker.isStopped();
    }

    @Override
    public void worked(long units) {
        worker.worked(units);
    }

    /** One attempt at a file, with what it has open. */
    record Attempt(CopyTask task, int source, FileStatus status, SortedMap<ByteString, ByteString> attributes,
            int targetDirectory, MemorySegment targetName, HardLinks.@Nullable Group group) {

        /** Returns the same with another descriptor and segment for the target's directory and name. */
        Attempt at(int directory, MemorySegment name) {
            return new Attempt(task, source, status, attributes, directory, name, group);
        }
    }

    /**
     * Opens a source.
     *
     * @return its descriptor
     * @throws ChangedException when it is no regular file any more
     */
    int open(CopyTask task, int directory, MemorySegment name) throws SystemCallException, ChangedException {
        int flags = O_RDONLY | O_NONBLOCK | (task.isFollowed() ? 0 : O_NOFOLLOW);
        int source = access.tryOpen(directory, name, flags, 0);
        if (source == -Errno.ELOOP || source == -Errno.ENXIO) {
            // A link, or a socket or FIFO, has taken its place.
            throw new ChangedException();
        }
        return FileAccess.check("open", source);
    }

    /**
     * Copies the data and metadata of an open source and gives the copy its name.
     *
     * @return false when a large file was handed to several threads, which close the source and tell the end themselves
     */
    boolean copy(Attempt attempt) throws SystemCallException, TargetException, ChangedException, WithdrawnException {
        FileStatus status = attempt.status();
        if (status.kind() != EntryKind.REGULAR) {
            throw new ChangedException();
        }
        if (run.options().attributesOnly()) {
            write(attempt, MemorySegment.NULL);
            return true;
        }
        boolean isSmall = status.size() < FileAccess.BUFFER_BYTES && !maySparse(status)
                && run.options().reflink() != CopyOptions.When.ALWAYS;
        if (isSmall) {
            MemorySegment data = readSmall(attempt.source(), status);
            if (data != null) {
                write(attempt, data);
                return true;
            }
        }
        return writeLarge(attempt);
    }

    private boolean maySparse(FileStatus status) {
        return switch (run.options().sparse()) {
            case AUTO -> status.size() - status.blocks() * 512 >= LEAST_HOLE;
            case ALWAYS -> status.size() >= LEAST_HOLE;
            case NEVER -> false;
        };
    }

    // Returns null for what tells no size but has data, as files in /proc do. A file that grew is seen, as the buffer is
    // larger than the file; one that shrank is seen too.
    private @Nullable MemorySegment readSmall(int source, FileStatus status)
            throws SystemCallException, ChangedException {
        MemorySegment buffer = access.buffer();
        run.limiter().acquire(status.size());
        long n = access.readSome(source, buffer);
        if (n != status.size() && n > 0) {
            if (status.size() == 0) {
                FileAccess.check("lseek", access.calls().lseek(source, 0, SEEK_SET));
                return null;
            }
            n += access.readFully(source, buffer.asSlice(n));
        }
        if (n != status.size()) {
            throw new ChangedException();
        }
        return buffer.asSlice(0, n);
    }

    // A small file, whole in memory.
    private void write(Attempt attempt, MemorySegment data) throws SystemCallException, TargetException {
        boolean keepsData = run.options().attributesOnly();
        Optional<Placement> made = Optional.empty();
        if (run.options().existing() == CopyOptions.Existing.REPLACE && !run.options().removeDestination()) {
            made = direct(attempt);
        }
        Placed placed;
        if (made.isPresent()) {
            placed = new Placed(made.get(), null);
        } else {
            Optional<Placed> opened = prepare(attempt, keepsData);
            if (opened.isEmpty()) {
                end.skipped(attempt);
                return;
            }
            placed = opened.get();
        }
        DataHash.Extents extents;
        try {
            extents = mover.hashWhole(keepsData ? MemorySegment.NULL : data);
            writeTarget(placed.placement().descriptor(), keepsData ? MemorySegment.NULL : data);
        } catch (TargetException e) {
            placer.discard(placed.placement(), attempt.targetDirectory(), attempt.targetName());
            throw e;
        }
        run.progress().bytesDone(data.byteSize());
        finisher.finish(attempt, placed, extents);
    }

    private Optional<Placement> direct(Attempt attempt) throws TargetException {
        int mode = metadata.creationMode(attempt.status(), attempt.task().target(), attempt.attributes());
        Placement placement = placer.direct(attempt.targetDirectory(), attempt.targetName(), mode);
        return placement.descriptor() < 0 ? Optional.empty() : Optional.of(placement);
    }

    private void writeTarget(int target, MemorySegment data) throws TargetException {
        try {
            access.writeFully(target, data);
        } catch (SystemCallException e) {
            throw new TargetException(e);
        }
    }

    /**
     * A file being written, and what it replaces or writes through to.
     *
     * @param existing the status of what stands under the final name, null for a new name
     */
    record Placed(Placement placement, @Nullable FileStatus existing) {}

    // Looks at what stands under the final name and opens what the data are to be written to. Empty when it is to be skipped.
    private Optional<Placed> prepare(Attempt attempt, boolean keepsData) throws SystemCallException, TargetException {
        CopyTask task = attempt.task();
        FileStatus there = finisher.statusOf(attempt.targetDirectory(), attempt.targetName());
        if (there != null) {
            switch (existing.decide(attempt.status(), there, task.path().isRoot())) {
                case SKIP -> {
                    return Optional.empty();
                }
                case THROUGH -> {
                    return Optional.of(new Placed(through(attempt, there, keepsData), there));
                }
                case REPLACE -> {
                    if (keepsData) {
                        return Optional.of(new Placed(through(attempt, there, true), there));
                    }
                    if (run.options().removeDestination()) {
                        TargetException.check("unlink",
                                access.calls().unlinkat(attempt.targetDirectory(), attempt.targetName(), 0));
                        there = null;
                    }
                }
            }
        }
        int mode = metadata.creationMode(attempt.status(), task.target(), attempt.attributes());
        return Optional.of(new Placed(placer.temporary(task.target(), attempt.targetDirectory(), mode), there));
    }

    private Placement through(Attempt attempt, FileStatus there, boolean keepsData) throws TargetException {
        int flags = O_WRONLY;
        if (there.kind() == EntryKind.REGULAR) {
            flags |= O_NOFOLLOW;
        }
        if (there.kind() == EntryKind.FIFO) {
            // Without a reader this is ENXIO, where cp would hang.
            flags |= O_NONBLOCK;
        } else if (!keepsData) {
            flags |= O_TRUNC;
        }
        int target = access.tryOpen(attempt.targetDirectory(), attempt.targetName(), flags, 0);
        return new Placement(Placement.Way.THROUGH, TargetException.check("open", target), ByteString.empty(), 0);
    }

    private boolean writeLarge(Attempt attempt)
            throws SystemCallException, TargetException, ChangedException, WithdrawnException {
        Optional<Placed> opened = prepare(attempt, false);
        if (opened.isEmpty()) {
            end.skipped(attempt);
            return true;
        }
        Placed placed = opened.get();
        Placement placement = placed.placement();
        DataHash.Extents extents;
        try {
            FileStatus status = attempt.status();
            boolean isChunked = placement.way() != Placement.Way.THROUGH && run.options().threads() != 1
                    && status.size() > run.options().chunkBytes();
            if (reflink(attempt, placement)) {
                extents = mover.hashSource(attempt.source(), status.size());
                run.progress().bytesDone(status.size());
            } else if (isChunked) {
                TargetException.check("ftruncate", access.calls().ftruncate(placement.descriptor(), status.size()));
                new ChunkedFile(run, attempt, placed, maySparse(status)).start(worker);
                return false;
            } else {
                extents = writeAll(attempt, placement);
            }
            finisher.checkUnchanged(attempt);
        } catch (SystemCallException | TargetException | ChangedException | WithdrawnException e) {
            placer.discard(placement, attempt.targetDirectory(), attempt.targetName());
            throw e;
        }
        finisher.finish(attempt, placed, extents);
        return true;
    }

    private DataHash.Extents writeAll(Attempt attempt, Placement placement)
            throws SystemCallException, TargetException, ChangedException, WithdrawnException {
        FileStatus status = attempt.status();
        if (status.size() == 0 || placement.way() == Placement.Way.THROUGH) {
            DataHash.Extents extents = new DataHash.Extents(0, status.size());
            mover.copyStream(attempt.source(), placement.descriptor(), extents);
            return extents;
        }
        boolean sparse = maySparse(status);
        DataHash.Extents extents = mover.copyRange(attempt.source(), placement.descriptor(), 0, status.size(), sparse);
        if (sparse) {
            TargetException.check("ftruncate", access.calls().ftruncate(placement.descriptor(), status.size()));
        }
        return extents;
    }

    private boolean reflink(Attempt attempt, Placement placement) throws TargetException {
        CopyOptions.When when = run.options().reflink();
        long from = attempt.status().device();
        long to = attempt.task().target().status().device();
        if (when == CopyOptions.When.NEVER || placement.way() == Placement.Way.THROUGH
                || when == CopyOptions.When.AUTO && run.options().sparse() != CopyOptions.When.AUTO
                || !run.fileSystems().mayHave(FileSystemPairs.Feature.REFLINK, from, to)) {
            return false;
        }
        int result = access.calls().ficlone(placement.descriptor(), attempt.source());
        if (result == 0) {
            return true;
        }
        if (when == CopyOptions.When.ALWAYS) {
            throw new TargetException("ficlone", -result);
        }
        run.fileSystems().lacks(FileSystemPairs.Feature.REFLINK, from, to);
        return false;
    }
}
