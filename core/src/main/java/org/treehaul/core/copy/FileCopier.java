// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;
import static org.treehaul.core.fs.LinuxConstants.O_RDONLY;
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
 * Copies regular files: with the fewest calls for a small new file, through a temporary file for all others, in chunks
 * by several threads for large ones. Not safe for several threads.
 */
final class FileCopier implements DataMover.StopSign {

    // A file whose allocated size is smaller than its size by fewer bytes than this is not searched for holes: file
    // systems keep small files in the inode, and compress.
    private static final int LEAST_HOLE = 4096;

    private final CopyRun run;
    private final WalkWorker<TargetDirectory> worker;
    private final FileAccess access;
    private final Placer placer;
    private final DataMover mover;
    private final Verifier verifier;
    private final TargetOpener opener;
    private final FileFinisher finisher;
    private final CopyEnd end;

    FileCopier(CopyRun run, WalkWorker<TargetDirectory> worker, MetadataWriter metadata, Placer placer,
            NameCollisions collisions, CopyEnd end) {
        this.run = run;
        this.worker = worker;
        this.access = worker.access();
        this.placer = placer;
        this.mover = new DataMover(run, access, this);
        this.verifier = new Verifier(run, worker, mover);
        ExistingTarget existing = new ExistingTarget(run.options(), access);
        this.finisher = new FileFinisher(run, access, metadata, placer, existing, collisions, verifier, end);
        this.opener = new TargetOpener(run, access, metadata, placer, existing, collisions);
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

    /**
     * One attempt at a file, with its open descriptors.
     *
     * @param group the group of hard links that this name leads, or null
     * @param tries the number of the attempt, from 1
     */
    record Attempt(CopyTask task, int source, FileStatus status, SortedMap<ByteString, ByteString> attributes,
            int targetDirectory, MemorySegment targetName, HardLinks.@Nullable Group group, int tries) {

        /** Returns the same attempt with another descriptor and segment for the target's directory and name. */
        Attempt at(int directory, MemorySegment name) {
            return new Attempt(task, source, status, attributes, directory, name, group, tries);
        }
    }

    /**
     * Opens a source.
     *
     * @return its descriptor
     * @throws ChangedException if it is no longer a regular file
     */
    int open(CopyTask task, int directory, MemorySegment name) throws SystemCallException, ChangedException {
        // A FIFO that the user names is waited for, as in cp; an entry that has taken a file's place must not block the
        // thread.
        int wait = task.isStream() && task.kind() != EntryKind.REGULAR ? 0 : O_NONBLOCK;
        int flags = O_RDONLY | wait | (task.isFollowed() ? 0 : O_NOFOLLOW);
        int source = access.tryOpen(directory, name, flags, 0);
        if (source == -Errno.ELOOP || source == -Errno.ENXIO) {
            // A link, socket or FIFO has taken its place.
            throw new ChangedException();
        }
        return FileAccess.check("open", source);
    }

    /**
     * Copies the data and metadata of an open source and gives the copy its name.
     *
     * @return false if a large file was handed to several threads, which close the source and report the result
     *         themselves
     */
    boolean copy(Attempt attempt)
            throws SystemCallException, TargetException, ChangedException, CorruptException, WithdrawnException {
        FileStatus status = attempt.status();
        boolean isRegular = status.kind() == EntryKind.REGULAR;
        if (!isRegular && !(attempt.task().isStream() && status.kind() == attempt.task().kind())) {
            throw new ChangedException();
        }
        if (run.options().attributesOnly()) {
            write(attempt, MemorySegment.NULL);
            return true;
        }
        boolean isSmall = isRegular && status.size() < FileAccess.BUFFER_BYTES && !maySparse(status)
                && run.options().reflink() != CopyOptions.When.ALWAYS;
        if (isSmall) {
            MemorySegment data = readSmall(attempt);
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

    // Returns null for a source that reports size 0 but has data, like files in /proc. The buffer is larger than the
    // file, so growth is noticed; so is truncation.
    private @Nullable MemorySegment readSmall(Attempt attempt) throws SystemCallException, ChangedException {
        int source = attempt.source();
        FileStatus status = attempt.status();
        MemorySegment buffer = access.buffer();
        run.limiter().acquire(status.size(), this);
        long n = access.readSome(source, buffer);
        if (n != status.size() && n > 0) {
            if (status.size() == 0) {
                FileAccess.check("lseek", access.calls().lseek(source, 0, SEEK_SET));
                return null;
            }
            n += access.readFully(source, buffer.asSlice(n));
        }
        if (n < status.size()) {
            checkEndsBefore(attempt);
        } else if (n > status.size()) {
            throw new ChangedException();
        }
        return buffer.asSlice(0, n);
    }

    // Writes a small file whose data are all in memory.
    private void write(Attempt attempt, MemorySegment data)
            throws SystemCallException, TargetException, CorruptException {
        boolean keepsData = run.options().attributesOnly();
        Optional<Placed> made = opener.direct(attempt);
        if (made.isEmpty()) {
            made = opener.open(attempt, keepsData);
        }
        if (made.isEmpty()) {
            end.skipped(attempt);
            return;
        }
        Placed placed = made.get();
        DataHash.Extents extents;
        try {
            extents = mover.hashWhole(data);
            writeTarget(placed.placement().descriptor(), data);
        } catch (TargetException e) {
            placer.discard(placed.placement(), attempt.targetDirectory(), attempt.targetName());
            finisher.unstamp(attempt, placed);
            throw e;
        }
        run.progress().bytesDone(data.byteSize());
        finisher.finish(attempt, placed, extents);
    }

    private void writeTarget(int target, MemorySegment data) throws TargetException {
        try {
            access.writeFully(target, data);
        } catch (SystemCallException e) {
            throw new TargetException(e);
        }
    }

    /**
     * A file being written, and the file that it replaces or that is written through to.
     *
     * @param existing the status of the existing entry under the final name, or null for a new name; if the entry is a
     *        link that is written through, the status of its target
     * @param isThroughLink whether the entry is such a link
     */
    record Placed(Placement placement, @Nullable FileStatus existing, boolean isThroughLink) {}

    private boolean writeLarge(Attempt attempt)
            throws SystemCallException, TargetException, ChangedException, CorruptException, WithdrawnException {
        Optional<Placed> opened = opener.open(attempt, false);
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
                run.progress().bytesDone(shared(status));
            } else if (isChunked && SizeAhead.set(access, placement.descriptor(), status.size())) {
                new ChunkedFile(run, attempt, placed, maySparse(status), byKernel(attempt, placement)).start(worker,
                        !isLocal(attempt, placement));
                return false;
            } else {
                extents = writeAll(attempt, placed);
            }
            finisher.checkUnchanged(attempt);
        } catch (SystemCallException | TargetException | ChangedException | WithdrawnException e) {
            placer.discard(placement, attempt.targetDirectory(), attempt.targetName());
            finisher.unstamp(attempt, placed);
            throw e;
        }
        finisher.finish(attempt, placed, extents);
        return true;
    }

    private DataHash.Extents writeAll(Attempt attempt, Placed placed)
            throws SystemCallException, TargetException, ChangedException, WithdrawnException {
        FileStatus status = attempt.status();
        int target = placed.placement().descriptor();
        FileStatus there = placed.existing();
        boolean isThrough = placed.placement().way() == Placement.Way.THROUGH;
        if (status.size() == 0 || isThrough && there != null && there.kind() != EntryKind.REGULAR) {
            return mover.copyStream(attempt.source(), target);
        }
        // The size is set first: it creates the holes at the end, and writes that do not extend a file take ext4 half
        // the time.
        if (!SizeAhead.set(access, target, status.size())) {
            return mover.copyStream(attempt.source(), target);
        }
        // The target of a link may be on another kind of file system than the directory.
        boolean byKernel = !placed.isThroughLink() && byKernel(attempt, placed.placement());
        try {
            return mover.copyRange(attempt.source(), target, 0, status.size(), maySparse(status), byKernel);
        } catch (ChangedException e) {
            checkEndsBefore(attempt);
            TargetException.check("ftruncate", access.calls().ftruncate(target, 0));
            FileAccess.check("lseek", access.calls().lseek(attempt.source(), 0, SEEK_SET));
            return mover.copyStream(attempt.source(), target);
        }
    }

    // Files in /sys report a page as their size, but contain a line of text. A file with allocated blocks that ends too
    // early was truncated.
    private void checkEndsBefore(Attempt attempt) throws SystemCallException, ChangedException {
        if (attempt.status().blocks() > 0) {
            throw new ChangedException();
        }
        finisher.checkUnchanged(attempt);
    }

    // Data to be hashed, or searched for zeros, must be read by this process anyway; and the kernel may share data, or
    // leave holes.
    private boolean byKernel(Attempt attempt, Placement placement) {
        CopyOptions options = run.options();
        long device = attempt.status().device();
        return device == attempt.task().target().status().device() && mover.hash() == null
                && options.sparse() == CopyOptions.When.AUTO && options.reflink() != CopyOptions.When.NEVER
                && nature(device, placement.descriptor()) != FileSystemPairs.Nature.OTHER;
    }

    // If the source is remote, most of the time is spent waiting for it, and several threads shorten that.
    private boolean isLocal(Attempt attempt, Placement placement) {
        return nature(attempt.task().target().status().device(), placement.descriptor()) == FileSystemPairs.Nature.LOCAL
                && nature(attempt.status().device(), attempt.source()) == FileSystemPairs.Nature.LOCAL;
    }

    private FileSystemPairs.Nature nature(long device, int descriptor) {
        return run.fileSystems().nature(device, () -> access.fileSystemType(descriptor));
    }

    // Holes count no more than where the data are moved. A single unit of blocks may mean that they are not known yet.
    private long shared(FileStatus status) {
        boolean hasHoles = maySparse(status) && status.blocks() != 1;
        return hasHoles ? Math.min(status.size(), status.blocks() * 512) : status.size();
    }

    private boolean reflink(Attempt attempt, Placement placement) throws TargetException {
        CopyOptions.When when = run.options().reflink();
        long from = attempt.status().device();
        long to = attempt.task().target().status().device();
        boolean isThrough = placement.way() == Placement.Way.THROUGH;
        if (when == CopyOptions.When.NEVER
                || when == CopyOptions.When.AUTO && (isThrough || run.options().sparse() != CopyOptions.When.AUTO
                        || !run.fileSystems().mayHave(FileSystemPairs.Feature.REFLINK, from, to))) {
            return false;
        }
        int result = access.calls().ficlone(placement.descriptor(), attempt.source());
        if (result == 0) {
            return true;
        }
        if (when == CopyOptions.When.ALWAYS) {
            throw new TargetException("ficlone", -result);
        }
        if (FileSystemPairs.isLack(result)) {
            run.fileSystems().lacks(FileSystemPairs.Feature.REFLINK, from, to);
        }
        return false;
    }
}
