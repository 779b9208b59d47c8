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

    private final long[] words = new long[WORDS];
    private final MemorySegment copy = MemorySegment.ofArray(words);

    /** Reads a filled structure. */
    FileStatus read(MemorySegment statx) {
        MemorySegment.copy(statx, 0, copy, 0, WORDS * (long) Long.BYTES);
        // Some file systems set the flag although they know no birth time, and report the beginning of 1970.
        boolean hasBirthTime = (words[0] & LinuxConstants.STATX_BTIME) != 0 && (words[10] != 0 || (int) words[11] != 0);
        return new FileStatus((int) (words[3] >>> 32) & 0xFFFF, high(words[2]), low(words[3]), low(words[2]), words[4],
                makedev(words[17]), makedev(words[16]), words[5], words[6], words[8], (int) words[9], words[14],
                (int) words[15], words[12], (int) words[13], hasBirthTime, hasBirthTime ? words[10] : 0,
                hasBirthTime ? (int) words[11] : 0);
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
