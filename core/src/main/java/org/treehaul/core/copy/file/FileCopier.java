// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.file;

import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;
import static org.treehaul.core.fs.LinuxConstants.O_RDONLY;
import static org.treehaul.core.fs.LinuxConstants.SEEK_SET;

import java.lang.foreign.MemorySegment;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.context.CopyContext;
import org.treehaul.core.copy.data.CopyRules;
import org.treehaul.core.copy.data.DataHash;
import org.treehaul.core.copy.data.DataMover;
import org.treehaul.core.copy.data.FileSystemPairs;
import org.treehaul.core.copy.data.SizeAhead;
import org.treehaul.core.copy.data.StopSign;
import org.treehaul.core.copy.failure.ChangedException;
import org.treehaul.core.copy.failure.CorruptException;
import org.treehaul.core.copy.failure.TargetException;
import org.treehaul.core.copy.failure.WithdrawnException;
import org.treehaul.core.copy.metadata.MetadataWriter;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.target.CopyTask;
import org.treehaul.core.copy.target.Placement;
import org.treehaul.core.copy.target.Placer;
import org.treehaul.core.copy.target.TargetAccess;
import org.treehaul.core.copy.target.TargetDirectory;
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
public final class FileCopier implements StopSign {

    private final CopyContext context;
    private final WalkWorker<TargetDirectory> worker;
    private final FileAccess access;
    private final Placer placer;
    private final DataMover mover;
    private final CopyRules rules;
    private final Verifier verifier;
    private final TargetOpener opener;
    private final FileFinisher finisher;
    private final CopyEnd end;

    FileCopier(CopyContext context, WalkWorker<TargetDirectory> worker, TargetAccess target, MetadataWriter metadata,
            CopyEnd end) {
        this.context = context;
        this.worker = worker;
        this.access = worker.access();
        this.placer = target.placer();
        this.mover = context.mover(access, this);
        this.rules = context.rules(access);
        this.verifier = new Verifier(context, worker, mover);
        this.finisher = new FileFinisher(context.options(), target, metadata, verifier, end);
        this.opener = new TargetOpener(context.options(), target, metadata);
        this.end = end;
    }

    WalkWorker<TargetDirectory> worker() {
        return worker;
    }

    FileAccess access() {
        return access;
    }

