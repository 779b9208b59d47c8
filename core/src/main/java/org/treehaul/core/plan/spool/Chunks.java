// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.spool;

import java.util.List;

import org.treehaul.core.plan.format.ChunkRange;

/**
 * Division of a file into chunks. It depends on the size, because the positions of data are visible only in an open
 * file, and some file systems do not report holes; or on the layout, if the plan asked for that.
 *
 * @param size bytes of the file
 * @param count number of chunks; 0 if the file is not divided
 * @param bytes bytes of each chunk but the last, unless there are cuts
 * @param cuts the offsets between the chunks, if they are not of one size
 */
public record Chunks(long size, int count, long bytes, List<Long> cuts) {

    /** The size of a chunk in a plan that divides files where their data change the servers. */
    public static final long BY_LAYOUT = Long.MAX_VALUE;

    // The maximum number of chunks: a sparse file may have any size.
    private static final int MOST = 1_000_000;
    private static final long GRAIN = 1 << 20;

    /** Returns the chunks of a file: at most 1,000,000, whatever its size. */
    public static Chunks of(SpooledEntry entry, long chunkBytes) {
        return of(entry.bytes(), chunkBytes, entry.cuts());
    }

    /**
     * Returns the chunks of a file of a size: at most 1,000,000.
     *
     * @param cuts the offsets at which the file is divided; if there are none, the size of a chunk decides
     */
    public static Chunks of(long size, long chunkBytes, List<Long> cuts) {
        if (!cuts.isEmpty()) {
            return new Chunks(size, cuts.size() + 1, 0, cuts);
        }
        if (!divides(size, chunkBytes)) {
            return new Chunks(size, 0, size, cuts);
        }
        long least = (size / MOST / GRAIN + 1) * GRAIN;
        long bytes = Math.max(chunkBytes, size / MOST < chunkBytes ? 0 : least);
        return new Chunks(size, Math.toIntExact((size - 1) / bytes + 1), bytes, cuts);
    }

    /** Returns whether a file of a size is divided, if it has no cuts. */
    public static boolean divides(long size, long chunkBytes) {
        return chunkBytes != 0 && size > chunkBytes;
    }

    /** Returns whether the file is divided. */
    public boolean isCut() {
        return count > 0;
    }

    /** Returns the range of a chunk by its number, from 0. */
    public ChunkRange range(int number) {
        if (!cuts.isEmpty()) {
            return new ChunkRange(number, count, number == 0 ? 0 : cuts.get(number - 1),
                    number == count - 1 ? size : cuts.get(number));
        }
        long from = number * bytes;
        return new ChunkRange(number, count, from, number == count - 1 ? size : from + bytes);
    }
}
