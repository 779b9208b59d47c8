// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import java.security.SecureRandom;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;

/**
 * Computes a number of 64 bits from all that an index run compares of an entry. The index keeps the sum of these
 * numbers for each directory ({@link DirectoryTotals#listing}), so that a later run recognizes an unchanged directory
 * by one number in any order of its entries. Immutable.
 * <p>
 * Two listings that differ have equal sums by chance once in 2<sup>64</sup>. Each index has a random key of its own:
 * without it, a user could choose names and times such that a change leaves the sum as it is.
 */
@Internal
public final class EntrySum {

    /** The increment of SplitMix64, the golden ratio. */
    private static final long GOLDEN = 0x9e3779b97f4a7c15L;
    private static final int VALUES = 16;

    private final long key;
    private final long[] seeds = new long[VALUES];

    /** Creates the computation with a key. */
    public EntrySum(long key) {
        this.key = key;
        for (int i = 0; i < VALUES; i++) {
            seeds[i] = mix(key + (i + 1) * GOLDEN);
        }
    }

    /** Creates the computation with a random key. */
    public static EntrySum random() {
        return new EntrySum(new SecureRandom().nextLong());
    }

    /** Returns the key. */
    public long key() {
        return key;
    }

    /**
     * Returns the number of an entry: a function of its name, of what {@link FileTuple#isSameEntry} compares, and of
     * whether it meets the conditions of the index. The directory, the index run, hash and servers do not count.
     */
    public long of(FileTuple entry) {
        EntryKind kind = entry.kind();
        boolean isReadByIndex = kind == EntryKind.DIRECTORY || kind == EntryKind.SYMLINK;
        Long btime = entry.btime();
        long flags = (long) kind.typeBits() << 3 | (btime == null ? 4 : 0) | (entry.unread() ? 2 : 0)
                | (entry.isSelected() ? 1 : 0);
        // Each value by itself, not one after the other, so that the processor computes several at the same time.
        long all = part(0, flags) + part(1, entry.size()) + part(2, entry.blocks())
                + part(3, isReadByIndex ? 0 : entry.atime()) + part(4, entry.mtime()) + part(5, entry.ctime())
                + part(6, btime == null ? 0 : btime) + part(7, entry.mode()) + part(8, entry.owner())
                + part(9, entry.group()) + part(10, entry.links()) + part(11, entry.inode()) + part(12, entry.device())
                + text(13, entry.name()) + text(14, entry.target());
        return mix(all + seeds[15]);
    }

    /** Returns the number of a path. */
    long of(ByteString path) {
        return text(15, path);
    }

    private long part(int index, long value) {
        return mix(seeds[index] + value);
    }

    private long text(int index, @Nullable ByteString text) {
        if (text == null) {
            return 0;
        }
        long sum = seeds[index] + text.length();
        for (int i = 0; i < text.length(); i++) {
            sum = (sum ^ text.at(i)) * GOLDEN;
            sum ^= sum >>> 29;
        }
        return mix(sum);
    }

    /** The finalizer of SplitMix64 (Steele, Lea, Flood 2014): each bit changes about half of the bits of the result. */
    private static long mix(long value) {
        long mixed = (value ^ value >>> 30) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94d049bb133111ebL;
        return mixed ^ mixed >>> 31;
    }
}
