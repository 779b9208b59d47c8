// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.batch;

import static org.treehaul.core.fs.LinuxConstants.AT_REMOVEDIR;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.copy.TreeCopier;
import org.treehaul.core.copy.context.BatchSettings;
import org.treehaul.core.copy.context.CopyContext;
import org.treehaul.core.copy.data.CopyControl;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.options.UserPath;
import org.treehaul.core.copy.outcome.BatchLedger;
import org.treehaul.core.copy.outcome.CopyResult;
import org.treehaul.core.copy.target.SyncPoints;
import org.treehaul.core.copy.target.TargetDirectory;
import org.treehaul.core.copy.target.TemporaryNames;
import org.treehaul.core.copy.target.TemporarySweeper;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.event.RateLimiter;
import org.treehaul.core.fs.Directory;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LeaseCheckedCalls;
import org.treehaul.core.fs.ProcessStatus;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.threads.ParallelLoop;
import org.treehaul.core.walk.options.EntryFilter;

/**
 * Completes a transfer after all batches are copied: gives large files their names and directories their metadata, and
 * removes leftovers of dead copies. Each step may be repeated, wholly or in part, with the same result.
 *
 * <p>
 * It keeps the file systems it wrote to open until it is closed. Not safe for several threads.
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
     * @param options options of the transfer
     * @param transferId identifies the transfer in the names of temporary files
     */
    public static TransferFinisher of(FileSystemCalls calls, CopyOptions options, String transferId) {
        return new TransferFinisher(calls, options, transferId);
    }

    /**
     * Creates directories under this umask, which is that of the user who requested the transfer, whatever the umask of
     * this process.
     */
    public TransferFinisher withUmask(int value) {
        umask = value;
        return this;
    }

    /** Limits the data rate with this limiter, which others may share, instead of the rate in the options. */
    public TransferFinisher withLimiter(RateLimiter shared) {
        limiter = shared;
        return this;
    }

    /** Does the same as {@link BatchCopier#withFence}. */
    public TransferFinisher withFence(BooleanSupplier mayWrite) {
        calls = LeaseCheckedCalls.over(calls, mayWrite, temporaries::isFromHere);
        return this;
    }

    /**
     * Gives large files that were copied in chunks their metadata and names, and creates their further names.
     *
     * @param pairs the sources and their targets
     * @param files the copied files, one after the other
     * @return complete if no file is left
     */
    public CopyResult finishFiles(List<CopyPair> pairs, Iterator<ChunkedCopy> files, ChunkedOutcomes outcomes,
            EventListener listener, Progress progress, Cancellation cancellation) {
        return run(pairs, listener, progress, cancellation, (context, trees, stop) -> {
            ParallelLoop loop = new ParallelLoop(calls, options.threads());
            try (FileAccess access = FileAccess.open(calls)) {
                ChunkedFinisher finisher = new ChunkedFinisher(context, trees, access, loop, control(stop), outcomes);
                while (files.hasNext() && !stop.isCancelled()) {
                    PendingNames pending = finisher.finish(files.next());
                    if (!pending.isEmpty() && !copyNames(pairs, pending, listener, progress, stop)) {
                        return false;
                    }
                    pending.reportFile();
                    trees.forget();
                }
            }
            return !stop.isCancelled();
        });
    }

    // Returns false if the copy was cancelled or gave up: then some names have no outcome.
    private boolean copyNames(List<CopyPair> pairs, PendingNames pending, EventListener listener, Progress progress,
            Cancellation stop) {
        List<CopyPair> chosen = pending.select(pairs);
        CopyOptions all = options.toBuilder()
                .filter(EntryFilter.none())
                .where(FileQuery.all())
                .oneFileSystem(false)
                .build();
        return TreeCopier.of(calls, all)
                .copy(chosen, listener, progress, stop,
                        new BatchSettings(temporaries, umask, syncPoints, new BatchLedger(pending, chosen), limiter,
                                false, pending.hardLinks(), null))
                .isComplete();
    }

    /**
     * Copies trees that were not planned, including the metadata of their directories, like {@link TreeCopier}.
     *
     * @param pairs the sources and their targets
     * @param asked the options, with the filter and the conditions of the transfer
     */
    public CopyResult copyTrees(List<CopyPair> pairs, CopyOptions asked, EventListener listener, Progress progress,
            Cancellation cancellation) {
        return TreeCopier.of(calls, asked)
                .copy(pairs, listener, progress, cancellation,
                        new BatchSettings(temporaries, umask, syncPoints, null, limiter, true));
    }

    private static CopyControl control(Cancellation stop) {
        return new CopyControl() {
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
     * Creates missing directories, removes dead temporary files from all directories, and gives the directories their
     * metadata.
     *
     * @param pairs the sources and their targets
     * @param directories each after everything below it; taken in slices, so that few are in memory
     * @param done gets, on this thread, the number of directories of each slice, once all of them are done or have
     *        failed
     * @return complete if no directory is left
     */
    public CopyResult finishDirectories(List<CopyPair> pairs, Iterator<FinalDirectory> directories, IntConsumer done,
            EventListener listener, Progress progress, Cancellation cancellation) {
        return run(pairs, listener, progress, cancellation, (context, trees, stop) -> {
            try (FileAccess access = FileAccess.open(calls)) {
                sweepParents(context, access, pairs.size());
            }
            return new DirectoryFinisher(context, trees, new ParallelLoop(calls, options.threads()), stop,
                    merged(pairs)).finish(directories, done);
        });
    }

    /** Returns the common prefix of the names of a transfer's temporary files. */
    public static String temporaryPrefix(String transferId) {
        return TemporaryNames.ofTransfer(transferId).prefix();
    }

    // Returns the roots whose copies contain other copies, or that share their target with others.
    private static BitSet merged(List<CopyPair> pairs) {
        TreeMap<ByteString, Integer> byPlace = new TreeMap<>();
        BitSet merged = new BitSet();
        for (int i = 0; i < pairs.size(); i++) {
            // Everything below a directory begins with its path plus a slash, and nothing else does.
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
     * Removes dead temporary files of an abandoned transfer, and does nothing else.
     *
     * @param directories directories of the pairs, in any order; missing ones are skipped
     * @param listener receives the directories that could not be swept
     * @return complete if no directory is left
     */
    public CopyResult sweep(List<CopyPair> pairs, Iterator<FinalDirectory> directories, EventListener listener,
            Cancellation cancellation) {
        return run(pairs, listener, new Progress(), cancellation, (context, trees, stop) -> {
            try (FileAccess access = FileAccess.open(calls)) {
                sweepParents(context, access, pairs.size());
                TemporarySweeper sweeper = context.sweeper(access);
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
     * Removes directories at the target that are empty, because something else takes their place; others stay.
     *
     * @param pairs the sources and their targets
     * @param directories each after everything below it
     */
    public CopyResult removeEmpty(List<CopyPair> pairs, Iterator<FinalDirectory> directories, EventListener listener,
            Cancellation cancellation) {
        return run(pairs, listener, new Progress(), cancellation, (context, trees, stop) -> {
            try (FileAccess access = FileAccess.open(calls)) {
                while (directories.hasNext() && !stop.isCancelled()) {
                    FinalDirectory directory = directories.next();
                    if (directory.path().isRoot()) {
                        removeEmptyRoot(context, access, directory.root());
                    } else {
                        trees.existing(directory.root(), directory.path().parent())
                                .ifPresent(parent -> removeEmpty(access, parent, directory.path().nameBytes()));
                    }
                    trees.forget();
                }
            }
            return !stop.isCancelled();
        });
    }

    private static void removeEmptyRoot(CopyContext context, FileAccess access, int root) {
        try {
            removeEmpty(access, context.targetRoots().parent(root, access).handle(),
                    context.targetRoots().name(root).toBytes());
        } catch (SystemCallException e) {
            // The copy that follows says what is wrong there.
        }
    }

    private static void removeEmpty(FileAccess access, Directory parent, byte[] name) {
        try {
            int descriptor = parent.acquire(access);
            try {
                access.calls().unlinkat(descriptor, access.name(name), AT_REMOVEDIR);
            } finally {
                parent.release();
            }
        } catch (SystemCallException e) {
            // The copy that follows says what is wrong there.
        }
    }

    /**
     * Syncs the file systems that were written to, wherever they are mounted below the targets. If this throws, all
     * work done since the last call may be lost.
     */
    public void sync() throws SystemCallException {
        syncPoints.sync();
    }

    @Override
    public void close() {
        syncPoints.close();
    }

    // A root that is not a directory has its temporary files in the directory into which it was copied.
    private static void sweepParents(CopyContext context, FileAccess access, int pairs) {
        TemporarySweeper sweeper = context.sweeper(access);
        for (int i = 0; i < pairs; i++) {
            try {
                TargetDirectory parent = context.targetRoots().parent(i, access);
                if (context.targetRoots().isToSweep(parent)) {
                    sweeper.sweep(parent.handle());
                }
            } catch (SystemCallException e) {
                context.outcomes()
                        .notice("temporary files may be left where '" + context.pair(i).target() + "' is: "
                                + e.getMessage());
            }
        }
    }

    /** A step of a transfer besides copying batches. */
    interface Work {
        boolean on(CopyContext context, TransferTrees trees, Cancellation stop);
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
                CopyContext context = new CopyContext(calls, options, pairs, ProcessStatus.read(), listener, progress,
                        stop, settings);
                TransferTrees trees = new TransferTrees(calls, context, access)) {
            return context.outcomes().result(work.on(context, trees, stop));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
