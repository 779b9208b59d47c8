// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.tasks;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A segment of a file: the part that one host holds, or a part that is cut for one task. Immutable.
 *
 * @param index the number of the segment in its file, from 0
 * @param host the host that holds the data; empty if each host reaches them equally
 * @param ranges the ranges of the file, in the order of the segment's bytes; none if the segment has no data yet
 */
public record Segment(int index, Optional<String> host, List<StripeRange> ranges) {

    /**
     * Creates a segment.
     *
     * @throws IllegalArgumentException if the index is negative, or the name of the host is empty
     */
    public Segment {
        ranges = List.copyOf(ranges);
        if (index < 0 || host.isPresent() && host.get().isEmpty()) {
            throw new IllegalArgumentException("no segment: number " + index + " on '" + host.orElse("") + "'");
        }
    }

    /** Returns the number of bytes of the segment. */
    public long length() {
        long length = 0;
        for (StripeRange range : ranges) {
            length = Math.addExact(length, range.length());
        }
        return length;
    }

    /**
     * Returns the offset in the file of a byte of the segment.
     *
     * @param position the number of the byte, from 0 to before {@link #length}
     * @throws IndexOutOfBoundsException if the segment has no such byte
     */
    public long fileOffset(long position) {
        Objects.checkIndex(position, length());
        long before = 0;
        for (StripeRange range : ranges) {
            if (position - before < range.length()) {
                return range.fileOffset(position - before);
            }
            before += range.length();
        }
        throw new IndexOutOfBoundsException(position);
    }

    /**
     * Returns how many bytes from a position on are contiguous in the file, at least 1.
     *
     * @param position the number of a byte of the segment, from 0 to before {@link #length}
     * @throws IndexOutOfBoundsException if the segment has no such byte
     */
    public long contiguous(long position) {
        Objects.checkIndex(position, length());
        long before = 0;
        for (StripeRange range : ranges) {
            if (position - before < range.length()) {
                return range.contiguous(position - before);
            }
            before += range.length();
        }
        throw new IndexOutOfBoundsException(position);
    }
}
