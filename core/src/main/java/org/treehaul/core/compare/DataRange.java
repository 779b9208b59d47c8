// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import org.treehaul.core.annotation.Internal;

/**
 * A range of a file's data.
 *
 * @param from offset of its first byte
 * @param to offset after its last byte; may be beyond the end of the file
 */
@Internal
public record DataRange(long from, long to) {

    /** All the data. */
    public static final DataRange ALL = new DataRange(0, Long.MAX_VALUE);

    /** Validates the range. */
    public DataRange {
        if (from < 0 || to < from) {
            throw new IllegalArgumentException("not a range: " + from + " to " + to);
        }
    }
}
