// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FencedCalls;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.ProcessStatus;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.Cancellation;
import org.treehaul.core.walk.EntryFilter;

/**
 * Does what is left of a transfer when all batches are copied: large files get their names, directories their metadata,
 * and what dead copies left is removed. All of it may be done again, wholly or in part, and ends the same.
 *
 * <p>
 * It keeps the file systems it wrote to open until it is closed. Its methods are called by one thread.
 */
public final class TransferFinisher implements AutoCloseable {

    private FileSystemCalls calls;
    private final CopyOptions options;
    private final TemporaryNames temporaries;
    private final SyncPoints syncPoints;
    private @Nullable Integer umask;
    private @Nullable RateLimiter limiter;

    private TransferFinisher(FileSystemCalls calls, CopyOptions options, String transferId) {
        this.calls = calls;
        this.options = options;
        this.temporaries = TemporaryNames.ofTransfer(transferId);
        this.syncPoints = new SyncPoints(calls);
    }

    /**
     * Returns a finisher.
     *
     * @param options of the transfer
     * @param transferId by which its temporaries are known
     */
    public static TransferFinisher of(FileSystemCalls calls, CopyOptions options, String transferId) {
        return new TransferFinisher(calls, options, transferId);
    }

    /** Makes directories as under this umask, that of who asked for the transfer, whatever that of this process. */
    public TransferFinisher withUmask(int value) {
        umask = value;
        return this;
    }

    /** Moves data as this limiter allows, which others may share; without it, as the options say. */
    public TransferFinisher withLimiter(RateLimiter shared) {
        limiter = shared;
        return this;
    }

    /** As {@link BatchCopier#withFence}. */
    public TransferFinisher withFence(BooleanSupplier mayWrite) {
        calls = FencedCalls.over(calls, mayWrite, temporaries::isFromHere);
        return this;
    }

    /**
     * Gives large files that were copied in chunks their metadata and names, and makes their further names.
     *
     * @param pairs the sources and where they go
     * @param files what was copied, one after the other
     * @return complete when no file is left
     */
    public CopyResult finishFiles(List<CopyPair> pairs, Iterator<ChunkedCopy> files, ChunkedOutcomes outcomes,
            EventListener listener, Progress progress, Cancellation cancellation) {
        return run(pairs, listener, progress, cancellation, (run, trees, stop) -> {
            Crew crew = new Crew(calls, options.threads());
            try (FileAccess access = FileAccess.open(calls)) {
                ChunkedFinisher finisher = new ChunkedFinisher(run, trees, access, crew, stopSign(stop), outcomes);
                while (files.hasNext() && !stop.isCancelled()) {
                    ChunkedCopy file = files.next();
                    List<ChunkedCopy.Name> left = finisher.finish(file);
                    trees.forget();
                    if (!left.isEmpty()) {
                        copyNames(pairs, new LeftNames(file, left, outcomes), listener, progress, stop);
                    }
                }
            }
            return !stop.isCancelled();
        });
    }

    private void copyNames(List<CopyPair> pairs, LeftNames left, EventListener listener, Progress progress,
            Cancellation stop) {
        List<CopyPair> chosen = left.select(pairs);
        TreeCopier.of(calls, options.toBuilder().filter(EntryFilter.none()).oneFileSystem(false).build())
                .copy(chosen, listener, progress, stop, new BatchSettings(temporaries, umask, syncPoints,
                        new BatchLedger(left, chosen), limiter, false));
    }

    /**
     * Copies trees that nobody has planned, with the metadata of their directories, as {@link TreeCopier} does.
     *
     * @param pairs the sources and where they go
     * @param asked the options, of which the filter is to be that of the transfer
     */
    public CopyResult copyTrees(List<CopyPair> pairs, CopyOptions asked, EventListener listener, Progress progress,
            Cancellation cancellation) {
        return TreeCopier.of(calls, asked)
                .copy(pairs, listener, progress, cancellation,
                        new BatchSettings(temporaries, umask, syncPoints, null, limiter, true));
    }

    private static DataMover.StopSign stopSign(Cancellation stop) {
        return new DataMover.StopSign() {
            @Override
            public boolean isStopped() {
                return stop.isCancelled();
            }

            @Override
            public void worked(long units) {
                // The number of threads does not depend on it.
            }
        };
    }

