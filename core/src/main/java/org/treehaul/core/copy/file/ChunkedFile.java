// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.file;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.context.CopyContext;
import org.treehaul.core.copy.data.DataHash;
import org.treehaul.core.copy.data.DirectIo;
import org.treehaul.core.copy.data.WholeFile;
import org.treehaul.core.copy.failure.ChangedException;
import org.treehaul.core.copy.failure.CorruptException;
import org.treehaul.core.copy.failure.TargetException;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.target.TargetDirectory;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.LinuxConstants;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.storage.SourceFile;
import org.treehaul.core.storage.TargetFile;
import org.treehaul.core.walk.WalkWorker;

/**
 * A large file that several threads copy into one temporary file: each takes the next chunk until none is left. The
 * thread that ends last finishes the file: it verifies it if requested, checks whether the source has changed, and
 * renames it. Any error discards the whole file.
 *
 * <p>
 * The thread that found the file works on it until no chunk is left, and others help. Therefore at most as many large
 * files are open as there are threads, however many a directory contains.
 */
public final class ChunkedFile {

    // The most tasks per file, each of which does chunk after chunk: a file of 100 TB must not push a million tasks to
    // the frontier.
    private static final int MOST_TASKS = 64;

    // The data kept for each chunk take about 100 bytes, so that a sparse file of 8 EiB costs 6 MB. For larger numbers
    // of chunks, the chunks grow.
    private static final int MOST_CHUNKS = 1 << 16;

    private final CopyContext context;
    private final FileAttempt attempt;
    private final PlacedFile placed;
    private final DirectIo.Pair files;
    private final boolean sparse;
    private final boolean isOffloaded;
    private final long chunkBytes;
    private final int chunks;
    private final AtomicReferenceArray<DataHash.@Nullable Extents> copied;
    private final AtomicReference<@Nullable Exception> error = new AtomicReference<>();

    /** One pass over all chunks: the copy, or the verification. */
    private final class Pass {
        private final ChunkWork work;
        private final Step whenLast;
        private final AtomicLong next = new AtomicLong();
        private final AtomicInteger running = new AtomicInteger();
        private final AtomicBoolean over = new AtomicBoolean();

        Pass(ChunkWork work, Step whenLast) {
            this.work = work;
            this.whenLast = whenLast;
        }

        void start(FileWorker thread, boolean isHelped) {
            // Counted before other threads are asked, so that none of them can be the last before this thread has
            // begun.
            running.incrementAndGet();
            for (int i = 1; isHelped && i < Math.min(chunks, MOST_TASKS); i++) {
                thread.files().worker().fork(null, w -> join((FileWorker) w.handler()));
            }
            take(thread);
        }

        // A thread that joins after the end finds no chunk, and that the pass is over.
        private void join(FileWorker thread) {
            running.incrementAndGet();
            take(thread);
        }

        private void take(FileWorker thread) {
            thread.files().worker().busyWith(attempt.task().rootIndex(), attempt.task().path());
            try {
                long chunk = next.getAndIncrement();
                while (chunk < chunks && error.get() == null) {
                    long from = chunk * chunkBytes;
                    long to = Math.min(attempt.status().size() - from, chunkBytes) + from;
                    work.run(thread, (int) chunk, from, to);
                    chunk = next.getAndIncrement();
                }
            } catch (Exception e) {
                error.compareAndSet(null, e);
            }
            boolean isLast = running.decrementAndGet() == 0;
            if (isLast && over.compareAndSet(false, true)) {
                whenLast.run(thread);
            }
        }
    }

    private interface Step {
        void run(FileWorker thread);
    }

    private interface ChunkWork {
        void run(FileWorker thread, int chunk, long from, long to) throws Exception;
    }

    /**
     * Creates the copy of a file.
     *
     * @param files the source and the copy, which are closed at the end
     */
    ChunkedFile(CopyContext context, FileAttempt attempt, PlacedFile placed, DirectIo.Pair files, boolean sparse,
            boolean isOffloaded) {
        this.context = context;
        this.attempt = attempt;
        this.placed = placed;
        this.files = files;
        this.sparse = sparse;
        this.isOffloaded = isOffloaded;
        long size = attempt.status().size();
        this.chunkBytes = chunkBytes(size, context.options().chunkBytes());
        this.chunks = (int) Math.ceilDiv(size, chunkBytes);
        this.copied = new AtomicReferenceArray<>(chunks);
    }

