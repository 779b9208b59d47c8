// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.file;

import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;
import static org.treehaul.core.fs.LinuxConstants.O_RDONLY;
import static org.treehaul.core.fs.LinuxConstants.POSIX_FADV_DONTNEED;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.context.CopyContext;
import org.treehaul.core.copy.data.DataHash;
import org.treehaul.core.copy.data.DataMover;
import org.treehaul.core.copy.data.DirectIo;
import org.treehaul.core.copy.data.WholeFile;
import org.treehaul.core.copy.failure.ChangedException;
import org.treehaul.core.copy.failure.CorruptException;
import org.treehaul.core.copy.failure.TargetException;
import org.treehaul.core.copy.failure.WithdrawnException;
import org.treehaul.core.copy.target.CopyTask;
import org.treehaul.core.copy.target.ExistingTarget;
import org.treehaul.core.copy.target.TargetDirectory;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.Directory;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.storage.PosixFile;
import org.treehaul.core.walk.WalkWorker;

/**
 * Verifies files of at most a few buffers that this thread has copied, and files that it has left alone, many at a
 * time: one sync of the file system serves all of them, then each is dropped from the cache and read back. A copy on a
 * file system in memory, which has nothing to sync, is read back at once. A file whose data differ or cannot be read is
 * reported. It is removed if it is new, and gets another time than its source if it was written in place.
 *
 * <p>
 * Not safe for several threads. The number and bytes of waiting files are bounded; the directory of a waiting file is
 * held.
 */
public final class Verifier {

    // A sync takes tens of milliseconds on a disk, so many files share it; a waiting file takes about 300 bytes.
    private static final int MOST_FILES = 4096;
    private static final long MOST_BYTES = 256L << 20;

    /** The way in which a file came to have the data. */
    private enum Way {
        /** It was made. */
        NEW,
        /** It existed and was written in place, perhaps through a link. */
        THROUGH,
        /** It existed and was left alone. */
        KEPT
    }

    private record Copied(CopyTask task, FileStatus source, Way way, DataHash.Extents extents, int tries) {}

    private final CopyContext context;
    private final WalkWorker<TargetDirectory> worker;
    private final FileAccess access;
    private final DataMover mover;
    private final ExistingTarget existing;
    private final List<Copied> waiting = new ArrayList<>();
    private long waitingBytes;

    Verifier(CopyContext context, WalkWorker<TargetDirectory> worker, DataMover mover) {
        this.context = context;
        this.worker = worker;
        this.access = worker.access();
        this.mover = mover;
        this.existing = new ExistingTarget(context.options(), access);
    }

    /**
     * Accepts a file that has its name. Does nothing if data are not verified.
     *
     * @param isThrough whether an existing file was written in place, perhaps through a link
     * @return whether verification is complete or not required; otherwise the run is notified later
     * @throws CorruptException if it was verified at once, and its data differ
     */
    boolean add(FileAttempt attempt, boolean isThrough, DataHash.Extents extents)
            throws TargetException, CorruptException {
        if (mover.hash() == null || extents.to() == 0) {
            return true;
        }
        return isProved(attempt, isThrough ? Way.THROUGH : Way.NEW, extents);
    }

    /**
     * Accepts an existing file that the options keep. If it may be a copy of the source, it is compared with the source
     * as if it had been copied, but never removed; else it is counted as not verified. Does nothing if data are not
     * verified.
     *
     * @return as {@link #add} does
     * @throws CorruptException if others will be links to it, so that it was compared at once, and its data differ
     */
    boolean keep(FileAttempt attempt)
            throws SystemCallException, TargetException, ChangedException, CorruptException, WithdrawnException {
        if (mover.hash() == null || context.options().attributesOnly()) {
            return true;
        }
        FileStatus status = attempt.status();
        if (!existing.mayBeCopy(status, kept(attempt), attempt.targetDirectory(), attempt.targetName())) {
            context.outcomes().unverified();
            return true;
        }
        PosixFile source = new PosixFile(access, attempt.source());
        DataHash.Extents extents;
        try (DirectIo.Reading reading = context.direct().openToRead(source, status.size())) {
            extents = mover.verifier().hashSource(reading.file(access), 0, status.size());
        }
        WholeFile.checkUnchanged(source, status);
        return extents.to() == 0 || isProved(attempt, Way.KEPT, extents);
    }

    private FileStatus kept(FileAttempt attempt) throws TargetException {
        try {
            return access.status(attempt.targetDirectory(), attempt.targetName(), attempt.task().path().isRoot());
        } catch (SystemCallException e) {
            throw new TargetException(e);
        }
    }

    private boolean isProved(FileAttempt attempt, Way way, DataHash.Extents extents)
            throws TargetException, CorruptException {
        CopyTask task = attempt.task();
        Copied copied = new Copied(task, attempt.status(), way, extents, attempt.tries());
        int directory = attempt.targetDirectory();
        if (attempt.group() != null || way != Way.KEPT && isInMemory(task, directory)) {
            return proveNow(copied, directory, attempt.group() != null);
        }
        worker.hold(task.sourceDirectory());
        waiting.add(copied);
        waitingBytes += extents.to();
        if (waiting.size() >= MOST_FILES || waitingBytes >= MOST_BYTES) {
            flush();
        }
        return false;
    }

