// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.batch;

import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;
import static org.treehaul.core.fs.LinuxConstants.F_RDLCK;
import static org.treehaul.core.fs.LinuxConstants.O_CREAT;
import static org.treehaul.core.fs.LinuxConstants.O_EXCL;
import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;
import static org.treehaul.core.fs.LinuxConstants.O_PATH;
import static org.treehaul.core.fs.LinuxConstants.O_RDWR;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

import org.treehaul.core.copy.data.SizeAhead;
import org.treehaul.core.copy.failure.TargetException;
import org.treehaul.core.copy.target.Placement;
import org.treehaul.core.copy.target.Placer;
import org.treehaul.core.copy.target.TargetDirectory;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.storage.PosixFile;

/**
 * Opens the temporary file that the chunks of one version of a file share. The first worker creates it. Because other
 * users know its name beforehand, it is accepted only if it belongs to this user, or to the source's owner, to whom it
 * will belong. Not safe for several threads.
 */
final class SharedFile {

    /** The operation of the error that means that the file system accepts data only in order, from one writer. */
    static final String IN_ORDER = "write in chunks to a file system that accepts data in order only";

    private static final int TRIES = 8;

    private final long effectiveUid;
    private final FileAccess access;
    private final Placer placer;
    private final MemorySegment scratch = Arena.ofAuto().allocate(FileAccess.NAME_MAX + 1L);

    /**
     * Creates an opener for one thread.
     *
     * @param effectiveUid the user of this process
     */
    SharedFile(long effectiveUid, FileAccess access, Placer placer) {
        this.effectiveUid = effectiveUid;
        this.access = access;
        this.placer = placer;
    }

    /** Opens the temporary file, creates it if it is missing, sets its size, and locks it as being in use. */
    int open(TargetDirectory target, int directory, ByteString name, FileStatus source) throws TargetException {
        for (int i = 0;; i++) {
            int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW;
            int file = access.tryOpen(directory, FileAccess.put(scratch, name), flags, 0600);
            if (file == -Errno.EEXIST) {
                file = openExisting(target, directory, name, source.uid());
            }
            if (file == -Errno.ENOENT && i < TRIES) {
                continue;
            }
            TargetException.check("open", file);
            int opened = file;
            return usable(opened, () -> {
                access.calls().ofdLock(opened, F_RDLCK);
                if (access.status(opened).size() != source.size()) {
                    if (!SizeAhead.set(new PosixFile(access, opened), source.size())) {
                        throw new TargetException(IN_ORDER, Errno.EOPNOTSUPP);
                    }
                }
            });
        }
    }

    /** Opens the temporary file if it exists; returns its descriptor or {@code -errno}. */
    int openExisting(TargetDirectory target, int directory, ByteString name, long sourceUid) throws TargetException {
        int flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK;
        int file = access.tryOpen(directory, FileAccess.put(scratch, name), flags, 0);
        if (file == -Errno.EACCES && makeWritable(directory, name)) {
            file = access.tryOpen(directory, FileAccess.put(scratch, name), flags, 0);
        }
        if (file < 0) {
            return file;
        }
        int opened = file;
        return usable(opened, () -> {
            FileStatus status = access.status(opened);
            boolean isOurs = status.kind() == EntryKind.REGULAR && status.linkCount() <= 1
                    && (status.uid() == sourceUid || status.uid() == newFileUid(target, directory));
            if (!isOurs) {
                throw new TargetException("open", Errno.EEXIST);
            }
        });
    }

    private interface Check {
        void run() throws SystemCallException, TargetException;
    }

    /** Returns the descriptor, or closes it if a check fails. */
    private int usable(int file, Check check) throws TargetException {
        boolean isUsable = false;
        try {
            check.run();
            isUsable = true;
            return file;
        } catch (SystemCallException e) {
            throw new TargetException(e);
        } finally {
            if (!isUsable) {
                access.closeQuietly(file);
            }
        }
    }

    // The file already has its final mode if its finisher died just before it got its name.
    private boolean makeWritable(int directory, ByteString name) {
        int node = access.tryOpen(directory, FileAccess.put(scratch, name), O_PATH | O_NOFOLLOW, 0);
        if (node < 0) {
            return false;
        }
        try {
            FileStatus status = access.status(node);
            if (status.kind() != EntryKind.REGULAR || status.uid() != effectiveUid) {
                return false;
            }
            return access.calls().fchmodat(AT_FDCWD, access.procPath(node), 0600) == 0;
        } catch (SystemCallException e) {
            return false;
        } finally {
            access.closeQuietly(node);
        }
    }

    // A server may map users, so the owner is read from a file created now.
    private long newFileUid(TargetDirectory target, int directory) throws TargetException, SystemCallException {
        if (!target.knowsNewFileOwner()) {
            Placement probe = placer.temporary(target, directory, 0600);
            try {
                target.learn(access.status(probe.descriptor()));
            } finally {
                placer.discard(probe, directory, FileAccess.emptyName());
            }
        }
        return target.newFileUid();
    }

    /** Returns whether files here can be written in chunks, tested with a file created now. */
    boolean isPossible(TargetDirectory target, int directory) throws TargetException {
        Placement probe = placer.temporary(target, directory, 0600);
        try {
            return SizeAhead.set(new PosixFile(access, probe.descriptor()), 1);
        } finally {
            placer.discard(probe, directory, FileAccess.emptyName());
        }
    }

    /** Removes the temporary file. */
    void remove(int directory, ByteString name) {
        access.calls().unlinkat(directory, FileAccess.put(scratch, name), 0);
    }
}
