// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

/**
 * A part of a file that is cut.
 *
 * @param number which part, 0 to count - 1
 * @param count the number of parts
 * @param from offset of its first byte
 * @param to offset after its last byte, greater than from
 */
public record ChunkRange(int number, int count, long from, long to) {

    /** Makes a range. */
    public ChunkRange {
        if (number < 0 || number >= count) {
            throw new IllegalArgumentException("chunk " + number + " of " + count);
        }
        if (from < 0 || to <= from) {
            throw new IllegalArgumentException("a chunk from " + from + " to " + to);
        }
    }

    /** Returns its number of bytes. */
    public long bytes() {
        return to - from;
    }
}
