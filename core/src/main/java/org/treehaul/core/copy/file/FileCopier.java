// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.file;

import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;
import static org.treehaul.core.fs.LinuxConstants.O_RDONLY;

import java.lang.foreign.MemorySegment;
import java.util.Optional;

import org.treehaul.core.copy.context.CopyContext;
import org.treehaul.core.copy.data.CopyControl;
import org.treehaul.core.copy.data.CopyRules;
import org.treehaul.core.copy.data.DataHash;
import org.treehaul.core.copy.data.DataMover;
import org.treehaul.core.copy.data.DirectIo;
import org.treehaul.core.copy.data.SizeAhead;
import org.treehaul.core.copy.data.WholeFile;
import org.treehaul.core.copy.failure.ChangedException;
import org.treehaul.core.copy.failure.CorruptException;
import org.treehaul.core.copy.failure.TargetException;
import org.treehaul.core.copy.failure.WithdrawnException;
import org.treehaul.core.copy.metadata.MetadataWriter;
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
import org.treehaul.core.storage.PosixFile;
import org.treehaul.core.walk.WalkWorker;

/**
 * Copies regular files: with the fewest calls for a small new file, through a temporary file for all others, in chunks
 * by several threads for large ones. Not safe for several threads.
 */
public final class FileCopier implements CopyControl {

    private final CopyContext context;
    private final WalkWorker<TargetDirectory> worker;
    private final FileAccess access;
    private final Placer placer;
    private final WholeFile whole;
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
        this.whole = context.wholeFile(access, this);
        this.rules = context.rules(access);
        this.verifier = new Verifier(context, worker, whole.mover());
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
        return whole.mover();
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
        // As in cp, opening a FIFO that the user names waits for its writer; an entry that has taken a file's place
        // must not block the thread.
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
        PosixFile source = new PosixFile(access, attempt.source());
        if (whole.isSmall(status)) {
            MemorySegment data = whole.readSmall(source, status);
            if (data != null) {
                write(attempt, data);
                return true;
            }
        }
        return writeLarge(attempt, source);
    }

    // Writes a small file whose data are all in memory.
    private void write(FileAttempt attempt, MemorySegment data)
            throws SystemCallException, TargetException, ChangedException, CorruptException {
        boolean keepsData = context.options().attributesOnly();
        Optional<PlacedFile> made = opener.direct(attempt);
        if (made.isEmpty()) {
            made = opener.open(attempt, keepsData);
        }
        if (made.isEmpty()) {
            end.ended(attempt, new CopyEnd.Skipped());
            return;
        }
        PlacedFile placed = made.get();
        DataHash.Extents extents;
        try {
            extents = whole.writeSmall(new PosixFile(access, placed.placement().descriptor()), data);
        } catch (TargetException e) {
            placer.discard(placed.placement(), attempt.targetDirectory(), attempt.targetName());
            finisher.unstamp(attempt, placed);
            throw e;
        }
        context.progress().bytesDone(data.byteSize());
        finisher.finish(attempt, placed, extents);
    }

    private boolean writeLarge(FileAttempt attempt, PosixFile source)
            throws SystemCallException, TargetException, ChangedException, CorruptException, WithdrawnException {
        Optional<PlacedFile> opened = opener.open(attempt, false);
        if (opened.isEmpty()) {
            end.ended(attempt, new CopyEnd.Skipped());
            return true;
        }
        PlacedFile placed = opened.get();
        Placement placement = placed.placement();
        PosixFile target = new PosixFile(access, placement.descriptor());
        boolean isThrough = placement.way() == Placement.Way.THROUGH;
        DataHash.Extents extents;
        try {
            FileStatus status = attempt.status();
            boolean isChunked = !isThrough && context.options().threads() != 1
                    && status.size() > context.options().chunkBytes();
            extents = whole.share(source, status, target, attempt.task().target().status().device(), isThrough);
            if (extents == null && isChunked && SizeAhead.set(target, status.size())) {
                DirectIo.Pair files = context.direct().open(source, target, status.size());
                new ChunkedFile(context, attempt, placed, files, rules.maySparse(status),
                        !files.isDirect() && isOffloaded(attempt, placement))
                        .start(worker, !isLocal(attempt, placement));
                return false;
            }
            if (extents == null) {
                extents = copyData(attempt, source, placed, target);
            }
            WholeFile.checkUnchanged(source, status);
        } catch (SystemCallException | TargetException | ChangedException | WithdrawnException e) {
            placer.discard(placement, attempt.targetDirectory(), attempt.targetName());
            finisher.unstamp(attempt, placed);
            throw e;
        }
        finisher.finish(attempt, placed, extents);
        return true;
    }

    private DataHash.Extents copyData(FileAttempt attempt, PosixFile source, PlacedFile placed, PosixFile target)
            throws SystemCallException, TargetException, ChangedException, WithdrawnException {
        FileStatus there = placed.existing();
        boolean isStream = placed.placement().way() == Placement.Way.THROUGH && there != null
                && there.kind() != EntryKind.REGULAR;
        // The target of a link may be on another kind of file system than the directory.
        boolean isOffloaded = attempt.status().size() > 0 && !isStream && !placed.isThroughLink()
                && isOffloaded(attempt, placed.placement());
        try (DirectIo.Pair files = context.direct().open(source, target, isStream ? 0 : attempt.status().size())) {
            DataHash.Extents extents = whole.copy(files.source(access), attempt.status(), files.target(access),
                    isStream, isOffloaded && !files.isDirect());
            files.finish(access);
            return extents;
        }
    }

    // If the source is remote, most of the time is spent waiting for it, and several threads shorten that.
    private boolean isLocal(FileAttempt attempt, Placement placement) {
        return rules.isLocal(attempt.task().target().status().device(), placement.descriptor())
                && rules.isLocal(attempt.status().device(), attempt.source());
    }

    private boolean isOffloaded(FileAttempt attempt, Placement placement) {
        return rules.byKernel(attempt.status(), attempt.task().target().status().device(), placement.descriptor());
    }
}
