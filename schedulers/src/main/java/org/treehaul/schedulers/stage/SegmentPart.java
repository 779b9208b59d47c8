// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;

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

    /**
     * Returns the parts of the segments that ranges of a file consist of, whose bytes are one after another in memory.
     */
    static SortedMap<Integer, List<SegmentPart>> bySegment(StripeLayout layout, List<SegmentRange> ranges,
            MemorySegment memory) {
        SortedMap<Integer, List<SegmentPart>> parts = new TreeMap<>();
        long at = 0;
        for (SegmentRange range : ranges) {
            for (StripeLayout.Piece piece : layout.pieces(range.offset(), range.length())) {
                parts.computeIfAbsent(piece.segment(), segment -> new ArrayList<>())
                        .add(new SegmentPart(piece.offset(),
                                memory.asSlice(at + piece.at() - range.offset(), piece.length())));
            }
            at += range.length();
        }
        return parts;
    }
}
