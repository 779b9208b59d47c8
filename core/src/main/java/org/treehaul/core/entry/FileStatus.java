// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.entry;

import java.util.Optional;

import org.treehaul.core.annotation.Internal;

/**
 * The fields of statx(2) for one file. Immutable.
 *
 * <p>
 * The times are plain numbers because a walk creates one of these objects per entry; {@link #mtime()} and its siblings
 * return them as values.
 *
 * @param mode {@code st_mode}: type bits, set-id bits and permissions
 * @param uid numeric owner, 0 to 2^32-1
 * @param gid numeric group, 0 to 2^32-1
 * @param linkCount number of hard links; not a count of subdirectories (it is 1 for directories on btrfs)
 * @param inode inode number, unsigned 64 bits
 * @param device number of the device that contains the file, encoded as by makedev(3)
 * @param specialDevice number of the device that a block or character special file represents, else 0
 * @param size size in bytes, as {@code st_size}
 * @param blocks allocated units of 512 bytes
 * @param atimeSeconds seconds of the last access
 * @param atimeNanos its nanoseconds
 * @param mtimeSeconds seconds of the last change of the data
 * @param mtimeNanos its nanoseconds
 * @param ctimeSeconds seconds of the last change of the status
 * @param ctimeNanos its nanoseconds
 * @param hasBirthTime whether the file system reports the birth time
 * @param btimeSeconds seconds of the birth time, 0 if there is none
 * @param btimeNanos its nanoseconds
 */
public record FileStatus(int mode, long uid, long gid, long linkCount, long inode, long device, long specialDevice,
        long size, long blocks, long atimeSeconds, int atimeNanos, long mtimeSeconds, int mtimeNanos, long ctimeSeconds,
        int ctimeNanos, boolean hasBirthTime, long btimeSeconds, int btimeNanos) {

    /** Returns the kind denoted by the type bits of the mode. */
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

    /** Returns the birth time of the file, if the file system records it. */
    public Optional<Timestamp> btime() {
        return hasBirthTime ? Optional.of(new Timestamp(btimeSeconds, btimeNanos)) : Optional.empty();
    }

    /** Returns the major and minor number of a device, such as {@code 8:1}. */
    @Internal
    public static String deviceText(long device) {
        // The same as gnu_dev_major and gnu_dev_minor of sys/sysmacros.h.
        long major = device >>> 8 & 0xfff | device >>> 32 & 0xfffff000L;
        long minor = device & 0xff | device >>> 12 & 0xffffff00L;
        return major + ":" + minor;
    }

    /** Returns whether both are the same file: same device and inode. */
    public boolean isSameFile(FileStatus other) {
        return inode == other.inode && device == other.device;
    }

    /** Returns whether this is the same file with equal size, mtime and ctime, so that no change is visible. */
    public boolean isUnchangedSince(FileStatus earlier) {
        return isSameFile(earlier) && size == earlier.size && mtimeSeconds == earlier.mtimeSeconds
                && mtimeNanos == earlier.mtimeNanos && ctimeSeconds == earlier.ctimeSeconds
                && ctimeNanos == earlier.ctimeNanos;
    }
}
