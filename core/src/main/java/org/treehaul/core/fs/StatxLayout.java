// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;

import org.treehaul.core.entry.FileStatus;

/** Reads {@code struct statx}; the offsets are those of linux/stat.h, the same on every architecture. */
final class StatxLayout {

    private StatxLayout() {}

    static FileStatus read(MemorySegment s) {
        int mask = s.get(JAVA_INT, 0);
        boolean hasBirthTime = (mask & LinuxConstants.STATX_BTIME) != 0;
        return new FileStatus(s.get(JAVA_SHORT, 28) & 0xFFFF, unsigned(s, 20), unsigned(s, 24), unsigned(s, 16),
                s.get(JAVA_LONG, 32), makedev(s.get(JAVA_INT, 136), s.get(JAVA_INT, 140)),
                makedev(s.get(JAVA_INT, 128), s.get(JAVA_INT, 132)), s.get(JAVA_LONG, 40), s.get(JAVA_LONG, 48),
                s.get(JAVA_LONG, 64), s.get(JAVA_INT, 72), s.get(JAVA_LONG, 112), s.get(JAVA_INT, 120),
                s.get(JAVA_LONG, 96), s.get(JAVA_INT, 104), hasBirthTime, hasBirthTime ? s.get(JAVA_LONG, 80) : 0,
                hasBirthTime ? s.get(JAVA_INT, 88) : 0);
    }

    private static long unsigned(MemorySegment s, long offset) {
        return Integer.toUnsignedLong(s.get(JAVA_INT, offset));
    }

    // glibc's gnu_dev_makedev: a dev_t of 64 bits with major and minor interleaved.
    private static long makedev(int major, int minor) {
        long high = Integer.toUnsignedLong(major);
        long low = Integer.toUnsignedLong(minor);
        return (high & 0xfffff000L) << 32 | (high & 0xfffL) << 8 | (low & 0xffffff00L) << 12 | low & 0xffL;
    }
}
