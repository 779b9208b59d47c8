// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.move;

import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_PATH;

import java.lang.foreign.MemorySegment;

import org.treehaul.core.copy.options.Backup;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.options.UserPath;
import org.treehaul.core.copy.target.BackupNames;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;

/**
 * The backup of an existing entry at a target. An entry that a rename can replace gets a second name by a hard link, so
 * that its own name is never missing; a directory, or an entry without hard links, is renamed. Used by one thread.
 */
final class TargetBackup {

    private static final int TRIES = 1000;

    private final FileAccess access;
    private final FileSystemCalls calls;
    private final Backup backup;
    private final ByteString directory;
    private final ByteString name;
    private final ByteString temporary;
    private boolean isLinked;
    private ByteString backupName = ByteString.empty();

    private TargetBackup(FileAccess access, Backup backup, CopyPair pair, boolean isLinked) throws SystemCallException {
        ByteString target = UserPath.stripSlashes(pair.target());
        this.access = access;
        this.calls = access.calls();
        this.backup = backup;
        this.directory = UserPath.parent(target);
        this.name = UserPath.baseName(target);
        this.temporary = UserPath.baseName(UnfinishedMove.beside(access, pair, "-old"));
        this.isLinked = isLinked;
    }

    /**
     * Makes the backup.
     *
     * @param existing the status of the entry
     * @param source the status of the source that replaces it
     * @throws SystemCallException EEXIST if the source has the name of the backup; if this throws, the entry has its
     *         name
     */
    static TargetBackup make(FileAccess access, Backup backup, CopyPair pair, FileStatus existing, FileStatus source)
            throws SystemCallException {
        boolean isReplaceable = existing.kind() != EntryKind.DIRECTORY && source.kind() != EntryKind.DIRECTORY
                && !existing.isSameFile(source);
        TargetBackup made = new TargetBackup(access, backup, pair, isReplaceable);
        int descriptor = made.open(access);
        try {
            made.make(descriptor, source);
            return made;
        } finally {
            access.closeQuietly(descriptor);
        }
    }

    private int open(FileAccess by) throws SystemCallException {
        return LongPath.open(by, directory, O_PATH | O_DIRECTORY);
    }

    private void make(int descriptor, FileStatus source) throws SystemCallException {
        ByteString simple = BackupNames.simple(name, backup);
        for (int tries = 0;; tries++) {
            backupName = BackupNames.of(backup, access, descriptor, name);
            boolean isSimple = backupName.equals(simple);
            if (backup.control() != Backup.Control.NUMBERED && isSource(descriptor, simple, source)) {
                throw new SystemCallException("back up (it might destroy the source)", Errno.EEXIST);
            }
            int result = put(descriptor, !isSimple);
            if (result != -Errno.EEXIST || isSimple || tries == TRIES) {
                FileAccess.check("back up", result);
                return;
            }
        }
    }

    // As source_is_dst_backup of mv, also if the backup will have a number.
    private boolean isSource(int descriptor, ByteString other, FileStatus source) throws SystemCallException {
        FileStatus there = access.find(descriptor, access.otherName(other.toBytes()), false);
        return there != null && there.isSameFile(source);
    }

    private int put(int descriptor, boolean mustBeNew) throws SystemCallException {
        MemorySegment own = access.name(name.toBytes());
        MemorySegment other = access.otherName(backupName.toBytes());
        if (!isLinked) {
            return rename(descriptor, own, other, mustBeNew);
        }
        MemorySegment link = access.rootName(temporary.toBytes());
        // One that a killed move left.
        access.calls().unlinkat(descriptor, link, 0);
        int linked = access.calls().linkat(descriptor, own, descriptor, link, 0);
        if (linked == 0) {
            int renamed = rename(descriptor, link, other, mustBeNew);
            // A rename to another name of the same file does nothing, so the link may still be there.
            access.calls().unlinkat(descriptor, link, 0);
            return renamed;
        }
        // FAT and some FUSE file systems have no hard links; the kernel refuses some links (protected_hardlinks).
        isLinked = switch (-linked) {
            case Errno.EPERM, Errno.EOPNOTSUPP, Errno.EMLINK, Errno.ENOSYS -> false;
            default -> true;
        };
        return isLinked ? linked : rename(descriptor, own, other, mustBeNew);
    }

    private int rename(int descriptor, MemorySegment from, MemorySegment to, boolean mustBeNew) {
        return mustBeNew
                ? access.renameNew(descriptor, from, descriptor, to)
                : access.calls().renameat2(descriptor, from, descriptor, to, 0);
    }

    /**
     * Gives the entry its name back, after its replacement failed.
     *
     * @return false if something else has the name; the entry then keeps the name of the backup
     * @throws SystemCallException if it keeps the name of the backup
     */
    boolean undo() throws SystemCallException {
        try (FileAccess again = FileAccess.open(calls)) {
            int descriptor = open(again);
            try {
                MemorySegment own = again.name(name.toBytes());
                MemorySegment other = again.otherName(backupName.toBytes());
                return isLinked ? unlink(again, descriptor, own, other) : rename(again, descriptor, own, other);
            } finally {
                again.closeQuietly(descriptor);
            }
        }
    }

    private boolean rename(FileAccess again, int descriptor, MemorySegment own, MemorySegment other)
            throws SystemCallException {
        int result = again.renameNew(descriptor, other, descriptor, own);
        if (result != -Errno.EEXIST) {
            FileAccess.check("rename back from '" + backupName + "'", result);
        }
        return result == 0;
    }

    private static boolean unlink(FileAccess again, int descriptor, MemorySegment own, MemorySegment other)
            throws SystemCallException {
        FileStatus there = again.find(descriptor, own, false);
        boolean isOld = there != null && again.status(descriptor, other).isSameFile(there);
        if (isOld) {
            FileAccess.check("unlink", again.calls().unlinkat(descriptor, other, 0));
        }
        return isOld;
    }
}
