// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync;

import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_RDONLY;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.state.Checksum;

/**
 * A directory as later runs recognise it.
 *
 * @param fileSystem the identity of its file system, which remains after a restart of the machine and another mount
 * @param inode its inode number
 */
record KnownPlace(String fileSystem, long inode) {

    private static final Path MOUNTS = Path.of("/proc/self/mountinfo");

    // linux/magic.h; OpenZFS's ZFS_SUPER_MAGIC.
    private static final long BTRFS = 0x9123683EL;
    private static final long ZFS = 0x2FC12FC1L;

    /**
     * Reads what identifies a directory.
     *
     * @throws UncheckedIOException if /proc is not mounted
     */
    static KnownPlace of(FileSystemCalls calls, ByteString path) throws SystemCallException {
        try (FileAccess access = FileAccess.open(calls)) {
            int descriptor = LongPath.open(access, path, O_RDONLY | O_DIRECTORY);
            try {
                FileStatus status = access.status(descriptor);
                return new KnownPlace(identity(access.fileSystemType(descriptor), access.fileSystemId(descriptor),
                        status.device(), mounts()), status.inode());
            } finally {
                access.calls().close(descriptor);
            }
        }
    }

    private static String mounts() {
        try {
            return Files.readString(MOUNTS, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Returns the identity of a file system: its type, with its number, or for one without a number the device or
     * server that is mounted.
     *
     * @param type f_type of statfs(2)
     * @param number f_fsid of statfs(2), 0 if it has none
     * @param device st_dev, encoded as in makedev(3)
     * @param mounts the content of /proc/self/mountinfo
     */
    static String identity(long type, long number, long device, String mounts) {
        String text = Long.toHexString(type);
        if (type == BTRFS) {
            // Its first word is of the file system, its second one also of the subvolume, so a snapshot has another.
            return text + " " + Long.toHexString(number & 0xFFFFFFFFL);
        }
        if (number != 0 && type != ZFS) {
            return text + " " + Long.toHexString(number);
        }
        // A snapshot of ZFS has a number of its own; its mount is named pool/dataset@snapshot.
        return text + " " + source(device, mounts).replaceFirst("@.*", "");
    }

    // proc_pid_mountinfo(5): id, parent, major:minor, root, mount point, options, fields, "-", type, source, options.
    private static String source(long device, String mounts) {
        String number = FileStatus.deviceText(device);
        for (String line : mounts.split("\n", -1)) {
            String[] parts = line.split(" - ", 2);
            String[] first = parts[0].split(" ", -1);
            if (parts.length == 2 && first.length > 2 && first[2].equals(number)) {
                String[] second = parts[1].split(" ", -1);
                return second.length > 1 ? second[1] : "";
            }
        }
        return "";
    }

    /** Returns the place as one line. */
    String id() {
        return Long.toUnsignedString(inode) + " " + fileSystem;
    }

    /** Returns a name for a file about the place; two places may have the same one. */
    String fileName() {
        return Long.toUnsignedString(inode) + "-"
                + Checksum.hex(Checksum.of(fileSystem.getBytes(StandardCharsets.ISO_8859_1)));
    }
}
