// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage;

import java.util.Objects;

/**
 * A range of bytes of a segment or a file. Immutable.
 *
 * @param offset the first byte, 0 or more
 * @param length the number of bytes, 0 or more
 */
public record SegmentRange(long offset, long length) {

    /**
     * Checks the values.
     *
     * @throws IndexOutOfBoundsException if one of them is negative, or the end is beyond {@link Long#MAX_VALUE}
     */
    public SegmentRange {
        Objects.checkFromIndexSize(offset, length, Long.MAX_VALUE);
    }

    /** Returns the first byte after the range. */
    public long end() {
        return offset + length;
    }
}
