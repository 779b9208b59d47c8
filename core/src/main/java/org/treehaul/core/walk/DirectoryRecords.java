// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.EntryKind;

/** Reads the records that getdents64(2) fills a buffer with: {@code struct linux_dirent64}. */
final class DirectoryRecords {

    private static final int INODE = 0;
    private static final int RECORD_LENGTH = 16;
    private static final int TYPE = 18;
    private static final int NAME = 19;

    private DirectoryRecords() {}

    static int length(MemorySegment records, long at) {
        return records.get(ValueLayout.JAVA_SHORT_UNALIGNED, at + RECORD_LENGTH) & 0xFFFF;
    }

    static long inode(MemorySegment records, long at) {
        return records.get(ValueLayout.JAVA_LONG_UNALIGNED, at + INODE);
    }

    /** Returns whether the name is {@code .} or {@code ..}. */
    static boolean isDots(MemorySegment records, long at) {
        byte first = records.get(ValueLayout.JAVA_BYTE, at + NAME);
        if (first != '.') {
            return false;
        }
        byte second = records.get(ValueLayout.JAVA_BYTE, at + NAME + 1);
        return second == 0 || second == '.' && records.get(ValueLayout.JAVA_BYTE, at + NAME + 2) == 0;
    }

    // A record's length is that of its name rounded up to 8, so the NUL stands in the last 8 bytes.
    static int nameLength(MemorySegment records, long at) {
        int end = Math.max(NAME, length(records, at) - 8);
        while (records.get(ValueLayout.JAVA_BYTE, at + end) != 0) {
            end++;
        }
        return end - NAME;
    }

    static MemorySegment name(MemorySegment records, long at, int nameLength) {
        return records.asSlice(at + NAME, nameLength + 1L);
    }

    /** Returns the kind that the file system tells in its listing, or null where it does not. DT_* of dirent.h. */
    static @Nullable EntryKind kind(MemorySegment records, long at) {
        return switch (records.get(ValueLayout.JAVA_BYTE, at + TYPE)) {
            case 1 -> EntryKind.FIFO;
            case 2 -> EntryKind.CHARACTER;
            case 4 -> EntryKind.DIRECTORY;
            case 6 -> EntryKind.BLOCK;
            case 8 -> EntryKind.REGULAR;
            case 10 -> EntryKind.SYMLINK;
            case 12 -> EntryKind.SOCKET;
            default -> null;
        };
    }
}
