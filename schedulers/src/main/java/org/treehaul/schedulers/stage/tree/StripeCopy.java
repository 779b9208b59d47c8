// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.tree;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.LongPredicate;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.threads.Threads;

/**
 * Does work on the stripes of large files. Each file has the thread that asks for the work; while there are fewer files
 * than threads, others help: writes to one file exclude each other in the kernel, those to several do not. Thread-safe.
 */
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
    record Tools(FileAccess access, MemorySegment buffer) {}

    private final FileSystemCalls calls;
    private final int threads;
    // As many as there were threads at one time. Threads of connections send from them and receive into them.
    private final ConcurrentLinkedQueue<MemorySegment> buffers = new ConcurrentLinkedQueue<>();
    // Threads that work on a file, which are more than wanted if there are more callers, until the helpers have left.
    private int busy;

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
     * @param isWanted is asked before each stripe, with its offset, by one thread at a time
     * @throws IOException the first failure of the work; the other stripes may or may not be done
     */
    void each(long size, long stripe, LongPredicate isWanted, Work work) throws IOException {
        new Pass(size, stripe, isWanted, work).run();
    }

    private synchronized void enter() {
        busy++;
    }

    private synchronized boolean enterAsHelper() {
        if (busy >= threads) {
            return false;
        }
        busy++;
        return true;
    }

    private synchronized void leave() {
        busy--;
    }

    private synchronized boolean isCrowded() {
        return busy > threads;
    }

    // An arena that clears memory does so word by word, which takes milliseconds before that loop is compiled.
    private MemorySegment buffer() {
        MemorySegment known = buffers.poll();
        if (known != null) {
            return known;
        }
        MemorySegment room = Arena.ofAuto()
                .allocateFrom(ValueLayout.JAVA_LONG, new long[(BUFFER_BYTES + PAGE) / Long.BYTES]);
        return room.asSlice(-room.address() & PAGE - 1, BUFFER_BYTES);
    }

    /** The stripes of one file. */
    private final class Pass {

        private final long size;
        private final long stripe;
        private final LongPredicate isWanted;
        private final Work work;
        private final int mostHelpers;
        private final List<Thread> started = new ArrayList<>();
        private long next;
        private int helpers;
        private @Nullable Throwable fault;

        Pass(long size, long stripe, LongPredicate isWanted, Work work) {
            this.size = size;
            this.stripe = stripe;
            this.isWanted = isWanted;
            this.work = work;
            this.mostHelpers = (int) Math.min(threads - 1, (size + stripe - 1) / stripe / STRIPES_PER_THREAD);
        }

        void run() throws IOException {
            enter();
            work(false);
            started.forEach(Threads::join);
            switch (fault) {
                case null -> {
                }
                case IOException e -> throw e;
                case RuntimeException e -> throw e;
                case Error e -> throw e;
                case Throwable e -> throw new IllegalStateException(e);
            }
        }

        private void work(boolean isHelper) {
            try (FileAccess access = FileAccess.open(calls)) {
                MemorySegment buffer = buffer();
                work(new Tools(access, buffer), isHelper);
                buffers.add(buffer);
            } catch (Throwable e) {
                fail(e);
            } finally {
                leave();
                if (isHelper) {
                    count(-1);
                }
            }
        }

        private void work(Tools tools, boolean isHelper) throws IOException {
            for (long at = take(); at >= 0; at = isHelper && isCrowded() ? -1 : take()) {
                if (!isHelper) {
                    help();
                }
                work.stripe(tools, at);
            }
        }

        /** Returns the offset of the next stripe; -1 if there is none. */
        private synchronized long take() {
            if (fault != null || next >= size || !isWanted.test(next)) {
                return -1;
            }
            long at = next;
            next += stripe;
            return at;
        }

        private void help() {
            while (mayHelp() && enterAsHelper()) {
                Thread helper = Thread.ofPlatform().name("treehaul-stripes").daemon(true).unstarted(() -> work(true));
                count(1);
                try {
                    helper.start();
                } catch (Error e) {
                    count(-1);
                    leave();
                    throw e;
                }
                started.add(helper);
            }
        }

        private synchronized boolean mayHelp() {
            return helpers < mostHelpers && next < size;
        }

        private synchronized void count(int more) {
            helpers += more;
        }

        private synchronized void fail(Throwable e) {
            if (fault == null) {
                fault = e;
            } else {
                fault.addSuppressed(e);
            }
        }
    }
}
