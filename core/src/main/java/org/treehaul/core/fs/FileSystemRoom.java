// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * What a file system has left, as statfs(2) tells it.
 *
 * @param type its magic number
 * @param bytes all it can hold, 0 where it does not say
 * @param freeBytes bytes that root may still use
 * @param availableBytes bytes that others may still use
 * @param files all inodes it can hold, 0 where it does not say or makes them as it needs them
 * @param freeFiles inodes that are left
 */
public record FileSystemRoom(long type, long bytes, long freeBytes, long availableBytes, long files, long freeFiles) {

    // struct statfs of 64-bit machines: words f_type, f_bsize, f_blocks, f_bfree, f_bavail, f_files, f_ffree, f_fsid (8
    // bytes), f_namelen, f_frsize.
    static FileSystemRoom read(MemorySegment statfs) {
        long fragment = word(statfs, 9);
        // As statvfs(3): f_frsize is the unit, where it is told.
        long unit = fragment == 0 ? word(statfs, 1) : fragment;
        return new FileSystemRoom(word(statfs, 0), bytes(word(statfs, 2), unit), bytes(word(statfs, 3), unit),
                bytes(word(statfs, 4), unit), Math.max(0, word(statfs, 5)), Math.max(0, word(statfs, 6)));
    }

    private static long word(MemorySegment statfs, int index) {
        return statfs.getAtIndex(ValueLayout.JAVA_LONG, index);
    }

    // Some file systems tell more blocks than there can be when they do not know.
    private static long bytes(long blocks, long unit) {
        return blocks < 0 || unit > 0 && blocks > Long.MAX_VALUE / unit ? Long.MAX_VALUE : blocks * unit;
    }
}
