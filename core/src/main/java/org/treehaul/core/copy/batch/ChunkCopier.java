// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.batch;

import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;
import static org.treehaul.core.fs.LinuxConstants.O_RDONLY;
import static org.treehaul.core.fs.LinuxConstants.POSIX_FADV_DONTNEED;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

import org.treehaul.core.copy.context.CopyContext;
import org.treehaul.core.copy.data.CopyControl;
import org.treehaul.core.copy.data.CopyRules;
import org.treehaul.core.copy.data.DataHash;
import org.treehaul.core.copy.data.DataMover;
import org.treehaul.core.copy.data.DirectIo;
import org.treehaul.core.copy.data.WholeFile;
import org.treehaul.core.copy.failure.ChangedException;
import org.treehaul.core.copy.failure.CorruptException;
import org.treehaul.core.copy.failure.RetryPolicy;
import org.treehaul.core.copy.failure.TargetException;
import org.treehaul.core.copy.failure.WithdrawnException;
import org.treehaul.core.copy.outcome.EntryOutcome;
import org.treehaul.core.copy.outcome.OutcomeListener;
import org.treehaul.core.copy.target.ExistingTarget;
import org.treehaul.core.copy.target.NameCollisions;
import org.treehaul.core.copy.target.SourceIdentity;
import org.treehaul.core.copy.target.TargetAccess;
import org.treehaul.core.copy.target.TargetDirectory;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.Directory;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.storage.PosixFile;
import org.treehaul.core.storage.StoredFile;

/**
 * Copies chunks of large files into temporary files that other workers copy chunks into as well. Not safe for several
 * threads.
 */
final class ChunkCopier {

    /** A chunk and the location of its file. */
    record Work(BatchChunk chunk, FilePlace place) {}

    private final CopyContext context;
    private final FileAccess access;
    private final CopyControl control;
    private final OutcomeListener outcomes;
    private final DataMover mover;
    private final CopyRules rules;
    private final SharedFile shared;
    private final ExistingTarget existing;
    private final NameCollisions collisions;
    private final MemorySegment targetName = Arena.ofAuto().allocate(4096);

    ChunkCopier(CopyContext context, FileAccess access, CopyControl control, OutcomeListener outcomes) {
        this.context = context;
        this.access = access;
        this.control = control;
        this.outcomes = outcomes;
        this.mover = context.mover(access, control);
        this.rules = context.rules(access);
        TargetAccess tools = context.targetAccess(access);
        this.shared = new SharedFile(context.process().effectiveUid(), access, tools.placer());
        this.existing = tools.existing();
        this.collisions = tools.collisions();
    }

    void copy(Work work) {
        BatchChunk chunk = work.chunk();
        long began = System.nanoTime();
        RetryPolicy.Failure failed = context.retries().run(0, tries -> copyOnce(work, began));
        if (failed != null && !(failed.cause() instanceof WithdrawnException)) {
            EntryFailure failure = context.failures().of(chunk.root(), chunk.path(), failed.cause());
            ended(chunk, new EntryOutcome.Failed(failure, failed.tries()));
            context.outcomes().failed(failure);
        }
    }

    private void copyOnce(Work work, long began)
            throws SystemCallException, TargetException, ChangedException, CorruptException, WithdrawnException {
        if (control.isStopped()) {
            throw new WithdrawnException();
        }
        FilePlace place = work.place();
        int source = place.openSource(context, access);
        try {
            FileStatus status = access.status(source);
            if (status.kind() != EntryKind.REGULAR) {
                throw ChangedException.ofKind();
            }
            TargetDirectory target = place.targetOrThrow();
            int directory = target.acquire(access);
            try {
                switch (decide(place, status, directory)) {
                    case SKIP -> {
                        checkKept(work, source, status, directory);
                        ended(work.chunk(), new EntryOutcome.Skipped());
                    }
                    // Finishing writes the whole file at once to the device or FIFO.
                    case THROUGH ->
                        ended(work.chunk(), new EntryOutcome.ChunkDone(SourceIdentity.of(status), ByteString.empty()));
                    case REPLACE -> copyInto(work, source, status, target, directory, began);
                }
            } finally {
                target.handle().release();
            }
        } finally {
            access.closeQuietly(source);
        }
    }

    private ExistingTarget.Decision decide(FilePlace place, FileStatus source, int directory) throws TargetException {
        MemorySegment name = FileAccess.put(targetName, place.targetName());
        FileStatus there = ExistingTarget.find(access, directory, name);
        if (there == null) {
            return ExistingTarget.Decision.REPLACE;
        }
        collisions.check(place.source(), place.targetOrThrow(), directory, place.targetName());
        return existing.decide(source, there, place.path().isRoot(), directory, name);
    }

