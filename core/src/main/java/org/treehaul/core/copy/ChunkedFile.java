// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.fs.LinuxConstants;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.WalkWorker;

/**
 * A large file that several threads copy into one temporary, each taking the next chunk until there is none. The thread
 * that ends last finishes the file: it reads it back when that is wanted, looks whether the source changed, and gives
 * it its name. Any error discards the whole file.
 */
final class ChunkedFile {

    // A file of 100 TB need not put a million tasks on the frontier: this many at most, each doing chunk after chunk.
    private static final int MOST_TASKS = 64;

    private final CopyRun run;
    private final FileCopier.Attempt attempt;
    private final FileCopier.Placed placed;
    private final boolean sparse;
    private final long chunkBytes;
    private final int chunks;
    private final AtomicReferenceArray<DataHash.@Nullable Extents> copied;
    private final AtomicLong next = new AtomicLong();
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicReference<@Nullable Exception> error = new AtomicReference<>();

    ChunkedFile(CopyRun run, FileCopier.Attempt attempt, FileCopier.Placed placed, boolean sparse) {
        this.run = run;
        this.attempt = attempt;
        this.placed = placed;
        this.sparse = sparse;
        this.chunkBytes = run.options().chunkBytes();
        this.chunks = Math.toIntExact(Math.ceilDiv(attempt.status().size(), chunkBytes));
        this.copied = new AtomicReferenceArray<>(chunks);
    }

    /** Puts the copy on the frontier. The entry's directory is held until the end. */
    void start(WalkWorker<TargetDirectory> worker) {
        worker.hold(attempt.task().sourceDirectory());
        fork(worker, this::copyChunks);
    }

    private void fork(WalkWorker<TargetDirectory> worker, Step step) {
        int tasks = Math.min(chunks, MOST_TASKS);
        next.set(0);
        running.set(tasks);
        for (int i = 0; i < tasks; i++) {
            worker.fork(null, w -> step.run((CopyHandler) w.handler()));
        }
    }

    private interface Step {
        void run(CopyHandler handler);
    }

    private interface ChunkWork {
        void run(int chunk, long from, long to) throws Exception;
    }

    private void copyChunks(CopyHandler handler) {
        DataMover mover = handler.files().mover();
        forEachChunk(handler, (chunk, from, to) -> {
            copied.set(chunk, mover.copyRange(attempt.source(), placed.placement().descriptor(), from, to, sparse));
        }, this::copyDone);
    }

    private void copyDone(CopyHandler handler) {
        boolean readsBack = run.options().verify() != CopyOptions.Verify.NONE && error.get() == null;
        if (!readsBack) {
            finish(handler);
            return;
        }
        try {
            int target = placed.placement().descriptor();
            TargetException.check("fsync", handler.access().calls().fsync(target));
            handler.access().calls().posixFadvise(target, 0, 0, LinuxConstants.POSIX_FADV_DONTNEED);
            fork(handler.worker(), this::verifyChunks);
        } catch (TargetException e) {
            error.set(e);
            finish(handler);
        }
    }

    private void verifyChunks(CopyHandler handler) {
        DataMover mover = handler.files().mover();
        forEachChunk(handler, (chunk, from, to) -> {
            DataHash.Extents extents = copied.get(chunk);
            boolean same;
            try {
                same = extents != null && mover.readsBack(placed.placement().descriptor(), extents);
            } catch (SystemCallException e) {
                throw new TargetException(e);
            }
            if (!same) {
                throw new CorruptException();
            }
        }, this::finish);
    }

    private void forEachChunk(CopyHandler handler, ChunkWork work, Step whenLast) {
        handler.worker().busyWith(attempt.task().rootIndex(), attempt.task().path());
        try {
            long chunk = next.getAndIncrement();
            while (chunk < chunks && error.get() == null) {
                long from = chunk * chunkBytes;
                work.run((int) chunk, from, Math.min(attempt.status().size(), from + chunkBytes));
                chunk = next.getAndIncrement();
            }
        } catch (Exception e) {
            error.compareAndSet(null, e);
        }
        if (running.decrementAndGet() == 0) {
            whenLast.run(handler);
        }
    }

    // The thread that ends last has the file for itself.
    private void finish(CopyHandler handler) {
        Exception cause = error.get();
        boolean isOpen = true;
        try {
            int directory = attempt.task().target().handle().acquire(handler.access());
            FileCopier.Attempt here = attempt.at(directory, handler.targetName(attempt.task()));
            try {
                if (cause == null) {
                    handler.files().finisher().checkUnchanged(here);
                    isOpen = false;
                    handler.files().finisher().finish(here, placed, new DataHash.Extents(0, 0));
                }
            } catch (SystemCallException | TargetException | ChangedException e) {
                cause = e;
            }
            if (cause != null) {
                if (isOpen) {
                    handler.files().placer().discard(placed.placement(), directory, here.targetName());
                }
                handler.failed(here, cause);
            }
            attempt.task().target().handle().release();
        } catch (SystemCallException e) {
            handler.access().closeQuietly(placed.placement().descriptor());
            handler.failed(attempt, new TargetException(e));
        }
        handler.access().closeQuietly(attempt.source());
        handler.worker().release(attempt.task().sourceDirectory());
    }
}