    /**
     * Makes the directories that are missing, removes dead temporaries from all, and gives them their metadata.
     *
     * @param pairs the sources and where they go
     * @param directories each after everything below it; taken in slices, so that few are in memory
     * @return complete when no directory is left
     */
    public CopyResult finishDirectories(List<CopyPair> pairs, Iterator<FinalDirectory> directories,
            EventListener listener, Progress progress, Cancellation cancellation) {
        return run(pairs, listener, progress, cancellation, (run, trees, stop) -> {
            try (FileAccess access = FileAccess.open(calls)) {
                sweepParents(run, access, pairs.size());
            }
            return new DirectoryFinisher(run, trees, new Crew(calls, options.threads()), stop, merged(pairs))
                    .finish(directories);
        });
    }

    /** Returns what the names of a transfer's temporaries begin with. */
    public static String temporaryPrefix(String transferId) {
        return TemporaryNames.ofTransfer(transferId).prefix();
    }

    // Those in whose copies others stand, or that have their target in common.
    private static BitSet merged(List<CopyPair> pairs) {
        TreeMap<ByteString, Integer> byPlace = new TreeMap<>();
        BitSet merged = new BitSet();
        for (int i = 0; i < pairs.size(); i++) {
            // With a slash at its end, and only then, all below a directory begins with it.
            ByteString place = UserPath.join(UserPath.withoutDot(pairs.get(i).target()), ByteString.of(""));
            Integer same = byPlace.putIfAbsent(place, i);
            if (same != null) {
                merged.set(same);
                merged.set(i);
            }
        }
        for (Map.Entry<ByteString, Integer> entry : byPlace.entrySet()) {
            ByteString next = byPlace.higherKey(entry.getKey());
            int length = entry.getKey().length();
            if (next != null && next.length() >= length
                    && Arrays.equals(next.toBytes(), 0, length, entry.getKey().toBytes(), 0, length)) {
                merged.set(entry.getValue());
            }
        }
        return merged;
    }

    /**
     * Removes dead temporaries of the transfer and does nothing else: it is given up.
     *
     * @param directories of the pairs, in any order; what is not there is passed over
     * @param listener hears what could not be swept
     * @return complete when no directory is left
     */
    public CopyResult sweep(List<CopyPair> pairs, Iterator<FinalDirectory> directories, EventListener listener,
            Cancellation cancellation) {
        return run(pairs, listener, new Progress(), cancellation, (run, trees, stop) -> {
            try (FileAccess access = FileAccess.open(calls)) {
                sweepParents(run, access, pairs.size());
                TemporarySweeper sweeper = new TemporarySweeper(run, access);
                while (directories.hasNext() && !stop.isCancelled()) {
                    FinalDirectory directory = directories.next();
                    trees.existing(directory.root(), directory.path()).ifPresent(sweeper::sweepIfThere);
                    trees.forget();
                }
            }
            return !stop.isCancelled();
        });
    }

    /**
     * Writes what was done, and everything else, to the disks of the file systems that were written to, wherever below
     * the targets they are mounted. When it throws, anything done since the last call may be lost.
     */
    public void sync() throws SystemCallException {
        syncPoints.sync();
    }

    @Override
    public void close() {
        syncPoints.close();
    }

    // A root that is no directory has left its temporaries in the directory that it was copied into.
    private static void sweepParents(CopyRun run, FileAccess access, int pairs) {
        TemporarySweeper sweeper = new TemporarySweeper(run, access);
        for (int i = 0; i < pairs; i++) {
            try {
                TargetDirectory parent = run.targetRoots().parent(i, access);
                if (run.targetRoots().isToSweep(parent)) {
                    sweeper.sweep(parent.handle());
                }
            } catch (SystemCallException e) {
                run.notice("temporaries may be left where '" + run.pair(i).target() + "' stands: " + e.getMessage());
            }
        }
    }

    /** What is done of a transfer, beside the copying of batches. */
    interface Work {
        boolean on(CopyRun run, TransferTrees trees, Cancellation stop);
    }

    private CopyResult run(List<CopyPair> pairs, EventListener listener, Progress progress, Cancellation cancellation,
            Work work) {
        BatchSettings settings = new BatchSettings(temporaries, umask, syncPoints, null, limiter, false);
        return run(calls, options, pairs, settings, listener, progress, cancellation, work);
    }

    static CopyResult run(FileSystemCalls calls, CopyOptions options, List<CopyPair> pairs, BatchSettings settings,
            EventListener listener, Progress progress, Cancellation cancellation, Work work) {
        Cancellation stop = Cancellation.of(cancellation);
        try (FileAccess access = FileAccess.open(calls);
                CopyRun run = new CopyRun(calls, options, pairs, ProcessStatus.read(), listener, progress, stop,
                        settings);
                TransferTrees trees = new TransferTrees(calls, run, access)) {
            return run.result(work.on(run, trees, stop));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
