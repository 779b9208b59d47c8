// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

/**
 * How a file is cut.
 *
 * @param size bytes of the file
 * @param count number of chunks; 0 when it is not cut
 * @param bytes bytes of each chunk but the last
 */
record Chunks(long size, int count, long bytes) {

    // A file of holes may tell any size.
    private static final int MOST = 1_000_000;
    private static final long GRAIN = 1 << 20;

    static Chunks of(SpooledEntry entry, long chunkBytes) {
        long size = entry.bytes();
        if (chunkBytes == 0 || size <= chunkBytes) {
            return new Chunks(size, 0, size);
        }
        long least = (size / MOST / GRAIN + 1) * GRAIN;
        long bytes = Math.max(chunkBytes, size / MOST < chunkBytes ? 0 : least);
        return new Chunks(size, Math.toIntExact((size - 1) / bytes + 1), bytes);
    }

    boolean isCut() {
        return count > 0;
    }

    ChunkRange range(int number) {
        long from = number * bytes;
        return new ChunkRange(number, count, from, number == count - 1 ? size : from + bytes);
    }
}
