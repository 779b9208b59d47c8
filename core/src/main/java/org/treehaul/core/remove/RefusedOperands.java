// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.remove;

import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_PATH;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;

/**
 * Directories that are never removed as operands, under any name that leads to them: {@code /}, those that the options
 * keep with all directories above them, directories of the system, and mount points; and links that have the name of a
 * directory of the system. Immutable.
 */
final class RefusedOperands {

    private static final String IS_KEPT = "refused to remove the home directory, or a directory that contains it; "
            + "--allow=home permits it";
    private static final String IS_SYSTEM = "refused to remove a directory of the system; --allow=system permits it";
    private static final String IS_MOUNT = "refused to remove a mount point; unmount it, or use --allow=mount";

    // The Filesystem Hierarchy Standard, chapter 3, names them; /tmp, /mnt and /media are left out.
    private static final List<String> SYSTEM = List.of("/bin", "/boot", "/dev", "/etc", "/home", "/lib", "/lib32",
            "/lib64", "/opt", "/proc", "/root", "/run", "/sbin", "/srv", "/sys", "/usr", "/var");

    private static final byte[] UP = {'.', '.'};

    private final Optional<FileStatus> top;
    private final List<FileStatus> kept;
    private final RemoveOptions options;

    private RefusedOperands(Optional<FileStatus> top, List<FileStatus> kept, RemoveOptions options) {
        this.top = top;
        this.kept = List.copyOf(kept);
        this.options = options;
    }

    /** Finds the directories. One that cannot be examined is not among them. */
    static RefusedOperands of(FileSystemCalls calls, RemoveOptions options) {
        // Without it, the text of the operand still excludes it.
        Optional<FileStatus> top = FileAccess.top(calls);
        List<FileStatus> kept = new ArrayList<>();
        try (FileAccess access = FileAccess.open(calls)) {
            for (ByteString path : options.kept()) {
                try {
                    LongPath.withParents(access, path, kept::add);
                } catch (SystemCallException e) {
                    // Without such a directory nothing is lost; the parents found so far are kept.
                }
            }
        }
        return new RefusedOperands(top, kept, options);
    }

    /**
     * Checks an operand.
     *
     * @param base the descriptor against which the name is resolved
     * @param status its status
     * @throws SystemCallException without an errno and with the reason, if it is refused; ESTALE if it is no longer the
     *         directory with this status
     */
    void check(FileAccess access, int base, MemorySegment name, FileStatus status, Operand operand)
            throws SystemCallException {
        if (status.kind() == EntryKind.SYMLINK) {
            checkLink(access, operand);
        }
        if (status.kind() != EntryKind.DIRECTORY) {
            return;
        }
        if (top.filter(status::isSameFile).isPresent()) {
            throw new SystemCallException(Operand.IS_TOP, 0);
        }
        if (kept.stream().anyMatch(status::isSameFile)) {
            throw new SystemCallException(IS_KEPT, 0);
        }
        if (options.mountPoints() && options.systemDirectories()) {
            return;
        }
        int directory = access.open(base, name, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0);
        try {
            if (!access.status(directory).isSameFile(status)) {
                throw new SystemCallException("open", Errno.ESTALE);
            }
            if (!options.systemDirectories() && isOfSystem(access, directory, status)) {
                throw new SystemCallException(IS_SYSTEM, 0);
            }
            if (!options.mountPoints() && access.isMountPoint(directory)) {
                throw new SystemCallException(IS_MOUNT, 0);
            }
        } finally {
            access.closeQuietly(directory);
        }
    }

    // /bin and others are links where all programs are in /usr.
    private void checkLink(FileAccess access, Operand operand) throws SystemCallException {
        if (options.systemDirectories() || !SYSTEM.contains("/" + operand.name())) {
            return;
        }
        FileStatus above = LongPath.status(access, operand.directory(), true);
        if (top.filter(above::isSameFile).isPresent()) {
            throw new SystemCallException(IS_SYSTEM, 0);
        }
    }

    // Nothing is looked up in / for an operand that is elsewhere: it may contain mounts that do not answer.
    private boolean isOfSystem(FileAccess access, int directory, FileStatus status) throws SystemCallException {
        FileStatus parent;
        try {
            parent = access.find(directory, access.name(UP), false);
        } catch (SystemCallException e) {
            // A user who may not search it may not remove what is in it either.
            return false;
        }
        if (parent == null || top.filter(parent::isSameFile).isEmpty()) {
            return false;
        }
        for (String path : SYSTEM) {
            FileStatus there = access.find(directory, access.name(path.getBytes(StandardCharsets.US_ASCII)), false);
            if (there != null && there.isSameFile(status)) {
                return true;
            }
        }
        return false;
    }
}
