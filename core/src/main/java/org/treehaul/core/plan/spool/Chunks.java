// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.spool;

import org.treehaul.core.plan.format.ChunkRange;

/**
 * Division of a file into chunks. It depends on the size, because the positions of data are visible only in an open
 * file, and some file systems do not report holes.
 *
 * @param size bytes of the file
 * @param count number of chunks; 0 if the file is not divided
 * @param bytes bytes of each chunk but the last
 */
public record Chunks(long size, int count, long bytes) {

    // The maximum number of chunks: a sparse file may have any size.
    private static final int MOST = 1_000_000;
    private static final long GRAIN = 1 << 20;

    /** Returns the chunks of a file: at most 1,000,000, whatever its size. */
    public static Chunks of(SpooledEntry entry, long chunkBytes) {
        return of(entry.bytes(), chunkBytes);
    }

    /** Returns the chunks of a file of a size: at most 1,000,000. */
    public static Chunks of(long size, long chunkBytes) {
        if (chunkBytes == 0 || size <= chunkBytes) {
            return new Chunks(size, 0, size);
        }
        long least = (size / MOST / GRAIN + 1) * GRAIN;
        long bytes = Math.max(chunkBytes, size / MOST < chunkBytes ? 0 : least);
        return new Chunks(size, Math.toIntExact((size - 1) / bytes + 1), bytes);
    }

    /** Returns whether the file is divided. */
    public boolean isCut() {
        return count > 0;
    }

    /** Returns the range of a chunk by its number, from 0. */
    public ChunkRange range(int number) {
        long from = number * bytes;
        return new ChunkRange(number, count, from, number == count - 1 ? size : from + bytes);
    }
}
