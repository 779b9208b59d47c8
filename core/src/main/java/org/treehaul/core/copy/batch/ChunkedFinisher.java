// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.batch;

import static org.treehaul.core.fs.LinuxConstants.F_RDLCK;
import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.context.CopyContext;
import org.treehaul.core.copy.data.CopyControl;
import org.treehaul.core.copy.data.DataHash;
import org.treehaul.core.copy.failure.ChangedException;
import org.treehaul.core.copy.failure.CorruptException;
import org.treehaul.core.copy.failure.RetryPolicy;
import org.treehaul.core.copy.failure.TargetException;
import org.treehaul.core.copy.failure.WithdrawnException;
import org.treehaul.core.copy.file.CopyEnd;
import org.treehaul.core.copy.file.FileAttempt;
import org.treehaul.core.copy.file.FileFinisher;
import org.treehaul.core.copy.file.PlacedFile;
import org.treehaul.core.copy.links.HardLinks;
import org.treehaul.core.copy.metadata.MetadataWriter;
import org.treehaul.core.copy.outcome.EntryOutcome;
import org.treehaul.core.copy.target.CopyTask;
import org.treehaul.core.copy.target.ExistingTarget;
import org.treehaul.core.copy.target.NameCollisions;
import org.treehaul.core.copy.target.Placement;
import org.treehaul.core.copy.target.SourceIdentity;
import org.treehaul.core.copy.target.TargetAccess;
import org.treehaul.core.copy.target.TargetDirectory;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.threads.ParallelLoop;

/** Gives large files whose chunks are all copied their metadata and names. Not safe for several threads. */
final class ChunkedFinisher {

    private final CopyContext context;
    private final TransferTrees trees;
    private final FileAccess access;
    private final ChunkedOutcomes outcomes;
    private final MetadataWriter metadata;
    private final SharedFile shared;
    private final ExistingTarget existing;
    private final NameCollisions collisions;
    private final FileFinisher finisher;
    private final ChunkVerifier verifier;
    private final OwnChanges ownChanges = new OwnChanges();
    private final MemorySegment targetName = Arena.ofAuto().allocate(4096);

    // The last result of the file finisher.
    private CopyEnd.@Nullable Result result;

    ChunkedFinisher(CopyContext context, TransferTrees trees, FileAccess access, ParallelLoop loop, CopyControl control,
            ChunkedOutcomes outcomes) {
        this.context = context;
        this.trees = trees;
        this.access = access;
        this.outcomes = outcomes;
        this.metadata = new MetadataWriter(context.metadata(), access);
        TargetAccess tools = context.targetAccess(access);
        this.shared = new SharedFile(context.process().effectiveUid(), access, tools.placer());
        this.existing = tools.existing();
        this.collisions = tools.collisions();
        this.finisher = new FileFinisher(context.options(), tools, metadata, null, (attempt, ended) -> result = ended);
        this.verifier = new ChunkVerifier(context, access, loop, control);
    }

    /** The current file, with open descriptors. */
    private record Open(ChunkedCopy file, FilePlace place, SourceIdentity version, int source, FileStatus status,
            int directory, int tries) {}

    /**
     * Finishes a file.
     *
     * @return names of it that must be copied together like any other file: the further ones, and all if the target is
     *         a device or FIFO to write to
     */
    PendingNames finish(ChunkedCopy file) {
        if (file.chunks().isEmpty()) {
            return PendingNames.all(file, outcomes);
        }
        result = null;
        AtomicReference<@Nullable PendingNames> pending = new AtomicReference<>();
        // A retry cannot help if the source has changed, because the chunks are those of the old version, nor after an
        // error of metadata, because the file already has its name.
        RetryPolicy.Failure failed = context.retries()
                .run(0, tries -> pending.set(finishOnce(file, tries)),
                        cause -> !(cause instanceof ChangedException) && !(result instanceof CopyEnd.Incomplete));
        if (failed == null) {
            return Objects.requireNonNull(pending.get());
        }
        if (failed.cause() instanceof WithdrawnException) {
            return PendingNames.none(file, outcomes);
        }
        discard(file);
        EntryFailure failure = context.failures().of(file.root(), file.path(), failed.cause());
        outcomes.ended(file, new EntryOutcome.Failed(failure, failed.tries()));
        context.outcomes().failed(failure);
        // The error of one name need not apply to the next, as with any file that has several names.
        return PendingNames.further(file, outcomes);
    }

