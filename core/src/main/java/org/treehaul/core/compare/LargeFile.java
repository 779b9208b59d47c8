// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.Directory;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.ForkedTask;
import org.treehaul.core.walk.WalkDirectory;
import org.treehaul.core.walk.WalkWorker;

/**
 * A pair of large files whose data several threads compare. Each thread takes the next chunk until none is left. Each
 * opens its own descriptors, so a file that waits for threads holds none.
 */
final class LargeFile implements ForkedTask<PairedDirectory> {

    // Chunks become smaller towards the end, so that no thread waits long for another one's last chunk: each is a thread's
    // share of half of the rest, but not smaller than this.
    private static final long LEAST_BYTES = 4L << 20;

    private final ComparisonRun run;
    private final @Nullable WalkDirectory<PairedDirectory> parent;
    private final boolean followA;
    private final boolean followB;
    private final TreePath path;
    private final FileStatus a;
    private final FileStatus b;
    private final long end;
    private final AtomicLong next;
    private final AtomicLong firstDifference = new AtomicLong(Long.MAX_VALUE);
    private final AtomicInteger tasks;
    private final int threads;
    private volatile boolean failed;

    LargeFile(ComparisonRun run, EntryPair pair, long start, long end) {
        this.run = run;
        this.parent = pair.found().parent();
        this.followA = pair.followA();
        this.followB = pair.followB();
        this.path = pair.found().path();
        this.a = pair.a();
        this.b = pair.b();
        this.end = end;
        long chunks = Math.ceilDiv(end - start, run.options().chunkBytes());
        this.threads = (int) Math.min(chunks, run.mostThreads());
        this.tasks = new AtomicInteger(threads);
        this.next = new AtomicLong(start);
    }

    /** Pushes as many tasks as there can be threads or chunks. */
    void fork(WalkWorker<PairedDirectory> worker) {
        for (int i = 0; i < threads; i++) {
            worker.fork(parent, this);
        }
    }

    @Override
    public void run(WalkWorker<PairedDirectory> worker) {
        try {
            if (isWanted(next.get())) {
                worker.busyWith(0, path);
                openAndCompare(worker);
            }
        } catch (SideException e) {
            fail(e);
        }
        if (tasks.decrementAndGet() == 0 && !failed && !worker.isStopped()) {
            report();
        }
    }

    private void report() {
        // If the common part is equal, the longer file differs at the end of the shorter one.
        long least = a.size() == b.size() ? firstDifference.get() : Math.min(firstDifference.get(), end);
        long offset = least == Long.MAX_VALUE ? FilePair.NONE : least;
        run.linkedContents().compared(a, b, offset);
        run.content(path, offset);
    }

    private synchronized void fail(SideException e) {
        if (!failed) {
            failed = true;
            run.linkedContents().failed(a, b, e);
            run.failed(path, e);
        }
    }

    private long chunkEnd(long from) {
        long wanted = Math.max(LEAST_BYTES, (end - from) / (2L * threads));
        return Math.min(end, from + Math.min(run.options().chunkBytes(), wanted));
    }

    private boolean isWanted(long from) {
        return from < end && from < firstDifference.get() && !failed;
    }

    private void openAndCompare(WalkWorker<PairedDirectory> worker) throws SideException {
        FileAccess access = worker.access();
        WalkDirectory<PairedDirectory> directoryA = parent;
        if (directoryA == null) {
            try (LongPath rootA = longPath(Side.A, access); LongPath rootB = longPath(Side.B, access)) {
                compareChunks(rootA.base(), rootA.rest(), rootB.base(), rootB.rest(), worker);
            }
            return;
        }
        Directory directoryB = directoryA.attachment().directory();
        byte[] name = path.nameBytes();
        int heldA = acquire(Side.A, directoryA.handle(), access);
        try {
            int heldB = acquire(Side.B, directoryB, access);
            try {
                compareChunks(heldA, name, heldB, name, worker);
            } finally {
                directoryB.release();
            }
        } finally {
            directoryA.handle().release();
        }
    }

    private LongPath longPath(Side side, FileAccess access) throws SideException {
        try {
            return LongPath.of(access, run.root(side));
        } catch (SystemCallException e) {
            throw SideException.of(side, e);
        }
    }

    private void compareChunks(int directoryA, byte[] nameA, int directoryB, byte[] nameB,
            WalkWorker<PairedDirectory> worker) throws SideException {
        FileAccess access = worker.access();
        MemorySegment nulEndedA = name(Side.A, access, nameA);
        MemorySegment nulEndedB = name(Side.B, access, nameB);
        try (FilePair files = FilePair.open(access, run.directoriesB(), directoryA, nulEndedA, a, followA, directoryB,
                nulEndedB, b, followB)) {
            long from = next.getAndUpdate(this::chunkEnd);
            while (isWanted(from) && !worker.isStopped()) {
                compareChunk(files, from, worker);
                from = next.getAndUpdate(this::chunkEnd);
            }
            files.checkUnchanged();
        }
    }

    private static MemorySegment name(Side side, FileAccess access, byte[] bytes) throws SideException {
        try {
            return side == Side.A ? access.name(bytes) : access.otherName(bytes);
        } catch (SystemCallException e) {
            throw SideException.of(side, e);
        }
    }

    private static int acquire(Side side, Directory directory, FileAccess access) throws SideException {
        try {
            return directory.acquire(access);
        } catch (SystemCallException e) {
            throw SideException.of(side, e);
        }
    }

    private void compareChunk(FilePair files, long from, WalkWorker<PairedDirectory> worker) throws SideException {
        long offset = files.firstDifference(from, chunkEnd(from), bytes -> {
            run.progress().bytesDone(bytes);
            worker.worked(1);
        }, () -> worker.isStopped() || from >= firstDifference.get());
        if (offset != FilePair.NONE) {
            firstDifference.accumulateAndGet(offset, Math::min);
        }
    }
}
