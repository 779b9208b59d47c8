// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;
import static org.treehaul.core.fs.LinuxConstants.O_RDONLY;
import static org.treehaul.core.fs.LinuxConstants.POSIX_FADV_DONTNEED;

import java.util.ArrayList;
import java.util.List;

import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.Directory;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.WalkWorker;

/**
 * Reads back the files of one buffer or a few that this thread has copied, many at a time: one sync of the file system
 * serves them all, then each is dropped from the cache and read. A file that reads back differently is removed and
 * reported.
 *
 * <p>
 * Used by one thread. What waits is bounded by number and bytes; while a file waits its directory is held.
 */
final class Verifier {

    // A sync costs tens of milliseconds on a disk, so it is shared by many files; a waiting file costs about 300 bytes.
    private static final int MOST_FILES = 4096;
    private static final long MOST_BYTES = 256L << 20;

    private record Copied(CopyTask task, FileStatus source, boolean isThrough, DataHash.Extents extents, int tries) {}

    private final CopyRun run;
    private final WalkWorker<TargetDirectory> worker;
    private final FileAccess access;
    private final DataMover mover;
    private final List<Copied> waiting = new ArrayList<>();
    private long waitingBytes;

    Verifier(CopyRun run, WalkWorker<TargetDirectory> worker, DataMover mover) {
        this.run = run;
        this.worker = worker;
        this.access = worker.access();
        this.mover = mover;
    }

    /**
     * Takes a file that has its name. Does nothing when data are not to be read back.
     *
     * @param isThrough whether it was written to in place, perhaps through a link
     * @return whether it is proved, or need not be; else the run is told when it is
     * @throws CorruptException when others are to become links to it, so that it was read back now, and differs
     */
    boolean add(FileCopier.Attempt attempt, boolean isThrough, DataHash.Extents extents)
            throws TargetException, CorruptException {
        if (mover.hash() == null || extents.to() == 0) {
            return true;
        }
        CopyTask task = attempt.task();
        Copied copied = new Copied(task, attempt.status(), isThrough, extents, attempt.tries());
        if (attempt.group() != null) {
            return proveNow(copied, attempt.targetDirectory());
        }
        worker.hold(task.sourceDirectory());
        waiting.add(copied);
        waitingBytes += extents.to();
        if (waiting.size() >= MOST_FILES || waitingBytes >= MOST_BYTES) {
            flush();
        }
        return false;
    }

    private boolean proveNow(Copied copied, int directory) throws TargetException, CorruptException {
        try {
            if (!isSame(copied, directory, true)) {
                throw new CorruptException();
            }
            return true;
        } catch (SystemCallException e) {
            throw new TargetException(e);
        } catch (WithdrawnException e) {
            // The walk was stopped: what was not read back is not counted as proved.
            return false;
        }
    }

    /** Reads back everything that waits. */
    void flush() {
        if (waiting.isEmpty()) {
            return;
        }
        List<Copied> batch = List.copyOf(waiting);
        waiting.clear();
        waitingBytes = 0;
        Directory synced = batch.getFirst().task().target().handle();
        try {
            int descriptor = synced.acquire(access);
            try {
                // One destination may span file systems; what another one has not written yet is read from its cache.
                FileAccess.check("syncfs", access.calls().syncfs(descriptor));
            } finally {
                synced.release();
            }
        } catch (SystemCallException e) {
            if (run.isBatch()) {
                batch.forEach(copied -> run.targetFailed(copied.task(), e, copied.tries()));
            } else {
                run.targetFailed(batch.getFirst().task().rootIndex(), synced.path(), e);
            }
        }
        for (Copied copied : batch) {
            if (!worker.isStopped()) {
                check(copied);
            }
            worker.release(copied.task().sourceDirectory());
        }
    }

    private void check(Copied copied) {
        CopyTask task = copied.task();
        Directory directory = task.target().handle();
        worker.busyWith(task.rootIndex(), task.path());
        try {
            int descriptor = directory.acquire(access);
            try {
                if (!isSame(copied, descriptor, false)) {
                    run.targetCorrupt(task, copied.tries());
                } else {
                    run.proved(task, copied.source());
                }
            } finally {
                directory.release();
            }
        } catch (SystemCallException e) {
            run.targetFailed(task, e, copied.tries());
        } catch (WithdrawnException e) {
            // The walk was stopped: what was not read back is not counted as proved.
        }
    }

    // Removes the file where it is not.
    private boolean isSame(Copied copied, int directory, boolean isToSync)
            throws SystemCallException, WithdrawnException {
        CopyTask task = copied.task();
        boolean mayBeLink = copied.isThrough() && task.path().isRoot();
        int flags = O_RDONLY | O_NONBLOCK | (mayBeLink ? 0 : O_NOFOLLOW);
        int file = access.open(directory, access.name(task.targetName().toBytes()), flags, 0);
        boolean same;
        try {
            if (isToSync) {
                FileAccess.check("fsync", access.calls().fsync(file));
            }
            if (!run.fileSystems().isInMemory(task.target().status().device(), () -> access.fileSystemType(file))) {
                access.calls().posixFadvise(file, 0, 0, POSIX_FADV_DONTNEED);
            }
            DataHash.Extents extents = copied.extents();
            boolean isSmall = extents.count() == 1 && extents.start(0) == 0 && extents.end(0) == extents.to()
                    && extents.to() < FileAccess.BUFFER_BYTES;
            same = isSmall
                    ? mover.readsBackWhole(file, extents)
                    : access.status(file).size() == extents.to() && mover.readsBack(file, extents);
        } finally {
            access.closeQuietly(file);
        }
        if (!same && !copied.isThrough()) {
            access.calls().unlinkat(directory, access.name(task.targetName().toBytes()), 0);
        }
        return same;
    }
}