    private PendingNames finishOnce(ChunkedCopy file, int tries)
            throws SystemCallException, TargetException, ChangedException, CorruptException, WithdrawnException {
        FilePlace place = FilePlace.of(context, trees, access, file.root(), file.path());
        SourceIdentity version = version(file.chunks());
        int source = place.openSource(context, access);
        try {
            FileStatus status = access.status(source);
            boolean isSame = status.kind() == EntryKind.REGULAR && ownChanges.isUnchanged(version, status);
            if (!isSame) {
                throw new ChangedException();
            }
            TargetDirectory target = place.targetOrThrow();
            int directory = target.acquire(access);
            try {
                return finishOpen(new Open(file, place, version, source, status, directory, tries));
            } finally {
                target.handle().release();
            }
        } finally {
            access.closeQuietly(source);
        }
    }

    private static SourceIdentity version(List<ChunkedCopy.Chunk> chunks) throws ChangedException {
        SourceIdentity version = chunks.getFirst().source();
        long at = 0;
        for (ChunkedCopy.Chunk chunk : chunks) {
            if (chunk.from() != at) {
                throw new IllegalArgumentException("no chunk begins at " + at);
            }
            if (!chunk.source().isSameVersion(version)) {
                throw new ChangedException();
            }
            at = chunk.to();
        }
        return version;
    }

    private PendingNames finishOpen(Open open)
            throws SystemCallException, TargetException, ChangedException, CorruptException, WithdrawnException {
        CopyTask task = open.place().task();
        SortedMap<ByteString, ByteString> attributes = metadata.attributesOf(open.source(), open.status());
        MemorySegment name = FileAccess.put(targetName, open.place().targetName());
        ByteString temporary = temporary(open.file(), open.version());
        FileStatus there = ExistingTarget.find(access, open.directory(), name);
        if (there != null && isWrittenThrough(open, task, there, name)) {
            shared.remove(open.directory(), temporary);
            return PendingNames.all(open.file(), outcomes);
        }
        int file = shared.openExisting(task.target(), open.directory(), temporary, open.status().uid());
        if (file == -Errno.ENOENT) {
            // First: then no worker has written a chunk, and a file that is there is the old one.
            if (!shared.isPossible(task.target(), open.directory())) {
                return PendingNames.all(open.file(), outcomes);
            }
            if (there != null && isCopyOf(open, there, name)) {
                return done(open, there);
            }
        }
        TargetException.check("open", file);
        try {
            access.calls().ofdLock(file, F_RDLCK);
            if (access.status(file).size() != open.version().size()) {
                throw new CorruptException();
            }
            if (there != null && !isToReplace(open, task, there, name)) {
                access.closeQuietly(file);
                shared.remove(open.directory(), temporary);
                return skip(open.file());
            }
        } catch (SystemCallException e) {
            access.closeQuietly(file);
            throw new TargetException(e);
        } catch (TargetException | CorruptException e) {
            access.closeQuietly(file);
            throw e;
        }
        FileStatus replaced = context.options().removeDestination() ? null : there;
        FileAttempt attempt = new FileAttempt(task, open.source(), open.status(), attributes, open.directory(), name,
                null, open.tries(), System.nanoTime());
        try {
            finisher.finish(attempt,
                    new PlacedFile(new Placement(Placement.Way.SHARED, file, temporary, 0600), replaced, false),
                    DataHash.Extents.NONE);
        } finally {
            if (there != null && there.isSameFile(open.status())) {
                recordOwnChange(open);
            }
        }
        return switch (Objects.requireNonNull(result)) {
            case CopyEnd.Copied copied -> done(open, Objects.requireNonNull(copied.made()));
            case CopyEnd.Incomplete incomplete -> throw new TargetException(incomplete.problem());
            case CopyEnd.Skipped skipped -> {
                shared.remove(open.directory(), temporary);
                yield skip(open.file());
            }
            case CopyEnd.Failed failed -> throw new IllegalStateException("reported by exceptions", failed.cause());
        };
    }

