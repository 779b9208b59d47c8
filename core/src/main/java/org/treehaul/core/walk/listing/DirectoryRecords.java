// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.listing;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;

/** Reads the records that getdents64(2) writes into a buffer: {@code struct linux_dirent64}. */
public final class DirectoryRecords {

    private static final int INODE = 0;
    private static final int OFFSET = 8;
    private static final int RECORD_LENGTH = 16;
    public static final int TYPE = 18;
    public static final int NAME = 19;

    private DirectoryRecords() {}

    /**
     * Reads the next records of an open directory.
     *
     * @return the number of bytes read, 0 at the end, or {@code -errno}: then the rest of the directory is unknown
     */
    public static int read(FileAccess access, int descriptor, MemorySegment records) {
        return access.calls().getdents64(descriptor, records);
    }

    /** Receives the records of a listing. */
    @FunctionalInterface
    public interface Visitor {

        /** Receives the record that begins at an offset. The memory is valid until the method returns. */
        void record(MemorySegment records, long at);
    }

    /**
     * Reads the rest of an open directory, {@code .} and {@code ..} included.
     *
     * @param records memory for the records, aligned to 8 bytes
     */
    public static void forEach(FileAccess access, int descriptor, MemorySegment records, Visitor visitor)
            throws SystemCallException {
        int length = FileAccess.check("getdents64", read(access, descriptor, records));
        while (length > 0) {
            for (long at = 0; at < length; at += length(records, at)) {
                visitor.record(records, at);
            }
            length = FileAccess.check("getdents64", read(access, descriptor, records));
        }
    }

    /**
     * Returns whether a directory has no entries; its position must be the beginning. Uses the buffer of the access.
     *
     * @throws SystemCallException if it cannot be read
     */
    public static boolean isEmpty(FileAccess access, int descriptor) throws SystemCallException {
        while (true) {
            int length = read(access, descriptor, access.buffer());
            if (length <= 0) {
                if (length < 0 && length != -Errno.ENOENT) {
                    throw new SystemCallException("getdents64", -length);
                }
                return true;
            }
            for (int at = 0; at < length; at += length(access.buffer(), at)) {
                if (!isDots(access.buffer(), at)) {
                    return false;
                }
            }
        }
    }

    /** Returns the length of the record that begins at an offset; the next one follows it. */
    public static int length(MemorySegment records, long at) {
        return records.get(ValueLayout.JAVA_SHORT_UNALIGNED, at + RECORD_LENGTH) & 0xFFFF;
    }

    /** Returns the inode number given in the listing. */
    public static long inode(MemorySegment records, long at) {
        return records.get(ValueLayout.JAVA_LONG_UNALIGNED, at + INODE);
    }

    /** Returns whether the name is {@code .} or {@code ..}. */
    public static boolean isDots(MemorySegment records, long at) {
        byte first = records.get(ValueLayout.JAVA_BYTE, at + NAME);
        if (first != '.') {
            return false;
        }
        byte second = records.get(ValueLayout.JAVA_BYTE, at + NAME + 1);
        return second == 0 || second == '.' && records.get(ValueLayout.JAVA_BYTE, at + NAME + 2) == 0;
    }

    /** Returns the length of the name, without its NUL. */
    public static int nameLength(MemorySegment records, long at) {
        // A record's length is that of its name rounded up to 8, so the NUL is in the last 8 bytes.
        int end = Math.max(NAME, length(records, at) - 8);
        while (records.get(ValueLayout.JAVA_BYTE, at + end) != 0) {
            end++;
        }
        return end - NAME;
    }

    /** Returns a copy of the name, without its NUL. */
    public static byte[] nameBytes(MemorySegment records, long at) {
        return records.asSlice(at + NAME, nameLength(records, at)).toArray(ValueLayout.JAVA_BYTE);
    }

    /** Returns the kind given in the listing, or null where the file system does not give one. DT_* of dirent.h. */
    public static @Nullable EntryKind kind(MemorySegment records, long at) {
        return kind(records.get(ValueLayout.JAVA_BYTE, at + TYPE));
    }

    /** Returns the kind for a DT_* of dirent.h, or null if there is none. */
    public static @Nullable EntryKind kind(byte type) {
        return switch (type) {
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

    // The same methods for records that were copied to the heap.

    public static int length(byte[] records, int at) {
        return records[at + RECORD_LENGTH] & 0xFF | (records[at + RECORD_LENGTH + 1] & 0xFF) << 8;
    }

    public static long inode(byte[] records, int at) {
        long inode = 0;
        for (int i = Long.BYTES - 1; i >= 0; i--) {
            inode = inode << Byte.SIZE | records[at + INODE + i] & 0xFF;
        }
        return inode;
    }

    /** Returns whether the kind given in the listing is that of a directory. DT_DIR of dirent.h. */
    public static boolean isDirectory(byte[] records, int at) {
        return records[at + TYPE] == 4;
    }

    /** Returns whether the kind given in the listing is that of a regular file. DT_REG of dirent.h. */
    public static boolean isRegular(byte[] records, int at) {
        return records[at + TYPE] == 8;
    }

    /**
     * Returns whether the listing ends after a record: whether the position behind it is the largest one of all, as
     * behind the last record of ext4 and Lustre. A listing may end after other records, too.
     */
    public static boolean isAtEnd(byte[] records, int at) {
        // Mostly false after one byte.
        if (records[at + OFFSET + Long.BYTES - 1] != Byte.MAX_VALUE) {
            return false;
        }
        for (int i = 0; i < Long.BYTES - 1; i++) {
            if (records[at + OFFSET + i] != -1) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns whether the position behind a record is 2^31-1. A tmpfs of newer kernels gives it behind the last record,
     * and behind no other; other file systems may give it to any record.
     */
    public static boolean isAtEndOfTmpfs(byte[] records, int at) {
        int last = at + OFFSET + Integer.BYTES - 1;
        // Mostly false after one byte.
        if (records[last] != Byte.MAX_VALUE) {
            return false;
        }
        for (int i = 1; i < Integer.BYTES; i++) {
            if (records[last - i] != -1) {
                return false;
            }
        }
        return (records[last + 1] | records[last + 2] | records[last + 3] | records[last + 4]) == 0;
    }

    public static boolean isDots(byte[] records, int at) {
        byte second = records[at + NAME + 1];
        return records[at + NAME] == '.' && (second == 0 || second == '.' && records[at + NAME + 2] == 0);
    }

    public static int nameLength(byte[] records, int at) {
        int end = Math.max(NAME, length(records, at) - 8);
        while (records[at + end] != 0) {
            end++;
        }
        return end - NAME;
    }
}
