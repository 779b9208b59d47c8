// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.data;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.async.AsyncFile;
import org.treehaul.core.async.AsyncFileException;
import org.treehaul.core.async.IoBuffer;
import org.treehaul.core.copy.failure.ChangedException;
import org.treehaul.core.copy.failure.TargetException;
import org.treehaul.core.copy.failure.WithdrawnException;
import org.treehaul.core.event.Progress;
import org.treehaul.core.event.RateLimiter;
import org.treehaul.core.fs.SystemCallException;

/**
 * Copies ranges past the page cache: some blocks are read while those before them are written. Not safe for several
 * threads.
 *
 * <p>
 * Memory: at most {@link #MOST_BLOCKS} blocks of 1 MiB for all pipes of a copy together, besides the first two of each.
 */
final class DirectPipe {

    // Two files of 1 GiB on a virtual disk took the same time with 4 to 32 blocks in progress, and less than with one.
    private static final int BLOCK_BYTES = 1 << 20;
    private static final int LEAST_BLOCKS = 2;
    private static final int OWN_BLOCKS = 8;

    /** The blocks that all pipes of one copy have together, besides the first of each. */
    static final int MOST_BLOCKS = 64;

    /**
     * The bytes of a unit, a multiple of all usual page sizes. Parts end at whole units, whatever the limit of the
     * rate.
     */
    static final long UNIT = 64 << 10;

    private final RateLimiter limiter;
    private final Progress progress;
    private final CopyControl control;
    private final @Nullable DataHash hash;
    private final boolean makesHoles;
    private final Semaphore moreBlocks;

    private final Deque<IoBuffer> free = new ArrayDeque<>();
    private final Deque<Block> reading = new ArrayDeque<>();
    private final Deque<Block> writing = new ArrayDeque<>();
    private int blocks;

    // Its data begin in the buffer where they begin in their unit.
    private record Block(IoBuffer buffer, long at, int length, List<CompletableFuture<Integer>> calls) {

        int start() {
            return (int) (at % UNIT);
        }

        IoBuffer part(long from, long size) {
            return buffer.slice((int) (start() + from - at), (int) size);
        }
    }

    /**
     * Creates a pipe.
     *
     * @param hash gets all data, in their order
     * @param makesHoles whether blocks of zeros are left out
     * @param moreBlocks the blocks that the pipes of a copy share
     */
    DirectPipe(RateLimiter limiter, Progress progress, CopyControl control, @Nullable DataHash hash, boolean makesHoles,
            Semaphore moreBlocks) {
        this.limiter = limiter;
        this.progress = progress;
        this.control = control;
        this.hash = hash;
        this.makesHoles = makesHoles;
        this.moreBlocks = moreBlocks;
    }

    /**
     * Copies a range. When it returns or throws, no call is in progress.
     *
     * @throws ChangedException if the source ends before the range does
     */
    void copy(AsyncFile source, AsyncFile target, long from, long to)
            throws SystemCallException, TargetException, ChangedException, WithdrawnException {
        try {
            long asked = from;
            for (long at = from; at < to;) {
                while (asked < to && (reading.isEmpty() || hasRoom())) {
                    asked += read(source, asked, to);
                }
                Block block = reading.element();
                if (read(block) - block.start() < block.length) {
                    throw new ChangedException();
                }
                reading.remove();
                write(target, block);
                at += block.length;
                progress.bytesDone(block.length);
                control.worked(block.length >> 12);
            }
            while (!writing.isEmpty()) {
                finishWrite();
            }
        } finally {
            await(reading);
            await(writing);
        }
    }

    // Half of the blocks wait for reads at most, so that writes have the others.
    private boolean hasRoom() throws TargetException {
        if (reading.size() >= OWN_BLOCKS / 2) {
            return false;
        }
        return !free.isEmpty() || grows() || !writing.isEmpty() && isDone(writing.element());
    }

    private static boolean isDone(Block block) {
        return block.calls.stream().allMatch(CompletableFuture::isDone);
    }

    private boolean grows() {
        if (blocks >= OWN_BLOCKS || blocks >= LEAST_BLOCKS && !moreBlocks.tryAcquire()) {
            return false;
        }
        blocks++;
        free.add(IoBuffer.allocate(BLOCK_BYTES));
        return true;
    }

    // Begins to read, and returns the number of bytes.
    private int read(AsyncFile source, long at, long to) throws TargetException, WithdrawnException {
        if (control.isStopped()) {
            throw new WithdrawnException();
        }
        long portion = limiter.portion(BLOCK_BYTES);
        // A range may begin within a page, such as a chunk of 10 MB: only its first part is written through the cache.
        long before = at % UNIT;
        int length = (int) Math.min(Math.max(portion - portion % UNIT, UNIT) - before, to - at);
        limiter.acquire(length, control);
        while (free.isEmpty() && !grows()) {
            finishWrite();
        }
        IoBuffer buffer = free.remove();
        // Whole units: the kernel reads a part of a page past the cache only as part of a whole one.
        int wanted = (int) (Math.ceilDiv(before + length, UNIT) * UNIT);
        reading.add(new Block(buffer, at, length, List.of(source.pread(buffer.slice(0, wanted), at - before))));
        return length;
    }

    private static int read(Block block) throws SystemCallException {
        return join(block.calls.getFirst());
    }

    private void write(AsyncFile target, Block block) throws WithdrawnException {
        MemorySegment data = block.buffer.segment().asSlice(block.start(), block.length);
        if (!control.mayWrite()) {
            free.add(block.buffer);
            throw new WithdrawnException();
        }
        if (hash != null) {
            hash.update(data);
        }
        List<CompletableFuture<Integer>> calls = new ArrayList<>();
        Block written = new Block(block.buffer, block.at, block.length, calls);
        writing.add(written);
        if (makesHoles) {
            ZeroBlocks.pieces(data, block.at)
                    .forEach(piece -> calls
                            .add(target.pwrite(written.part(piece.offset(), piece.data().byteSize()), piece.offset())));
        } else {
            calls.add(target.pwrite(written.part(block.at, block.length), block.at));
        }
    }

    private void finishWrite() throws TargetException {
        Block block = writing.element();
        for (CompletableFuture<Integer> call : block.calls) {
            try {
                join(call);
            } catch (SystemCallException e) {
                throw new TargetException(e);
            }
        }
        free.add(writing.remove().buffer);
    }

    private static int join(CompletableFuture<Integer> call) throws SystemCallException {
        try {
            return call.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof AsyncFileException failed) {
                throw new SystemCallException(failed.operation(), failed.errno());
            }
            throw e;
        }
    }

    private void await(Deque<Block> left) {
        for (Block block; (block = left.poll()) != null;) {
            for (CompletableFuture<Integer> call : block.calls) {
                call.exceptionally(e -> 0).join(); // the first error is thrown already
            }
            free.add(block.buffer);
        }
    }
}
