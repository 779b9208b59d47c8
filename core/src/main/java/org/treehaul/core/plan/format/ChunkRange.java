// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.format;

/**
 * A chunk of a file that is copied in chunks.
 *
 * @param number the number of the chunk, 0 to count - 1
 * @param count the number of chunks
 * @param from the offset of its first byte
 * @param to the offset after its last byte, greater than from
 */
public record ChunkRange(int number, int count, long from, long to) {

    /** Creates a range. */
    public ChunkRange {
        if (number < 0 || number >= count) {
            throw new IllegalArgumentException("chunk " + number + " of " + count);
        }
        if (from < 0 || to <= from) {
            throw new IllegalArgumentException("a chunk from " + from + " to " + to);
        }
    }

    /** Returns the number of bytes in the chunk. */
    public long bytes() {
        return to - from;
    }

    /**
     * Returns the bytes of data in the chunk, assuming an even distribution; the shares of all chunks add up to the
     * data of the file.
     *
     * @param data bytes of data in the file, 0 to its size
     * @param size bytes of the file
     */
    public long share(long data, long size) {
        return data == size ? bytes() : Math.min(bytes(), before(to, data, size) - before(from, data, size));
    }

    private static long before(long offset, long data, long size) {
        return offset == size ? data : Math.min(data, (long) ((double) data / size * offset));
    }
}