    private boolean isInMemory(CopyTask task, int descriptor) {
        return context.fileSystems()
                .isInMemory(task.target().status().device(), () -> access.fileSystemType(descriptor));
    }

    private boolean proveNow(Copied copied, int directory, boolean isToSync) throws TargetException, CorruptException {
        try {
            if (!isSame(copied, directory, isToSync)) {
                throw corrupt(copied);
            }
            return true;
        } catch (SystemCallException e) {
            throw new TargetException(e);
        } catch (WithdrawnException e) {
            // The walk was stopped: files that were not read back do not count as verified.
            return false;
        }
    }

    /** Verifies all waiting files. */
    public void flush() {
        if (waiting.isEmpty()) {
            return;
        }
        List<Copied> batch = List.copyOf(waiting);
        waiting.clear();
        waitingBytes = 0;
        Directory synced = batch.getFirst().task().target().handle();
        SystemCallException unsynced = null;
        try {
            int descriptor = synced.acquire(access);
            try {
                // One destination may span file systems; data that another one has not written yet are read from its
                // cache.
                FileAccess.check("syncfs", access.calls().syncfs(descriptor));
            } finally {
                synced.release();
            }
        } catch (SystemCallException e) {
            if (context.isBatch()) {
                unsynced = e;
            } else {
                context.outcomes().failed(batch.getFirst().task().rootIndex(), synced.path(), new TargetException(e));
            }
        }
        for (Copied copied : batch) {
            if (!worker.isStopped()) {
                check(copied, unsynced);
            }
            worker.release(copied.task().sourceDirectory());
        }
    }

    // A batch reports each of its files once; one that may not be on the disk has failed, also if it reads back.
    private void check(Copied copied, @Nullable SystemCallException unsynced) {
        CopyTask task = copied.task();
        Directory directory = task.target().handle();
        worker.busyWith(task.rootIndex(), task.path());
        try {
            int descriptor = directory.acquire(access);
            try {
                if (!isSame(copied, descriptor, false)) {
                    context.outcomes().failed(task, corrupt(copied), copied.tries());
                } else if (unsynced != null) {
                    context.outcomes().failed(task, new TargetException(unsynced), copied.tries());
                } else if (copied.way() == Way.KEPT) {
                    context.outcomes().provedKept(task);
                } else {
                    context.outcomes().proved(task, copied.source());
                }
            } finally {
                directory.release();
            }
        } catch (SystemCallException e) {
            context.outcomes().failed(task, new TargetException(e), copied.tries());
        } catch (WithdrawnException e) {
            // The walk was stopped: files that were not read back do not count as verified.
        }
    }

    private CorruptException corrupt(Copied copied) {
        return copied.way() == Way.KEPT
                ? CorruptException.ofKept(context.options().existing())
                : new CorruptException();
    }

    // If the data differ or cannot be read, the file must not look like a copy to a later run.
    private boolean isSame(Copied copied, int directory, boolean isToSync)
            throws SystemCallException, WithdrawnException {
        CopyTask task = copied.task();
        boolean mayBeLink = copied.way() != Way.NEW && task.path().isRoot();
        int flags = O_RDONLY | O_NONBLOCK | (mayBeLink ? 0 : O_NOFOLLOW);
        int file = access.open(directory, access.name(task.targetName().toBytes()), flags, 0);
        try {
            boolean same = readsBack(copied, file, isToSync);
            if (!same) {
                reject(copied, directory, file);
            }
            return same;
        } catch (SystemCallException e) {
            reject(copied, directory, file);
            throw e;
        } finally {
            access.closeQuietly(file);
        }
    }

    private boolean readsBack(Copied copied, int file, boolean isToSync)
            throws SystemCallException, WithdrawnException {
        if (isToSync) {
            FileAccess.check("fsync", access.calls().fsync(file));
        }
        if (!isInMemory(copied.task(), file)) {
            access.calls().posixFadvise(file, 0, 0, POSIX_FADV_DONTNEED);
        }
        DataHash.Extents extents = copied.extents();
        boolean isSmall = extents.count() == 1 && extents.start(0) == 0 && extents.end(0) == extents.to()
                && extents.to() < FileAccess.BUFFER_BYTES;
        PosixFile opened = new PosixFile(access, file);
        try (DirectIo.Reading reading = context.direct().openToRead(opened, extents.to())) {
            return isSmall
                    ? mover.verifier().readsBackWhole(opened, extents)
                    : opened.status().size() == extents.to()
                            && mover.verifier().readsBack(reading.file(access), extents);
        }
    }

    // Errors are ignored: the caller has a more important one to report.
    private void reject(Copied copied, int directory, int file) throws SystemCallException {
        switch (copied.way()) {
            case NEW -> access.calls().unlinkat(directory, access.name(copied.task().targetName().toBytes()), 0);
            case THROUGH -> {
                if (FileFinisher.showsCopiesByTime(context.options())) {
                    access.calls().futimens(file, FileFinisher.otherTimes(context.options(), access, copied.source()));
                }
            }
            case KEPT -> {
            }
        }
    }
}
