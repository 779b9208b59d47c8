// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FencedCalls;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.Cancellation;
import org.treehaul.core.walk.EntryFilter;
import org.treehaul.core.walk.PathSelection;

/**
 * Copies parts of a transfer, with all that {@link TreeCopier} promises of an entry: several processes copy a part
 * each, or one after the other tries the same part, at the same time too. Directories on the way are made private; they
 * get their metadata, and what dead copies left in them is removed, by {@link TransferFinisher} when all parts are
 * copied.
 *
 * <p>
 * It keeps the file systems it copied to open until it is closed. Its methods may be called by any number of threads.
 */
public final class BatchCopier implements AutoCloseable {

    private FileSystemCalls calls;
    private final CopyOptions options;
    private final TemporaryNames temporaries;
    private final SyncPoints syncPoints;
    private BooleanSupplier mayWrite = () -> true;
    private @Nullable Integer umask;
    private @Nullable RateLimiter limiter;

    private BatchCopier(FileSystemCalls calls, CopyOptions options, TemporaryNames temporaries) {
        this.calls = calls;
        this.options = options;
        this.temporaries = temporaries;
        this.syncPoints = new SyncPoints(calls);
    }

    /**
     * Returns a copier.
     *
     * @param options of the transfer; what they leave out of a tree was left out when it was planned
     * @param transferId by which its temporaries are known
     * @throws IllegalArgumentException when the options are of a dry run
     */
    public static BatchCopier of(FileSystemCalls calls, CopyOptions options, String transferId) {
        if (options.dryRun()) {
            throw new IllegalArgumentException("a part of a transfer is not rehearsed");
        }
        CopyOptions chosen = options.toBuilder().filter(EntryFilter.none()).oneFileSystem(false).build();
        return new BatchCopier(calls, chosen, TemporaryNames.ofTransfer(transferId));
    }

    /** Makes files as under this umask, that of who asked for the transfer, whatever the umask of this process. */
    public BatchCopier withUmask(int value) {
        umask = value;
        return this;
    }

    /** Moves data as this limiter allows, which others may share; without it, as the options say. */
    public BatchCopier withLimiter(RateLimiter shared) {
        limiter = shared;
        return this;
    }

    /**
     * Stops changing anything once another may do the same work: each call that would, but for the removal of
     * temporaries that only this one knows, fails with ECANCELED then. What is told as failed from then on says
     * nothing.
     *
     * @param allowed asked before each change, on any thread; once false, always false
     */
    public BatchCopier withFence(BooleanSupplier allowed) {
        mayWrite = allowed;
        calls = FencedCalls.over(calls, allowed, temporaries::isFromHere);
        return this;
    }

    /**
     * Copies entries alone and returns when all are done, or when the token was cancelled and what was in hand is
     * finished or withdrawn, or when the destination failed as a whole; the result is not complete then.
     *
     * <p>
     * Names of one file stay links of one file only where they are copied by one call. Where an entry is of another
     * kind than it was it is copied as it is, but a directory is not: that is a failure of the kind CHANGED.
     *
     * @param pairs the sources, each with {@linkplain PathSelection#ofEntries() a selection of entries alone}, and
     *        where they go; numbers are told with the position of the pair
     * @param outcomes told of each entry
     * @param listener hears failures and notices, on any thread
     * @param progress is counted up meanwhile
     * @throws IllegalArgumentException when a source has another selection, or none
     * @throws UncheckedIOException when /proc is not mounted
     */
    public CopyResult copy(List<CopyPair> pairs, EntryOutcomes outcomes, EventListener listener, Progress progress,
            Cancellation cancellation) {
        BatchSettings settings = new BatchSettings(temporaries, umask, syncPoints, new BatchLedger(outcomes, pairs),
                limiter, false);
        return TreeCopier.of(calls, options).copy(pairs, listener, progress, cancellation, settings);
    }

    /** Returns whether files may be copied in chunks under these options: not where they keep what stands there. */
    public static boolean mayChunk(CopyOptions options) {
        return !options.inPlace() && !options.attributesOnly() && options.reflink() != CopyOptions.When.ALWAYS
                && options.form() == CopyOptions.Form.COPY;
    }

    /**
     * Copies chunks of large files, each into the temporary that all who copy chunks of that version of the file share,
     * and syncs each before it is told. Returns as {@link #copy} does. A chunk may be copied again, also at once.
     *
     * @param pairs the sources and where they go, whatever is selected of them
     */
    public CopyResult copyChunks(List<CopyPair> pairs, List<BatchChunk> chunks, ChunkOutcomes outcomes,
            EventListener listener, Progress progress, Cancellation cancellation) {
        BatchSettings settings = new BatchSettings(temporaries, umask, syncPoints, null, limiter, false);
        return TransferFinisher.run(calls, options, pairs, settings, listener, progress, cancellation,
                (run, trees, stop) -> {
                    DataMover.StopSign sign = new ChunkStop(stop, mayWrite);
                    List<ChunkCopier.Work> work = new ArrayList<>(chunks.size());
                    try (FileAccess access = FileAccess.open(calls)) {
                        for (BatchChunk chunk : chunks) {
                            if (sign.isStopped()) {
                                return false;
                            }
                            FilePlace place = FilePlace.of(run, trees, access, chunk.root(), chunk.path());
                            work.add(new ChunkCopier.Work(chunk, place));
                        }
                    }
                    new Crew(calls, options.threads()).each(work, 2,
                            access -> new ChunkCopier(run, access, sign, outcomes)::copy);
                    return !sign.isStopped();
                });
    }

    private record ChunkStop(Cancellation stop, BooleanSupplier allowed) implements DataMover.StopSign {
        @Override
        public boolean isStopped() {
            return stop.isCancelled() || !mayWrite();
        }

        @Override
        public boolean mayWrite() {
            return allowed.getAsBoolean();
        }

        @Override
        public void worked(long units) {
            // The number of threads does not depend on it.
        }
    }

    /**
     * Writes what was copied, and everything else, to the disks of the file systems that were copied to. When it
     * throws, any entry that was done since the last call may be lost.
     */
    public void sync() throws SystemCallException {
        syncPoints.sync();
    }

    @Override
    public void close() {
        syncPoints.close();
    }
}
