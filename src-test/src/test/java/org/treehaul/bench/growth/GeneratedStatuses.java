// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench.growth;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.LinuxConstants;
import org.treehaul.core.fs.ProcessStatus;

/**
 * Writes the statuses and listings of generated places as the kernel does: {@code struct statx} of linux/stat.h, and
 * {@code struct linux_dirent64} of getdents(2). Safe for any number of threads.
 */
final class GeneratedStatuses {

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED
            .withOrder(ByteOrder.LITTLE_ENDIAN);

    // Offsets in struct statx.
    private static final int NLINK = 16;
    private static final int UID = 20;
    private static final int GID = 24;
    private static final int MODE = 28;
    private static final int INODE = 32;
    private static final int SIZE = 40;
    private static final int BLOCKS = 48;
    private static final int ATIME = 64;
    private static final int CTIME = 96;
    private static final int MTIME = 112;
    private static final int DEVICE_MINOR = 140;

    // Offsets in struct linux_dirent64.
    private static final int NEXT = 8;
    private static final int LENGTH = 16;
    private static final int TYPE = 18;
    private static final int NAME = 19;
    private static final int DT_DIR = 4;
    private static final int DT_REG = 8;

    private static final int BLOCK = 4096;
    private static final int SECTORS = 8;
    /** Devices of no driver, as those of file systems without a disk are. */
    private static final int FIRST_DEVICE = 0xF0000;

    private final GeneratedTree tree;
    private final int uid;

    GeneratedStatuses(GeneratedTree tree) {
        this.tree = tree;
        // Every user can give a copy his own files.
        this.uid = owner();
    }

    private static int owner() {
        try {
            return (int) ProcessStatus.read().effectiveUid();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the size of a place in bytes. */
    long size(long place) {
        return GeneratedPlaces.kind(place) == GeneratedPlaces.OTHER ? 0 : tree.size(GeneratedPlaces.node(place));
    }

    /** Writes the status of a place. */
    void fill(long place, MemorySegment result) {
        result.fill((byte) 0);
        boolean isOther = GeneratedPlaces.kind(place) == GeneratedPlaces.OTHER;
        long node = GeneratedPlaces.node(place);
        EntryKind kind = isOther ? EntryKind.REGULAR : tree.kind(node);
        long size = size(place);
        result.set(INT, 0, LinuxConstants.STATX_BASIC_STATS);
        result.set(INT, 4, BLOCK);
        result.set(INT, NLINK, kind == EntryKind.DIRECTORY ? 2 : 1);
        result.set(INT, UID, uid);
        result.set(INT, GID, 0);
        result.set(SHORT, MODE,
                (short) (kind.typeBits() | (isOther ? 0600 : kind == EntryKind.DIRECTORY ? 0755 : 0644)));
        result.set(LONG, INODE, isOther ? 1 : tree.inode(node));
        result.set(LONG, SIZE, size);
        result.set(LONG, BLOCKS, (size + BLOCK - 1) / BLOCK * SECTORS);
        Timestamp time = tree.time(isOther ? 0 : node);
        for (int at : new int[]{ATIME, CTIME, MTIME}) {
            result.set(LONG, at, time.seconds());
            result.set(INT, at + 8, time.nanos());
        }
        boolean isSource = GeneratedPlaces.kind(place) == GeneratedPlaces.SOURCE;
        result.set(INT, DEVICE_MINOR, FIRST_DEVICE + (isSource ? 0 : 1));
    }

    /** Writes entries of a directory from a position on, and advances it; returns the bytes written, or -EINVAL. */
    int list(long directory, OpenFiles.Position position, MemorySegment buffer) {
        long count = tree.count(directory);
        int used = 0;
        while (position.at < count) {
            long node = tree.at(directory, position.at);
            long number = tree.number(node);
            int digits = digits(number);
            // The name has a letter and a NUL besides; records are aligned to 8 bytes.
            int length = NAME + digits + 2 + 7 & ~7;
            if (used + length > buffer.byteSize()) {
                return used == 0 ? -Errno.EINVAL : used;
            }
            buffer.set(LONG, used, tree.inode(node));
            buffer.set(LONG, used + NEXT, position.at + 1);
            buffer.set(SHORT, used + LENGTH, (short) length);
            buffer.set(JAVA_BYTE, used + TYPE, (byte) (tree.isDirectory(node) ? DT_DIR : DT_REG));
            buffer.set(JAVA_BYTE, used + NAME, tree.letter(node));
            long rest = number;
            for (int i = used + NAME + digits; i > used + NAME; i--) {
                buffer.set(JAVA_BYTE, i, (byte) ('0' + rest % 10));
                rest /= 10;
            }
            buffer.set(JAVA_BYTE, used + NAME + digits + 1, (byte) 0);
            used += length;
            position.at++;
        }
        return used;
    }

    private static int digits(long number) {
        int digits = 1;
        for (long rest = number / 10; rest > 0; rest /= 10) {
            digits++;
        }
        return digits;
    }
}
