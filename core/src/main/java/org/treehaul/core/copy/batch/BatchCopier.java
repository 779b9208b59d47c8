// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.batch;

import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.copy.TreeCopier;
import org.treehaul.core.copy.context.BatchSettings;
import org.treehaul.core.copy.data.CopyControl;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.outcome.BatchLedger;
import org.treehaul.core.copy.outcome.CopyResult;
import org.treehaul.core.copy.outcome.OutcomeListener;
import org.treehaul.core.copy.target.SyncPoints;
import org.treehaul.core.copy.target.TemporaryNames;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.event.RateLimiter;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LeaseCheckedCalls;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.threads.ParallelLoop;
import org.treehaul.core.walk.options.EntryFilter;
import org.treehaul.core.walk.options.SelectedEntries;

/**
 * Copies parts of a transfer, with the same guarantees for each entry as {@link TreeCopier}. Several processes may each
 * copy a part, or try the same part one after the other or at the same time. Directories on the way are created
 * private; {@link TransferFinisher} gives them their metadata, and removes leftovers of dead copies from them, after
 * all parts are copied.
 *
 * <p>
 * It keeps the file systems that it copied to open until it is closed. Safe for any number of threads.
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
     * @param options options of the transfer; their filter, conditions and one-file-system option are ignored here,
     *        because planning applied them
     * @param transferId identifies the transfer in the names of temporary files
     * @throws IllegalArgumentException for the options of a dry run
     */
    public static BatchCopier of(FileSystemCalls calls, CopyOptions options, String transferId) {
        if (options.dryRun()) {
            throw new IllegalArgumentException("a part of a transfer cannot be a dry run");
        }
        CopyOptions chosen = options.toBuilder()
                .filter(EntryFilter.none())
                .where(FileQuery.all())
                .oneFileSystem(false)
                .build();
        return new BatchCopier(calls, chosen, TemporaryNames.ofTransfer(transferId));
    }

    /**
     * Creates files under this umask, which is that of the user who requested the transfer, whatever the umask of this
     * process.
     */
    public BatchCopier withUmask(int value) {
        umask = value;
        return this;
    }

    /** Limits the data rate with this limiter, which others may share, instead of the rate in the options. */
    public BatchCopier withLimiter(RateLimiter shared) {
        limiter = shared;
        return this;
    }

    /**
     * Rejects all changes once another worker may be doing the same work: from then on each modifying call fails with
     * ECANCELED, except the removal of temporary files that only this copier knows. Failures reported after that are
     * not meaningful.
     *
     * @param allowed called before each change, on any thread; once false, always false
     */
    public BatchCopier withFence(BooleanSupplier allowed) {
        mayWrite = allowed;
        calls = LeaseCheckedCalls.over(calls, allowed, temporaries::isFromHere);
        return this;
    }

    /**
     * Copies selected entries. Returns when all are done or, after the token was cancelled, when the entries in
     * progress are finished or withdrawn, or when the destination fails as a whole; in the last two cases the result is
     * not complete.
     *
     * <p>
     * Names of one file stay links to one file only if one call copies them. An entry that has changed its kind is
     * copied as it is now, except a directory, which is a failure of the kind CHANGED.
     *
     * @param pairs the sources, each with {@link SelectedEntries}, and their targets; outcomes identify the pair by its
     *        position
     * @param outcomes receives the outcome of each entry
     * @param listener receives failures and notices, on any thread
     * @param progress counts the entries while the copy runs
     * @throws IllegalArgumentException if a source has another selection, or none
     * @throws UncheckedIOException if /proc is not mounted
     */
    public CopyResult copy(List<CopyPair> pairs, OutcomeListener outcomes, EventListener listener, Progress progress,
            Cancellation cancellation) {
        BatchSettings settings = new BatchSettings(temporaries, umask, syncPoints, new BatchLedger(outcomes, pairs),
                limiter, false);
        return TreeCopier.of(calls, options).copy(pairs, listener, progress, cancellation, settings);
    }

    /**
     * Returns whether files may be copied in chunks under these options: not in place, not with attributes only, not if
     * data must be shared with the source, and not if links are created.
     */
    public static boolean mayChunk(CopyOptions options) {
        return !options.inPlace() && !options.attributesOnly() && options.reflink() != CopyOptions.When.ALWAYS
                && options.form() == CopyOptions.Form.COPY;
    }

    /**
     * Copies chunks of large files. All workers write the chunks of one version of a file into a shared temporary file,
     * and sync each chunk before they report it. Returns under the same conditions as {@link #copy}. A chunk may be
     * copied several times, also at the same time.
     *
     * @param pairs the sources and their targets; selections are ignored
     */
    public CopyResult copyChunks(List<CopyPair> pairs, List<BatchChunk> chunks, OutcomeListener outcomes,
            EventListener listener, Progress progress, Cancellation cancellation) {
        BatchSettings settings = new BatchSettings(temporaries, umask, syncPoints, null, limiter, false);
        return TransferFinisher.run(calls, options, pairs, settings, listener, progress, cancellation,
                (context, trees, stop) -> {
                    CopyControl control = new ChunkStop(stop, mayWrite);
                    List<ChunkCopier.Work> work = new ArrayList<>(chunks.size());
                    Set<String> busy = ConcurrentHashMap.newKeySet();
                    progress.setBusy(() -> List.copyOf(busy));
                    try (FileAccess access = FileAccess.open(calls)) {
                        for (BatchChunk chunk : chunks) {
                            if (control.isStopped()) {
                                return false;
                            }
                            String shown = display(pairs, chunk);
                            busy.add(shown);
                            FilePlace place = FilePlace.toKeep(context, trees, access, chunk.root(), chunk.path());
                            busy.remove(shown);
                            work.add(new ChunkCopier.Work(chunk, place));
                        }
                    }
                    new ParallelLoop(calls, options.threads()).each(work, 2, access -> {
                        ChunkCopier copier = new ChunkCopier(context, access, control, outcomes);
                        return chunk -> {
                            String shown = display(pairs, chunk.chunk());
                            busy.add(shown);
                            copier.copy(chunk);
                            busy.remove(shown);
                        };
                    });
                    return !control.isStopped();
                });
    }

    private static String display(List<CopyPair> pairs, BatchChunk chunk) {
        return pairs.get(chunk.root()).sourcePath(chunk.path()) + " from byte " + chunk.from();
    }

    private record ChunkStop(Cancellation stop, BooleanSupplier allowed) implements CopyControl {
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
     * Syncs the file systems that were copied to. If this throws, all entries done since the last call may be lost.
     */
    public void sync() throws SystemCallException {
        syncPoints.sync();
    }

    @Override
    public void close() {
        syncPoints.close();
    }
}