    // Compares the chunk of a file that the options keep with the source, if data are verified and the file may be a
    // copy.
    private void checkKept(Work work, int source, FileStatus status, int directory)
            throws SystemCallException, TargetException, ChangedException, CorruptException, WithdrawnException {
        if (mover.hash() == null) {
            return;
        }
        MemorySegment name = FileAccess.put(targetName, work.place().targetName());
        int file = TargetException.check("open",
                access.tryOpen(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0));
        try {
            BatchChunk chunk = work.chunk();
            PosixFile kept = new PosixFile(access, file);
            if (!existing.mayBeCopy(status, status(kept), file, FileAccess.emptyName())) {
                if (chunk.from() == 0) {
                    context.outcomes().unverified();
                }
                return;
            }
            PosixFile from = new PosixFile(access, source);
            long to = chunk.isLast() ? status.size() : Math.min(chunk.to(), status.size());
            DataHash.Extents extents;
            try (DirectIo.Reading reading = context.direct().openToRead(from, status.size())) {
                extents = mover.verifier().hashSource(reading.file(access), Math.min(chunk.from(), to), to);
            }
            WholeFile.checkUnchanged(from, status);
            TargetException.check("fsync", access.calls().fsync(file));
            access.calls().posixFadvise(file, extents.from(), extents.to() - extents.from(), POSIX_FADV_DONTNEED);
            if (!isSame(kept, extents, status.size())) {
                throw CorruptException.ofKept(context.options().existing());
            }
        } finally {
            access.closeQuietly(file);
        }
    }

    private static FileStatus status(StoredFile file) throws TargetException {
        try {
            return file.status();
        } catch (SystemCallException e) {
            throw new TargetException(e);
        }
    }

    private boolean isSame(PosixFile kept, DataHash.Extents extents, long size)
            throws TargetException, WithdrawnException {
        try (DirectIo.Reading reading = context.direct().openToRead(kept, size)) {
            return mover.verifier().readsBack(reading.file(access), extents);
        } catch (SystemCallException e) {
            throw new TargetException(e);
        }
    }

    private void copyInto(Work work, int source, FileStatus status, TargetDirectory target, int directory, long began)
            throws SystemCallException, TargetException, ChangedException, CorruptException, WithdrawnException {
        BatchChunk chunk = work.chunk();
        SourceIdentity version = SourceIdentity.of(status);
        ByteString name = context.temporaries().shared(chunk.root(), chunk.path(), version);
        if (!control.mayWrite()) {
            throw new WithdrawnException();
        }
        int file;
        try {
            file = shared.open(target, directory, name, status);
        } catch (TargetException e) {
            if (!e.call().operation().equals(SharedFile.IN_ORDER)) {
                throw e;
            }
            // Finishing writes the whole file, in order.
            shared.remove(directory, name);
            ended(chunk, new EntryOutcome.ChunkDone(version, ByteString.empty()));
            return;
        }
        DataHash.Extents extents;
        try {
            // A file that has grown or shrunk since planning is copied in its current size.
            long to = chunk.isLast() ? status.size() : Math.min(chunk.to(), status.size());
            long from = Math.min(chunk.from(), to);
            extents = copyRange(source, file, status, target, from, to);
            if (!access.status(source).isUnchangedSince(status)) {
                throw new ChangedException();
            }
            TargetException.check("fsync", access.calls().fsync(file));
            // Syncs the name as well, whichever worker created it: data reported as synced must be found again.
            syncDirectory(directory);
            if (access.status(file).linkCount() == 0) {
                throw new TargetException("write in chunks", Errno.ESTALE);
            }
            outcomes.took(chunk.root(), chunk.number(), System.nanoTime() - began);
            if (mover.hash() != null) {
                // Drops the pages here, and not when the file is whole, so that all workers share the work.
                access.calls().posixFadvise(file, extents.from(), extents.to() - extents.from(), POSIX_FADV_DONTNEED);
                try (DirectIo.Reading reading = context.direct()
                        .openToRead(new PosixFile(access, file), status.size())) {
                    mover.verifier().verify(reading.file(access), extents);
                }
            }
        } catch (SystemCallException | TargetException | ChangedException | CorruptException | WithdrawnException e) {
            access.closeQuietly(file);
            throw e;
        }
        try {
            access.close(file);
        } catch (SystemCallException e) {
            throw new TargetException(e);
        }
        if (!control.mayWrite()) {
            throw new WithdrawnException();
        }
        context.outcomes().targetWorks();
        ended(chunk, new EntryOutcome.ChunkDone(version,
                mover.hash() == null ? ByteString.empty() : ByteString.of(extents.toBytes())));
    }

    private void syncDirectory(int directory) throws TargetException {
        try {
            Directory.sync(access, directory);
        } catch (SystemCallException e) {
            throw new TargetException(e);
        }
    }

    private DataHash.Extents copyRange(int source, int file, FileStatus status, TargetDirectory target, long from,
            long to) throws SystemCallException, TargetException, ChangedException, WithdrawnException {
        try (DirectIo.Pair files = context.direct()
                .open(new PosixFile(access, source), new PosixFile(access, file), status.size())) {
            DataHash.Extents extents = mover.copyRange(files.source(access), files.target(access), from, to,
                    rules.maySparse(status),
                    !files.isDirect() && rules.byKernel(status, target.status().device(), file));
            files.finish(access);
            return extents;
        }
    }

    private void ended(BatchChunk chunk, EntryOutcome outcome) {
        outcomes.ended(chunk.root(), chunk.number(), chunk.path(), outcome);
    }
}
