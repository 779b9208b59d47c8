// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

/**
 * A part of the data of a file.
 *
 * @param from offset of its first byte
 * @param to offset after its last byte; one beyond the end of the file stands for that
 */
public record DataRange(long from, long to) {

    /** All the data. */
    public static final DataRange ALL = new DataRange(0, Long.MAX_VALUE);

    /** Checks the values. */
    public DataRange {
        if (from < 0 || to < from) {
            throw new IllegalArgumentException("no range: " + from + " to " + to);
        }
    }
}
