// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.target;

import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;
import static org.treehaul.core.fs.LinuxConstants.AT_SYMLINK_FOLLOW;
import static org.treehaul.core.fs.LinuxConstants.F_WRLCK;
import static org.treehaul.core.fs.LinuxConstants.O_CREAT;
import static org.treehaul.core.fs.LinuxConstants.O_EXCL;
import static org.treehaul.core.fs.LinuxConstants.O_RDWR;
import static org.treehaul.core.fs.LinuxConstants.O_TMPFILE;
import static org.treehaul.core.fs.LinuxConstants.O_WRONLY;
import static org.treehaul.core.fs.LinuxConstants.RENAME_NOREPLACE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;

import org.treehaul.core.copy.data.FileSystemPairs;
import org.treehaul.core.copy.failure.TargetException;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.SystemCallException;

/**
 * Creates files and gives them their names. A temporary file gets its final name when it is complete: after a kill
 * there is the old file, the new one, or none. Only a file of {@link #direct} can be incomplete then.
 *
 * <p>
 * Not safe for several threads.
 */
public final class Placer {

    private static final int TRIES = 8;
    private static final ByteString NO_NAME = ByteString.empty();
    /** Held by the thread that takes a name on a file system whose calls cannot check and take it in one step. */
    private static final Lock NAMES = new ReentrantLock();

    private final FileSystemPairs fileSystems;
    private final TemporaryNames temporaries;
    private final FileAccess access;
    private final FileSystemCalls calls;
    private final MemorySegment scratch = Arena.ofAuto().allocate(FileAccess.NAME_MAX + 1L);

    /**
     * Creates a placer for one thread.
     *
     * @param fileSystems remembers the features that a file system lacks
     * @param temporaries names temporary files
     */
    public Placer(FileSystemPairs fileSystems, TemporaryNames temporaries, FileAccess access) {
        this.fileSystems = fileSystems;
        this.temporaries = temporaries;
        this.access = access;
        this.calls = access.calls();
    }

    /** Creates a new file under its final name; -EEXIST as the descriptor if the name exists already. */
    public Placement direct(TargetDirectory directory, int descriptor, MemorySegment name, int mode)
            throws TargetException {
        boolean isAtomic = fileSystems.mayHave(FileSystemPairs.Feature.RENAME_NOREPLACE, directory.status().device());
        int file = isAtomic ? create(descriptor, name, mode) : whileLocked(() -> create(descriptor, name, mode));
        if (file != -Errno.EEXIST) {
            TargetException.check("open", file);
        }
        return new Placement(Placement.Way.DIRECT, file, NO_NAME, mode);
    }

    private int create(int directory, MemorySegment name, int mode) {
        return access.tryOpen(directory, name, O_WRONLY | O_CREAT | O_EXCL, mode);
    }

    private static int whileLocked(IntSupplier call) {
        NAMES.lock();
        try {
            return call.getAsInt();
        } finally {
            NAMES.unlock();
        }
    }

    /** Creates a temporary file in a directory. */
    public Placement temporary(TargetDirectory directory, int descriptor, int mode) throws TargetException {
        long device = directory.status().device();
        if (fileSystems.mayHave(FileSystemPairs.Feature.UNNAMED_TEMPORARY, device)) {
            int file = access.tryOpen(descriptor, FileAccess.DOT, O_TMPFILE | O_RDWR, mode);
            if (file >= 0) {
                return new Placement(Placement.Way.UNNAMED, file, NO_NAME, mode);
            }
            // Kernels and servers that do not know the flag return EISDIR.
            if (file != -Errno.EOPNOTSUPP && file != -Errno.EISDIR && file != -Errno.EINVAL) {
                throw new TargetException("open", -file);
            }
            fileSystems.lacks(FileSystemPairs.Feature.UNNAMED_TEMPORARY, device);
        }
        return named(descriptor, mode);
    }

    private Placement named(int directory, int mode) throws TargetException {
        for (int i = 0;; i++) {
            ByteString name = ByteString.of(temporaries.next());
            int file = access.tryOpen(directory, FileAccess.put(scratch, name), O_RDWR | O_CREAT | O_EXCL, mode);
            if (file >= 0) {
                // A file system without locks cannot distinguish live and dead runs; then no temporary files are swept
                // there.
                calls.ofdLock(file, F_WRLCK);
                return new Placement(Placement.Way.NAMED, file, name, mode);
            }
            if (file != -Errno.EEXIST || i == TRIES) {
                throw new TargetException("open", -file);
            }
        }
    }

