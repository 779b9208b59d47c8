// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.ProcessStatus;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.Cancellation;

/**
 * Does what is left of a transfer when all batches are copied: large files get their names, directories their metadata,
 * and what dead copies left is removed. All of it may be done again, wholly or in part, and ends the same.
 */
public final class TransferFinisher {

    private final FileSystemCalls calls;
    private final CopyOptions options;
    private final TemporaryNames temporaries;
    private @Nullable Integer umask;

    private TransferFinisher(FileSystemCalls calls, CopyOptions options, String transferId) {
        this.calls = calls;
        this.options = options;
        this.temporaries = TemporaryNames.ofTransfer(transferId);
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
                    finisher.finish(files.next());
                    trees.forget();
                }
            }
            return !stop.isCancelled();
        });
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
            return new DirectoryFinisher(run, trees, new Crew(calls, options.threads()), stop).finish(directories);
        });
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
        try (SyncPoints syncPoints = new SyncPoints(calls)) {
            BatchSettings settings = new BatchSettings(temporaries, umask, syncPoints, null);
            return run(calls, options, pairs, settings, listener, progress, cancellation, work);
        }
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
