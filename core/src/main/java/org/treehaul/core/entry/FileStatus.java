// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.entry;

import java.util.Optional;

/**
 * What the kernel says of one file: the fields of statx(2). Immutable.
 *
 * <p>
 * The times are kept as plain numbers because a walk makes one of these per entry; {@link #mtime()} and its siblings
 * give them as values.
 *
 * @param mode {@code st_mode}: type bits, set-id bits and permissions
 * @param uid numeric owner, 0 to 2^32-1
 * @param gid numeric group, 0 to 2^32-1
 * @param linkCount number of hard links; not a count of subdirectories (it is 1 for directories on btrfs)
 * @param inode inode number, unsigned 64 bits
 * @param device number of the device the file is on, as makedev(3) packs it
 * @param specialDevice for block and character devices the number of the device they stand for, else 0
 * @param size bytes, as {@code st_size}
 * @param blocks units of 512 bytes that are allocated
 * @param atimeSeconds seconds of the last access
 * @param atimeNanos its nanoseconds
 * @param mtimeSeconds seconds of the last change of the data
 * @param mtimeNanos its nanoseconds
 * @param ctimeSeconds seconds of the last change of the status
 * @param ctimeNanos its nanoseconds
 * @param hasBirthTime whether the file system tells when the file was made
 * @param btimeSeconds seconds of the birth time, 0 when there is none
 * @param btimeNanos its nanoseconds
 */
public record FileStatus(int mode, long uid, long gid, long linkCount, long inode, long device, long specialDevice,
        long size, long blocks, long atimeSeconds, int atimeNanos, long mtimeSeconds, int mtimeNanos, long ctimeSeconds,
        int ctimeNanos, boolean hasBirthTime, long btimeSeconds, int btimeNanos) {

    /** Returns the kind that the type bits of the mode name. */
    public EntryKind kind() {
        return EntryKind.ofMode(mode);
    }

    /** Returns the permission bits with set-id and sticky bits, without the type: {@code mode & 07777}. */
    public int permissions() {
        return mode & 07777;
    }

    /** Returns the time of the last access. */
    public Timestamp atime() {
        return new Timestamp(atimeSeconds, atimeNanos);
    }

    /** Returns the time of the last change of the data. */
    public Timestamp mtime() {
        return new Timestamp(mtimeSeconds, mtimeNanos);
    }

    /** Returns the time of the last change of the status. */
    public Timestamp ctime() {
        return new Timestamp(ctimeSeconds, ctimeNanos);
    }

    /** Returns the time the file was made, where the file system keeps it. */
    public Optional<Timestamp> btime() {
        return hasBirthTime ? Optional.of(new Timestamp(btimeSeconds, btimeNanos)) : Optional.empty();
    }

    /** Returns true when both are the same file: same device and inode. */
    public boolean isSameFile(FileStatus other) {
        return inode == other.inode && device == other.device;
    }

    /** Returns true when size, mtime and ctime are equal: nothing was seen to change between two looks at one file. */
    public boolean isUnchangedSince(FileStatus earlier) {
        return isSameFile(earlier) && size == earlier.size && mtimeSeconds == earlier.mtimeSeconds
                && mtimeNanos == earlier.mtimeNanos && ctimeSeconds == earlier.ctimeSeconds
                && ctimeNanos == earlier.ctimeNanos;
    }
}