    /** Returns the receiver of results. */
    CopyEnd end() {
        return end;
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

    public Verifier verifier() {
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
    boolean copy(FileAttempt attempt)
            throws SystemCallException, TargetException, ChangedException, CorruptException, WithdrawnException {
        FileStatus status = attempt.status();
        boolean isRegular = status.kind() == EntryKind.REGULAR;
        if (!isRegular && !(attempt.task().isStream() && status.kind() == attempt.task().kind())) {
            throw new ChangedException();
        }
        if (context.options().attributesOnly()) {
            write(attempt, MemorySegment.NULL);
            return true;
        }
        boolean isSmall = isRegular && status.size() < FileAccess.BUFFER_BYTES && !rules.maySparse(status)
                && context.options().reflink() != CopyOptions.When.ALWAYS;
        if (isSmall) {
            MemorySegment data = readSmall(attempt);
            if (data != null) {
                write(attempt, data);
                return true;
            }
        }
        return writeLarge(attempt);
    }

    // Returns null for a source that reports size 0 but has data, like files in /proc. The buffer is larger than the
    // file, so growth is noticed; so is truncation.
    private @Nullable MemorySegment readSmall(FileAttempt attempt) throws SystemCallException, ChangedException {
        int source = attempt.source();
        FileStatus status = attempt.status();
        MemorySegment buffer = access.buffer();
        context.limiter().acquire(status.size(), this);
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
    private void write(FileAttempt attempt, MemorySegment data)
            throws SystemCallException, TargetException, CorruptException {
        boolean keepsData = context.options().attributesOnly();
        Optional<PlacedFile> made = opener.direct(attempt);
        if (made.isEmpty()) {
            made = opener.open(attempt, keepsData);
        }
        if (made.isEmpty()) {
            end.skipped(attempt);
            return;
        }
        PlacedFile placed = made.get();
        DataHash.Extents extents;
        try {
            extents = mover.hashWhole(data);
            writeTarget(placed.placement().descriptor(), data);
        } catch (TargetException e) {
            placer.discard(placed.placement(), attempt.targetDirectory(), attempt.targetName());
            finisher.unstamp(attempt, placed);
            throw e;
        }
        context.progress().bytesDone(data.byteSize());
        finisher.finish(attempt, placed, extents);
    }

    private void writeTarget(int target, MemorySegment data) throws TargetException {
        try {
            access.writeFully(target, data);
        } catch (SystemCallException e) {
            throw new TargetException(e);
        }
    }

    private boolean writeLarge(FileAttempt attempt)
            throws SystemCallException, TargetException, ChangedException, CorruptException, WithdrawnException {
        Optional<PlacedFile> opened = opener.open(attempt, false);
        if (opened.isEmpty()) {
            end.skipped(attempt);
            return true;
        }
        PlacedFile placed = opened.get();
        Placement placement = placed.placement();
        DataHash.Extents extents;
        try {
            FileStatus status = attempt.status();
            boolean isChunked = placement.way() != Placement.Way.THROUGH && context.options().threads() != 1
                    && status.size() > context.options().chunkBytes();
            if (reflink(attempt, placement)) {
                extents = mover.hashSource(attempt.source(), status.size());
                context.progress().bytesDone(rules.dataBytes(status));
            } else if (isChunked && SizeAhead.set(access, placement.descriptor(), status.size())) {
                new ChunkedFile(context, attempt, placed, rules.maySparse(status), byKernel(attempt, placement))
                        .start(worker, !isLocal(attempt, placement));
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

    private DataHash.Extents writeAll(FileAttempt attempt, PlacedFile placed)
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
            return mover.copyRange(attempt.source(), target, 0, status.size(), rules.maySparse(status), byKernel);
        } catch (ChangedException e) {
            checkEndsBefore(attempt);
            TargetException.check("ftruncate", access.calls().ftruncate(target, 0));
            FileAccess.check("lseek", access.calls().lseek(attempt.source(), 0, SEEK_SET));
            return mover.copyStream(attempt.source(), target);
        }
    }

    // Files in /sys report a page as their size, but contain a line of text. A file with allocated blocks that ends too
    // early was truncated.
    private void checkEndsBefore(FileAttempt attempt) throws SystemCallException, ChangedException {
        if (attempt.status().blocks() > 0) {
            throw new ChangedException();
        }
        finisher.checkUnchanged(attempt);
    }

    // If the source is remote, most of the time is spent waiting for it, and several threads shorten that.
    private boolean isLocal(FileAttempt attempt, Placement placement) {
        return rules.isLocal(attempt.task().target().status().device(), placement.descriptor())
                && rules.isLocal(attempt.status().device(), attempt.source());
    }

    private boolean byKernel(FileAttempt attempt, Placement placement) {
        return rules.byKernel(attempt.status(), attempt.task().target().status().device(), placement.descriptor());
    }

    private boolean reflink(FileAttempt attempt, Placement placement) throws TargetException {
        CopyOptions.When when = context.options().reflink();
        long from = attempt.status().device();
        long to = attempt.task().target().status().device();
        boolean isThrough = placement.way() == Placement.Way.THROUGH;
        if (when == CopyOptions.When.NEVER
                || when == CopyOptions.When.AUTO && (isThrough || context.options().sparse() != CopyOptions.When.AUTO
                        || !context.fileSystems().mayHave(FileSystemPairs.Feature.REFLINK, from, to))) {
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
            context.fileSystems().lacks(FileSystemPairs.Feature.REFLINK, from, to);
        }
        return false;
    }
}
