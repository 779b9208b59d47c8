// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.tree;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.LongPredicate;

import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.threads.ParallelLoop;

/** Does work on the stripes of a large file with several threads. One file at a time has them. */
final class StripeCopy {

    /** Bytes that a thread moves at once. */
    static final int BUFFER_BYTES = 1 << 20;
    private static final int PAGE = 4096;
    // Starting a thread takes longer than moving a few stripes.
    private static final long STRIPES_PER_THREAD = 8;

    /** Work on the stripe that begins at an offset of the file. */
    interface Work {
        void stripe(Tools tools, long offset) throws IOException;
    }

    /** The file access and the memory of a thread. */
    static final class Tools implements AutoCloseable {
        private final FileAccess access;
        // Threads of connections send from it and receive into it.
        private final Arena arena = Arena.ofShared();
        private final MemorySegment buffer = arena.allocate(BUFFER_BYTES, PAGE);

        Tools(FileSystemCalls calls) {
            access = FileAccess.open(calls);
        }

        FileAccess access() {
            return access;
        }

        MemorySegment buffer() {
            return buffer;
        }

        @Override
        public void close() {
            arena.close();
            access.close();
        }
    }

    private final FileSystemCalls calls;
    private final int threads;

    StripeCopy(FileSystemCalls calls, int threads) {
        this.calls = calls;
        this.threads = threads;
    }

    FileSystemCalls calls() {
        return calls;
    }

    /**
     * Does work on every stripe, and returns when all of it is done.
     *
     * @param isWanted is asked before each stripe, with its offset
     * @throws IOException the first failure of the work; the other stripes may or may not be done
     */
    void each(long size, long stripe, LongPredicate isWanted, Work work) throws IOException {
        long stripes = (size + stripe - 1) / stripe;
        int most = (int) Math.min(threads, stripes / STRIPES_PER_THREAD + 1);
        if (most == 1) {
            run(size, stripe, isWanted, work, 1);
            return;
        }
        synchronized (this) {
            run(size, stripe, isWanted, work, most);
        }
    }

    private void run(long size, long stripe, LongPredicate isWanted, Work work, int most) throws IOException {
        long[] next = {0};
        try {
            ParallelLoop.<Long>each(() -> {
                long at = next[0];
                if (at >= size || !isWanted.test(at)) {
                    return null;
                }
                next[0] = at + stripe;
                return at;
            }, most, () -> new StripeWorker(new Tools(calls), work));
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private record StripeWorker(Tools tools, Work work) implements ParallelLoop.Worker<Long> {

        @Override
        public void process(Long offset) {
            try {
                work.stripe(tools, offset);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() {
            tools.close();
        }
    }
}
