// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.data;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import org.treehaul.core.copy.failure.TargetException;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.storage.TargetFile;

/**
 * Writes one half of a buffer to an asynchronous target while the other half is read. At most two writes are in
 * progress. Not safe for several threads.
 */
final class WriteBehind {

    private static final int HALVES = 2;

    private final TargetFile target;
    private final MemorySegment buffer;
    private CompletableFuture<Void> older = CompletableFuture.completedFuture(null);
    private CompletableFuture<Void> newer = older;
    private int half;

    WriteBehind(TargetFile target, MemorySegment buffer) {
        this.target = target;
        this.buffer = buffer;
    }

    /**
     * Returns the half of the buffer to read into, once its last write is complete.
     *
     * @throws TargetException if that write failed
     */
    MemorySegment next() throws TargetException {
        complete(older);
        long size = buffer.byteSize() / HALVES;
        return buffer.asSlice(half * size, size);
    }

    /** Begins to write data from the half that {@link #next} returned. */
    void write(MemorySegment data, long at) {
        older = newer;
        newer = target.writeAsync(data, at);
        half = (half + 1) % HALVES;
    }

    /** Waits until the target uses no part of the buffer any more, whether the writes succeed or not. */
    void await() {
        settle(older);
        settle(newer);
    }

    private static void settle(CompletableFuture<Void> write) {
        try {
            write.join();
        } catch (CompletionException | CancellationException e) {
            // Reported by next or finish, unless an earlier error is.
        }
    }

    /**
     * Waits until all is written.
     *
     * @throws TargetException if a write failed
     */
    void finish() throws TargetException {
        complete(older);
        complete(newer);
    }

    private static void complete(CompletableFuture<Void> write) throws TargetException {
        try {
            write.join();
        } catch (CancellationException e) {
            throw new TargetException(new SystemCallException("write", Errno.ECANCELED));
        } catch (CompletionException e) {
            if (e.getCause() instanceof SystemCallException failed) {
                throw new TargetException(failed);
            }
            throw e;
        }
    }
}
