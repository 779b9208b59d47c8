// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.buffer;

import java.nio.ByteBuffer;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.fs.Errno;
import org.treehaul.schedulers.stage.ParallelFile;
import org.treehaul.schedulers.stage.StageException;

/**
 * Gathers writes that follow each other: one half of the buffer is filled while the other one is written. A write
 * begins when the one before has ended, so the order of writes to a range is kept, and stripes that are written in
 * order have checksums. After a failure every further call fails. For one thread at a time.
 */
final class WriteBehind {

    private final ParallelFile file;
    private final int half;
    private @Nullable ByteBuffer current;
    private long start;
    private @Nullable ByteBuffer other;
    private @Nullable CompletableFuture<Integer> writing;
    private @Nullable StageException failure;

    WriteBehind(ParallelFile file, int bytes) {
        this.file = file;
        this.half = bytes / 2;
    }

    /** Returns whether everything is written. */
    boolean isEmpty() {
        return (current == null || current.position() == 0) && writing == null && failure == null;
    }

    /** Does {@link ParallelFile#write(ByteBuffer, long)}, now or later. */
    int write(ByteBuffer from, long offset) throws StageException {
        check();
        int all = from.remaining();
        if (all >= half) {
            drain();
            return file.write(from, offset);
        }
        long at = offset;
        while (from.hasRemaining()) {
            ByteBuffer buffer = buffer();
            if (buffer.position() > 0 && at != start + buffer.position()) {
                begin();
                buffer = buffer();
            }
            if (buffer.position() == 0) {
                start = at;
            }
            int count = Math.min(buffer.remaining(), from.remaining());
            buffer.put(from.slice(from.position(), count));
            from.position(from.position() + count);
            at += count;
            if (!buffer.hasRemaining()) {
                begin();
            }
        }
        return all;
    }

    private ByteBuffer buffer() {
        ByteBuffer known = current;
        if (known == null) {
            known = ByteBuffer.allocateDirect(half);
            current = known;
        }
        return known;
    }

    // Writes what was gathered, when the write before has ended.
    private void begin() throws StageException {
        await();
        ByteBuffer full = buffer().flip();
        current = other == null ? null : other.clear();
        other = full;
        writing = file.writeAsync(full, start);
    }

    private void await() throws StageException {
        CompletableFuture<Integer> running = writing;
        writing = null;
        if (running != null) {
            try {
                running.join();
            } catch (CancellationException e) {
                failure = new StageException(file.path().toString(), "write behind", Errno.ECANCELED, e);
            } catch (CompletionException e) {
                failure = e.getCause() instanceof StageException known
                        ? known
                        : new StageException(file.path().toString(), String.valueOf(e.getCause()), Errno.EIO, e);
            }
        }
        check();
    }

    /** Fails if an earlier write has failed. */
    void check() throws StageException {
        StageException known = failure;
        if (known != null) {
            throw new StageException(known.subject(), known.operation() + " of an earlier write", known.errno(), known);
        }
    }

    /** Returns when everything is written. */
    void drain() throws StageException {
        check();
        if (current != null && current.position() > 0) {
            begin();
        }
        await();
    }

    /** Forgets everything that was not written; returns when no buffer is in use. */
    void drop() {
        CompletableFuture<Integer> running = writing;
        writing = null;
        current = null;
        if (running != null) {
            try {
                running.join();
            } catch (CompletionException | CancellationException e) {
                // The file is given up.
                return;
            }
        }
    }
}
