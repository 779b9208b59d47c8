// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import java.lang.foreign.MemorySegment;

import org.treehaul.core.entry.FileStatus;

/**
 * Reads {@code struct statx}; the offsets are those of linux/stat.h, the same on every architecture.
 *
 * <p>
 * The structure is first copied to the heap as one array of 64-bit words: twenty single reads of native memory took the
 * compiler so much time at the start of a run that a walk of half a million entries used a fifth more CPU time of its
 * own. Copying between segments, rather than to an array, spares that compiler a switch over the types of arrays.
 *
 * <p>
 * Used by one thread.
 */
final class StatxLayout {

    /** The number of 64-bit words up to the last field that is read, stx_dev_minor at byte 140. */
    private static final int WORDS = 18;

    private static final int LAST_NANO = 999_999_999;

    private final long[] words = new long[WORDS];
    private final MemorySegment copy = MemorySegment.ofArray(words);

    /** Reads a filled structure. */
    FileStatus read(MemorySegment statx) {
        MemorySegment.copy(statx, 0, copy, 0, WORDS * (long) Long.BYTES);
        return read(words, 0);
    }

    /** Reads a filled structure from its 64-bit words, which begin at an index of an array. */
    static FileStatus read(long[] words, int at) {
        // Some file systems set the flag although they know no birth time, and report the beginning of 1970.
        long seconds = words[at + 10];
        int nanos = nanos(words[at + 11]);
        boolean hasBirthTime = (words[at] & LinuxConstants.STATX_BTIME) != 0 && (seconds != 0 || nanos != 0);
        return new FileStatus((int) (words[at + 3] >>> 32) & 0xFFFF, high(words[at + 2]), low(words[at + 3]),
                low(words[at + 2]), words[at + 4], makedev(words[at + 17]), makedev(words[at + 16]), words[at + 5],
                words[at + 6], words[at + 8], nanos(words[at + 9]), words[at + 14], nanos(words[at + 15]),
                words[at + 12], nanos(words[at + 13]), hasBirthTime, hasBirthTime ? seconds : 0,
                hasBirthTime ? nanos : 0);
    }

    /**
     * Returns the nanoseconds in the lower half of a word. The kernel passes on what a server of NFS or 9P answers;
     * what no time has, and no file could be given, becomes the last nanosecond.
     */
    static int nanos(long word) {
        int nanos = (int) word;
        return nanos < 0 || nanos > LAST_NANO ? LAST_NANO : nanos;
    }

    // Both architectures are little-endian: the field at the lower address is in the lower half of a word.
    private static long low(long word) {
        return word & 0xFFFFFFFFL;
    }

    private static long high(long word) {
        return word >>> 32;
    }

    // The same as glibc's gnu_dev_makedev: a 64-bit dev_t with major and minor interleaved.
    static long makedev(long word) {
        long major = low(word);
        long minor = high(word);
        return (major & 0xfffff000L) << 32 | (major & 0xfffL) << 8 | (minor & 0xffffff00L) << 12 | minor & 0xffL;
    }
}