    /**
     * Gives a finished temporary file its name if the name is unused.
     *
     * @return false if the name exists by now; then the temporary file is unchanged
     */
    public boolean place(Placement placement, TargetDirectory directory, int descriptor, MemorySegment name)
            throws TargetException {
        int result;
        if (placement.way() == Placement.Way.UNNAMED) {
            result = linkUnnamed(placement, descriptor, name);
        } else {
            result = renameNew(FileAccess.put(scratch, placement.temporaryName()), directory, descriptor, name);
        }
        if (result == -Errno.EEXIST) {
            return false;
        }
        TargetException.check("link", result);
        return true;
    }

    private int linkUnnamed(Placement placement, int directory, MemorySegment name) {
        return calls.linkat(AT_FDCWD, access.procPath(placement.descriptor()), directory, name, AT_SYMLINK_FOLLOW);
    }

    /** Renames without replacing, even on file systems that cannot do that in one call. */
    int renameNew(MemorySegment from, TargetDirectory directory, int descriptor, MemorySegment to) {
        long device = directory.status().device();
        if (fileSystems.mayHave(FileSystemPairs.Feature.RENAME_NOREPLACE, device)) {
            int result = calls.renameat2(descriptor, from, descriptor, to, RENAME_NOREPLACE);
            if (result != -Errno.EINVAL && result != -Errno.ENOSYS) {
                return result;
            }
            fileSystems.lacks(FileSystemPairs.Feature.RENAME_NOREPLACE, device);
        }
        int linked = calls.linkat(descriptor, from, descriptor, to, 0);
        if (linked == 0) {
            return calls.unlinkat(descriptor, from, 0);
        }
        if (linked == -Errno.EEXIST) {
            return linked;
        }
        // There are no hard links either (FAT, some FUSE file systems).
        return whileLocked(() -> checkAndRename(descriptor, from, to));
    }

    // A file created in between by another process is lost, which cannot be prevented. Other threads wait: where case
    // is ignored, two of them may copy files of the same name.
    private int checkAndRename(int descriptor, MemorySegment from, MemorySegment to) {
        try {
            access.status(descriptor, to);
            return -Errno.EEXIST;
        } catch (SystemCallException e) {
            return e.errno() == Errno.ENOENT ? calls.renameat2(descriptor, from, descriptor, to, 0) : -e.errno();
        }
    }

    /** Gives a finished temporary file its name in place of the existing entry. */
    public void replace(Placement placement, int directory, MemorySegment name) throws TargetException {
        if (placement.way() != Placement.Way.UNNAMED) {
            TargetException.checkTaken("rename",
                    calls.renameat2(directory, FileAccess.put(scratch, placement.temporaryName()), directory, name, 0));
            return;
        }
        calls.ofdLock(placement.descriptor(), F_WRLCK);
        replaceBy(directory, name, false, temporary -> linkUnnamed(placement, directory, temporary));
    }

    /** Creates an entry under a temporary name. */
    public interface Maker {
        /** Creates the entry; returns 0 or {@code -errno}. */
        int make(MemorySegment temporaryName);
    }

    /**
     * Creates an entry under a temporary name and renames it over the existing one.
     *
     * @param mayBeSame whether both could be links to the same inode by now: rename(2) then does nothing and leaves the
     *        temporary name
     */
    public void replaceBy(int directory, MemorySegment name, boolean mayBeSame, Maker maker) throws TargetException {
        for (int i = 0;; i++) {
            MemorySegment temporary = FileAccess.put(scratch, ByteString.of(temporaries.next()));
            int made = maker.make(temporary);
            if (made == -Errno.EEXIST && i < TRIES) {
                continue;
            }
            TargetException.check("link", made);
            int renamed = calls.renameat2(directory, temporary, directory, name, 0);
            if (renamed != 0 || mayBeSame) {
                calls.unlinkat(directory, temporary, 0);
            }
            if (renamed == -Errno.ENOENT && i < TRIES) {
                // A second run of the same command mistook the temporary file for one of a dead run: it is created
                // again.
                continue;
            }
            TargetException.checkTaken("rename", renamed);
            return;
        }
    }

    /** Removes a named temporary file that did not get its final name. */
    public void unlinkTemporary(Placement placement, int directory) {
        calls.unlinkat(directory, FileAccess.put(scratch, placement.temporaryName()), 0);
    }

    /**
     * Closes a file that was begun and will not be finished, and removes it unless it is shared. Errors are ignored:
     * the caller has a more important one to report.
     */
    public void discard(Placement placement, int directory, MemorySegment name) {
        access.closeQuietly(placement.descriptor());
        switch (placement.way()) {
            case DIRECT -> calls.unlinkat(directory, name, 0);
            case NAMED -> unlinkTemporary(placement, directory);
            case UNNAMED, SHARED, THROUGH -> {
            }
        }
    }
}
