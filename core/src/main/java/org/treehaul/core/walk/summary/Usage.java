// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.summary;

import org.treehaul.core.entry.Amounts;

/**
 * The space that entries use. Sums of bytes that no long holds are the largest long. Immutable.
 *
 * @param entries number of entries, 0 or more; a file with several names is one
 * @param apparentBytes sum of the sizes of regular files and symbolic links, as {@code du --apparent-size} of GNU
 *        coreutils 9.2 and newer counts them
 * @param allocatedBytes bytes allocated to entries of all kinds, as du(1) counts them
 */
public record Usage(long entries, long apparentBytes, long allocatedBytes) {

    /** The space of no entries. */
    public static final Usage NONE = new Usage(0, 0, 0);

    /**
     * Validates the numbers.
     *
     * @throws IllegalArgumentException if a number is negative
     */
    public Usage {
        if (entries < 0 || apparentBytes < 0 || allocatedBytes < 0) {
            throw new IllegalArgumentException(
                    "a negative number: " + entries + ", " + apparentBytes + ", " + allocatedBytes);
        }
    }

    /** Returns the space of these and other entries. */
    public Usage plus(Usage other) {
        return new Usage(entries + other.entries, Amounts.sum(apparentBytes, other.apparentBytes),
                Amounts.sum(allocatedBytes, other.allocatedBytes));
    }
}
