// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import java.lang.foreign.MemorySegment;

import org.treehaul.core.annotation.Api;

/**
 * The capacity of a file system and its free space, from statfs(2).
 *
 * @param type its magic number
 * @param bytes total capacity in bytes, 0 if not reported
 * @param freeBytes bytes that root may still use
 * @param availableBytes bytes that other users may still use
 * @param files total number of inodes, 0 if not reported or if inodes are created on demand
 * @param freeFiles free inodes
 */
@Api
public record FileSystemRoom(long type, long bytes, long freeBytes, long availableBytes, long files, long freeFiles) {

    // struct statfs of 64-bit machines: words f_type, f_bsize, f_blocks, f_bfree, f_bavail, f_files, f_ffree, f_fsid (8
    // bytes), f_namelen, f_frsize.
    static FileSystemRoom read(MemorySegment statfs) {
        long fragment = FileAccess.word(statfs, 9);
        // As in statvfs(3): f_frsize is the unit where it is set.
        long unit = fragment == 0 ? FileAccess.word(statfs, 1) : fragment;
        return new FileSystemRoom(FileAccess.word(statfs, 0), bytes(FileAccess.word(statfs, 2), unit),
                bytes(FileAccess.word(statfs, 3), unit), bytes(FileAccess.word(statfs, 4), unit),
                Math.max(0, FileAccess.word(statfs, 5)), Math.max(0, FileAccess.word(statfs, 6)));
    }

    // Some file systems report more blocks than possible when they do not know.
    private static long bytes(long blocks, long unit) {
        return blocks < 0 || unit > 0 && blocks > Long.MAX_VALUE / unit ? Long.MAX_VALUE : blocks * unit;
    }
}
