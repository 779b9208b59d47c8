// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * A part of a request: bytes in memory, and their place in a segment.
 *
 * @param offset the first byte in the segment, 0 or more
 * @param bytes native memory that any thread may use; its size is the number of bytes
 */
public record SegmentPart(long offset, MemorySegment bytes) {

    /**
     * Checks the values.
     *
     * @throws IndexOutOfBoundsException if the offset is negative, or the end is beyond {@link Long#MAX_VALUE}
     */
    public SegmentPart {
        Objects.checkFromIndexSize(offset, bytes.byteSize(), Long.MAX_VALUE);
    }

    /** Returns the sum of the bytes of several parts. */
    public static long bytes(Iterable<SegmentPart> parts) {
        long sum = 0;
        for (SegmentPart part : parts) {
            sum += part.bytes().byteSize();
        }
        return sum;
    }
}