    /**
     * Returns the size of the chunks of a file: the one that is wanted, or a larger one that keeps their number in
     * bounds.
     */
    public static long chunkBytes(long size, long wanted) {
        long least = Math.ceilDiv(size, MOST_CHUNKS);
        return least <= wanted ? wanted : Math.ceilDiv(least, FileAccess.BUFFER_BYTES) * FileAccess.BUFFER_BYTES;
    }

    /**
     * Copies the file. Holds the entry's directory until the end.
     *
     * @param isHelped whether idle threads may write to the file too
     */
    void start(WalkWorker<TargetDirectory> worker, boolean isHelped) {
        worker.hold(attempt.task().sourceDirectory());
        // Other threads should copy other files: a local file system lets only one thread at a time write to a file.
        worker.giveAwayRest();
        new Pass(this::copyChunk, this::copyDone).start((FileWorker) worker.handler(), isHelped);
    }

    private void copyChunk(FileWorker thread, int chunk, long from, long to) throws Exception {
        copied.set(chunk,
                thread.files().mover().copyRange(source(thread), target(thread), from, to, sparse, isOffloaded));
    }

    // Each thread uses its own access.
    private SourceFile source(FileWorker thread) {
        return files.source(thread.files().access());
    }

    private TargetFile target(FileWorker thread) {
        return files.target(thread.files().access());
    }

    private void copyDone(FileWorker thread) {
        boolean readsBack = context.options().verify() != CopyOptions.Verify.NONE && error.get() == null;
        if (!readsBack) {
            finish(thread);
            return;
        }
        try {
            int target = placed.placement().descriptor();
            TargetException.check("fsync", thread.files().access().calls().fsync(target));
            thread.files().access().calls().posixFadvise(target, 0, 0, LinuxConstants.POSIX_FADV_DONTNEED);
        } catch (TargetException e) {
            error.set(e);
            finish(thread);
            return;
        }
        // Several threads can read a file at once, even on local file systems.
        new Pass(this::verifyChunk, this::finish).start(thread, true);
    }

    private void verifyChunk(FileWorker thread, int chunk, long from, long to) throws Exception {
        thread.files().mover().verifier().verify(target(thread), Objects.requireNonNull(copied.get(chunk)));
    }

    // Called by the thread that ends last, so no other thread uses the file.
    private void finish(FileWorker thread) {
        Exception cause = error.get();
        try {
            if (cause == null) {
                WholeFile.checkUnchanged(source(thread), attempt.status());
                files.finish(thread.files().access());
            }
        } catch (SystemCallException | ChangedException | TargetException e) {
            cause = e;
        }
        files.close();
        if (cause == null) {
            cause = name(thread);
        } else {
            discard(thread);
        }
        thread.files().access().closeQuietly(attempt.source());
        try {
            if (cause != null) {
                thread.files().end().ended(attempt, new CopyEnd.Failed(cause));
            }
        } finally {
            thread.files().worker().release(attempt.task().sourceDirectory());
        }
    }

    private @Nullable Exception name(FileWorker thread) {
        int directory;
        try {
            directory = attempt.task().target().handle().acquire(thread.files().access());
        } catch (SystemCallException e) {
            discard(thread);
            return new TargetException(e);
        }
        try {
            FileAttempt here = attempt.at(directory, thread.targetName(attempt.task()));
            thread.files().finisher().finish(here, placed, DataHash.Extents.NONE);
            return null;
        } catch (TargetException | CorruptException e) {
            return e;
        } finally {
            attempt.task().target().handle().release();
        }
    }

    private void discard(FileWorker thread) {
        FileAccess access = thread.files().access();
        try {
            int directory = attempt.task().target().handle().acquire(access);
            try {
                thread.files().placer().discard(placed.placement(), directory, FileAccess.emptyName());
            } finally {
                attempt.task().target().handle().release();
            }
        } catch (SystemCallException e) {
            // The directory is gone or inaccessible: either its content is gone too, or a later run removes it.
            access.closeQuietly(placed.placement().descriptor());
        }
    }
}