    private void recordOwnChange(Open open) {
        try {
            ownChanges.record(open.status(), access.status(open.source()));
        } catch (SystemCallException e) {
            // Other names of the source are reported as changed.
        }
    }

    // The options apply to each further name as to any other file.
    private PendingNames skip(ChunkedCopy file) {
        if (!file.links().isEmpty()) {
            return PendingNames.all(file, outcomes);
        }
        outcomes.ended(file, new EntryOutcome.Skipped());
        context.progress().entrySkipped();
        return PendingNames.none(file, outcomes);
    }

    private boolean isWrittenThrough(Open open, CopyTask task, FileStatus there, MemorySegment name)
            throws TargetException {
        return there.kind() != EntryKind.REGULAR && existing.decide(open.status(), there, task.path().isRoot(),
                open.directory(), name) == ExistingTarget.Decision.THROUGH;
    }

    private boolean isToReplace(Open open, CopyTask task, FileStatus there, MemorySegment name) throws TargetException {
        collisions.check(task.besides(), task.target(), open.directory(), task.targetName());
        return switch (existing.decide(open.status(), there, task.path().isRoot(), open.directory(), name)) {
            case SKIP -> false;
            case THROUGH -> throw new TargetException("write in chunks", Errno.EEXIST);
            case REPLACE -> {
                if (context.options().removeDestination()) {
                    TargetException.checkTaken("unlink", access.calls().unlinkat(open.directory(), name, 0));
                }
                yield true;
            }
        };
    }

    // An earlier finisher may have finished the file without having reported it.
    private boolean isCopyOf(Open open, FileStatus there, MemorySegment name)
            throws SystemCallException, TargetException, CorruptException, WithdrawnException {
        if (!existing.mayBeCopy(open.status(), there, open.directory(), name)) {
            return false;
        }
        int file = access.tryOpen(open.directory(), name, O_NOFOLLOW | O_NONBLOCK, 0);
        TargetException.check("open", file);
        try {
            return verifier.isCopy(open.file(), open.source(), file);
        } finally {
            access.closeQuietly(file);
        }
    }

    private ByteString temporary(ChunkedCopy file, SourceIdentity version) {
        return context.temporaries().shared(file.root(), file.path(), version);
    }

    private void discard(ChunkedCopy file) {
        TargetDirectory target = FilePlace.of(context, trees, access, file.root(), file.path()).target();
        if (target == null) {
            return;
        }
        Set<ByteString> names = new HashSet<>();
        for (ChunkedCopy.Chunk chunk : file.chunks()) {
            names.add(temporary(file, chunk.source()));
        }
        try {
            int directory = target.handle().acquire(access);
            try {
                names.forEach(name -> shared.remove(directory, name));
            } finally {
                target.handle().release();
            }
        } catch (SystemCallException e) {
            // The directory is gone or inaccessible: either its content is gone too, or the sweep removes it.
        }
    }

    private PendingNames done(Open open, FileStatus status) throws TargetException {
        context.progress().fileDone();
        context.outcomes().done("copy", open.file().root(), open.file().path());
        HardLinks.Place copy = HardLinks.Place.of(open.place().targetOrThrow(), open.place().targetName(), status);
        return PendingNames.linksTo(copy, open.file(), open.status(), outcomes);
    }
}
