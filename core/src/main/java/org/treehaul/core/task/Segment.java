// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.task;

import org.treehaul.core.annotation.Api;
import org.treehaul.core.annotation.Internal;
import org.treehaul.core.plan.format.ChunkRange;

/**
 * A range of a file that a task handles. Immutable.
 *
 * @param number its number in the file, from 0
 * @param count the number of segments of the file
 * @param offset the offset of its first byte, at least 0
 * @param length its length in bytes, at least 0
 */
@Api
public record Segment(int number, int count, long offset, long length) {

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if one is negative, or the number is not less than the count
     */
    public Segment {
        if (number < 0 || offset < 0 || length < 0) {
            throw new IllegalArgumentException("less than 0: " + number + ", " + offset + ", " + length);
        }
        if (number >= count) {
            throw new IllegalArgumentException("segment " + number + " of " + count);
        }
    }

    /** Returns the segment that is a chunk of a file in a plan. */
    @Internal
    public static Segment of(ChunkRange chunk) {
        return new Segment(chunk.number(), chunk.count(), chunk.from(), chunk.bytes());
    }

    /** Returns the only segment of a file that is not divided. */
    public static Segment whole(long size) {
        return new Segment(0, 1, 0, size);
    }
}
