// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.target;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.failure.TargetException;
import org.treehaul.core.copy.options.Backup;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.Directory;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.SystemCallException;

/**
 * Keeps the files that a copy replaces under their backup names. Not safe for several threads.
 *
 * <p>
 * A hard link gives the file its second name; the file also keeps its own name until the copy is renamed over it, so a
 * process that is killed in between leaves both names. On a file system without hard links, the file is renamed
 * instead, and a killed process leaves only the backup.
 */
public final class Backups {

    private static final int TRIES = 1000;

    private final CopyOptions options;
    private final TargetRoots roots;
    private final Backup backup;
    private final FileAccess access;
    private final FileSystemCalls calls;
    private final Placer placer;
    private final MemorySegment backupName = Arena.ofAuto().allocate(1024);
    private final MemorySegment sourceName = Arena.ofAuto().allocate(1024);

    // The directory listed last, and the highest backup number of each name in it.
    private @Nullable TargetDirectory listed;
    private Map<ByteString, Long> numbers = Map.of();
    private @Nullable TargetDirectory ofRoots;
    private Set<ByteString> rootNames = Set.of();

    // The last entry whose target was backed up: if its copy is begun again, the first copy must not be backed up.
    private @Nullable CopyTask kept;

    /** Replaces the file with this name. */
    public interface Replacement {
        /** Puts the new file in place. */
        void run() throws TargetException;
    }

    Backups(CopyOptions options, TargetRoots roots, FileAccess access, Placer placer) {
        this.options = options;
        this.roots = roots;
        this.backup = options.backup();
        this.access = access;
        this.calls = access.calls();
        this.placer = placer;
    }

    /**
     * Backs up the file with this name if the options require it, then runs the replacement. If that fails, the name
     * has its old file again.
     *
     * @param source the status of the source
     */
    public void replace(CopyTask task, FileStatus source, int directory, MemorySegment name, Replacement replacement)
            throws TargetException {
        if (!backup.isMade() || task.equals(kept)) {
            replacement.run();
            return;
        }
        FileStatus there = ExistingTarget.find(access, directory, name);
        if (there != null && there.kind() == EntryKind.DIRECTORY) {
            throw new TargetException("replace a directory", Errno.EISDIR);
        }
        boolean isRenamed = there != null && keep(task, source, directory, name);
        kept = task;
        try {
            replacement.run();
        } catch (TargetException e) {
            kept = null;
            if (isRenamed) {
                placer.renameNew(backupName, task.target(), directory, name);
            }
            throw e;
        }
    }

    // Returns whether the file was renamed rather than linked.
    private boolean keep(CopyTask task, FileStatus source, int directory, MemorySegment name) throws TargetException {
        ByteString own = task.targetName();
        ByteString simple = BackupNames.simple(own, backup);
        if (backup.control() != Backup.Control.NUMBERED) {
            FileStatus old = statusOf(directory, simple);
            if (old != null && old.isSameFile(source)) {
                throw new TargetException("back up (it might destroy the source)", Errno.EEXIST);
            }
        }
        long number = backup.control() == Backup.Control.SIMPLE ? 0 : highest(task.target(), directory, own);
        boolean isNumbered = backup.control() == Backup.Control.NUMBERED || number > 0;
        return isNumbered
                ? number(own, number, task.target(), directory, name)
                : replaceSimple(task, simple, directory, name);
    }

    private boolean number(ByteString own, long highest, TargetDirectory target, int directory, MemorySegment name)
            throws TargetException {
        boolean isRenamed = false;
        for (long number = highest + 1; number <= highest + TRIES; number++) {
            FileAccess.put(backupName, BackupNames.numbered(own, number));
            int result = isRenamed ? -Errno.EPERM : calls.linkat(directory, name, directory, backupName, 0);
            if (isNoLink(result)) {
                isRenamed = true;
                result = placer.renameNew(name, target, directory, backupName);
            }
            if (result != -Errno.EEXIST) {
                check(result);
                return isRenamed;
            }
        }
        throw new TargetException("back up", Errno.EEXIST);
    }

    private boolean replaceSimple(CopyTask task, ByteString simple, int directory, MemorySegment name)
            throws TargetException {
        if (isCopied(task, simple)) {
            throw new TargetException(
                    "back up to a name that is copied too (choose another --suffix, or --backup=numbered)",
                    Errno.EEXIST);
        }
        FileAccess.put(backupName, simple);
        try {
            placer.replaceBy(directory, backupName, true,
                    temporary -> calls.linkat(directory, name, directory, temporary, 0));
            return false;
        } catch (TargetException e) {
            int failed = -e.call().errno();
            if (!e.call().operation().equals("link") || !isNoLink(failed)) {
                throw new TargetException("back up", e.call().errno());
            }
        }
        check(calls.renameat2(directory, name, directory, backupName, 0));
        return true;
    }

    private static void check(int result) throws TargetException {
        if (result != -Errno.ENOENT) { // else it has vanished
            TargetException.checkTaken("back up", result);
        }
    }

    // FAT and some FUSE file systems have no hard links; the kernel refuses links to files that the user may not write
    // to (protected_hardlinks).
    private static boolean isNoLink(int result) {
        return switch (-result) {
            case Errno.EPERM, Errno.EOPNOTSUPP, Errno.EMLINK, Errno.ENOSYS -> true;
            default -> false;
        };
    }

    // Returns whether this copy itself creates, or has created, a file of that name.
    private boolean isCopied(CopyTask task, ByteString name) throws TargetException {
        Directory beside = task.besides();
        try {
            if (beside == null) {
                if (ofRoots != task.target()) {
                    rootNames = new HashSet<>(roots.namesIn(task.target(), access));
                    ofRoots = task.target();
                }
                return rootNames.contains(name);
            }
            int descriptor = beside.acquire(access);
            try {
                boolean isDirectory = access.status(descriptor, FileAccess.put(sourceName, name))
                        .kind() == EntryKind.DIRECTORY;
                return !options.filter().excludes(task.path().parent().child(name.toBytes()), isDirectory);
            } finally {
                beside.release();
            }
        } catch (SystemCallException e) {
            if (e.errno() == Errno.ENOENT || e.errno() == Errno.ENAMETOOLONG) {
                return false;
            }
            throw new TargetException("back up", e.errno());
        }
    }

    private @Nullable FileStatus statusOf(int directory, ByteString name) throws TargetException {
        try {
            return access.find(directory, FileAccess.put(backupName, name), false);
        } catch (SystemCallException e) {
            throw new TargetException("back up", e.errno());
        }
    }

    private long highest(TargetDirectory target, int directory, ByteString name) throws TargetException {
        if (listed != target) {
            try {
                numbers = BackupNames.list(access, directory);
                listed = target;
            } catch (SystemCallException e) {
                throw new TargetException("back up: " + e.operation(), e.errno());
            }
        }
        return numbers.getOrDefault(name, 0L);
    }
}
