// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.buffer;

import java.nio.ByteBuffer;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import org.jspecify.annotations.Nullable;
import org.treehaul.schedulers.stage.ParallelFile;
import org.treehaul.schedulers.stage.StageException;

/**
 * Reads a file ahead once it is read in order: one half of the buffer is used while the other one is filled. For one
 * thread at a time.
 */
final class ReadAhead {

    private final ParallelFile file;
    private final int half;
    // The half that is read from: bytes of the file from start on.
    private @Nullable ByteBuffer current;
    private long start;
    private int length;
    // The half that is being filled, from start + half on.
    private @Nullable ByteBuffer other;
    private @Nullable CompletableFuture<Integer> filling;
    // The end of the last read.
    private long expected = -1;

    ReadAhead(ParallelFile file, int bytes) {
        this.file = file;
        this.half = bytes / 2;
    }

    /** Does {@link ParallelFile#read(ByteBuffer, long)}. */
    int read(ByteBuffer into, long offset) throws StageException {
        int count = half == 0 || into.remaining() >= half ? file.read(into, offset) : buffered(into, offset);
        expected = offset + Math.max(0, count);
        return count;
    }

    private int buffered(ByteBuffer into, long offset) throws StageException {
        if (isMissed(offset)) {
            boolean isInOrder = offset == expected;
            if (!isInOrder) {
                return file.read(into, offset);
            }
            fill(offset);
        }
        int done = 0;
        while (into.hasRemaining() && !isMissed(offset + done)) {
            done += take(into, offset + done);
            if (into.hasRemaining() && length == half && offset + done == start + half) {
                advance();
            }
        }
        // Behind the end of the file, which another client may make longer.
        if (done == 0) {
            return file.read(into, offset);
        }
        return done;
    }

    private boolean isMissed(long offset) {
        return current == null || offset < start || offset >= start + length;
    }

    private int take(ByteBuffer into, long offset) {
        ByteBuffer from = current;
        if (from == null) {
            return 0;
        }
        int at = (int) (offset - start);
        int count = Math.min(into.remaining(), length - at);
        into.put(from.slice(at, count));
        return count;
    }

    private void fill(long offset) throws StageException {
        if (filling != null && offset == start + half) {
            advance();
            return;
        }
        drop();
        ByteBuffer buffer = current == null ? ByteBuffer.allocateDirect(half) : current.clear();
        current = buffer;
        start = offset;
        length = 0;
        length = Math.max(0, file.read(buffer, offset));
        prefetch();
    }

    // Goes on with the half that was being filled.
    private void advance() {
        CompletableFuture<Integer> ended = filling;
        if (ended == null) {
            return;
        }
        filling = null;
        int count;
        try {
            count = Math.max(0, ended.join());
        } catch (CompletionException | CancellationException e) {
            // The program reads these bytes itself, and gets the failure then.
            count = 0;
        }
        ByteBuffer free = current;
        current = other;
        other = free;
        start += half;
        length = count;
        prefetch();
    }

    private void prefetch() {
        if (length < half) {
            // The end of the file.
            return;
        }
        ByteBuffer buffer = other == null ? ByteBuffer.allocateDirect(half) : other.clear();
        other = buffer;
        filling = file.readAsync(buffer, start + half);
    }

    /** Forgets all bytes, because the file changes, or is closed. */
    void drop() {
        CompletableFuture<Integer> running = filling;
        filling = null;
        length = 0;
        if (running != null) {
            try {
                // Until then the buffer is not free.
                running.join();
            } catch (CompletionException | CancellationException e) {
                // Nobody needs these bytes.
                return;
            }
        }
    }
}
