// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.Directory;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.ForkedTask;
import org.treehaul.core.walk.WalkDirectory;
import org.treehaul.core.walk.WalkWorker;

/**
 * A pair of large files whose data several threads compare. Each takes the next chunk until none is left, and has its
 * own descriptors, so a file that waits for threads holds none.
 */
final class LargeFile implements ForkedTask<PairedDirectory> {

    private final ComparisonRun run;
    private final WalkDirectory<PairedDirectory> parent;
    private final TreePath path;
    private final FileStatus a;
    private final FileStatus b;
    private final long end;
    private final AtomicLong nextChunk = new AtomicLong();
    private final AtomicLong firstDifference = new AtomicLong(Long.MAX_VALUE);
    private final AtomicInteger tasks;
    private volatile boolean failed;

    LargeFile(ComparisonRun run, WalkDirectory<PairedDirectory> parent, EntryPair pair) {
        this.run = run;
        this.parent = parent;
        this.path = pair.found().path();
        this.a = pair.a();
        this.b = pair.b();
        this.end = Math.min(a.size(), b.size());
        long chunks = Math.ceilDiv(end, run.options().chunkBytes());
        this.tasks = new AtomicInteger((int) Math.min(chunks, run.mostThreads()));
    }

    /** Puts as many tasks on the frontier as there can be threads or chunks. */
    void fork(WalkWorker<PairedDirectory> worker) {
        int count = tasks.get();
        for (int i = 0; i < count; i++) {
            worker.fork(parent, this);
        }
    }

    @Override
    public void run(WalkWorker<PairedDirectory> worker) {
        try {
            if (isWanted(nextChunk.get())) {
                worker.busyWith(parent.rootIndex(), path);
                compareChunks(worker);
            }
        } catch (SideException e) {
            fail(e);
        }
        if (tasks.decrementAndGet() == 0 && !failed && !worker.isStopped()) {
            report();
        }
    }

    private void report() {
        // Where all that both have is equal, the longer one differs at the end of the other.
        long offset = a.size() == b.size() ? firstDifference.get() : Math.min(firstDifference.get(), end);
        if (offset != Long.MAX_VALUE) {
            run.differs(Difference.ofContent(path, offset));
        }
        run.progress().fileDone();
    }

    private synchronized void fail(SideException e) {
        if (!failed) {
            failed = true;
            run.failed(path, e);
        }
    }

    private boolean isWanted(long chunk) {
        long from = chunk * run.options().chunkBytes();
        return from < end && from < firstDifference.get() && !failed;
    }

    private void compareChunks(WalkWorker<PairedDirectory> worker) throws SideException {
        FileAccess access = worker.access();
        Directory directoryB = parent.attachment().directory();
        int heldA = acquire(Side.A, parent.handle(), access);
        try {
            int heldB = acquire(Side.B, directoryB, access);
            try (FilePair files = open(access, heldA, heldB)) {
                long chunk = nextChunk.getAndIncrement();
                while (isWanted(chunk) && !worker.isStopped()) {
                    compareChunk(files, chunk, worker);
                    chunk = nextChunk.getAndIncrement();
                }
            } finally {
                directoryB.release();
            }
        } finally {
            parent.handle().release();
        }
    }

    private static int acquire(Side side, Directory directory, FileAccess access) throws SideException {
        try {
            return directory.acquire(access);
        } catch (SystemCallException e) {
            throw SideException.of(side, e);
        }
    }

    private FilePair open(FileAccess access, int directoryA, int directoryB) throws SideException {
        try {
            var name = access.name(path.nameBytes());
            return FilePair.open(access, run.directoriesB(), directoryA, name, a, directoryB, name, b, false);
        } catch (SystemCallException e) {
            throw SideException.of(Side.A, e);
        }
    }

    private void compareChunk(FilePair files, long chunk, WalkWorker<PairedDirectory> worker) throws SideException {
        long from = chunk * run.options().chunkBytes();
        long to = Math.min(end, from + run.options().chunkBytes());
        long offset = files.firstDifference(from, to, bytes -> {
            run.progress().bytesDone(bytes);
            worker.worked(1);
        }, () -> worker.isStopped() || from >= firstDifference.get());
        if (offset != FilePair.NONE) {
            firstDifference.accumulateAndGet(offset, Math::min);
        }
    }
}
