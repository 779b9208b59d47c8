// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.buffer;

import org.treehaul.schedulers.stage.StripeLayout;

/**
 * The sizes of the buffers of one open file. Immutable.
 *
 * @param readAhead the bytes that are read ahead, half of them in one request; 0 reads nothing ahead
 * @param writeBehind the bytes that are gathered, half of them in one request; 0 gathers nothing
 */
public record Buffers(int readAhead, int writeBehind) {

    /** The largest buffer: 1 GiB. */
    public static final int LARGEST = 1 << 30;

    private static final int USUAL = 4 << 20;

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if a size is 1, negative, or above {@link #LARGEST}
     */
    public Buffers {
        if (readAhead < 0 || readAhead == 1 || readAhead > LARGEST || writeBehind < 0 || writeBehind == 1
                || writeBehind > LARGEST) {
            throw new IllegalArgumentException(
                    "a buffer has 0 or 2 to " + LARGEST + " bytes, not " + readAhead + " and " + writeBehind);
        }
    }

    /** Returns 4 MiB for each direction. */
    public static Buffers usual() {
        return new Buffers(USUAL, USUAL);
    }

    /**
     * Returns buffers with room for a number of stripes of a file in each direction.
     *
     * @param number the number of stripes, 0 or more
     * @throws IllegalArgumentException if they take more than {@link #LARGEST}
     */
    public static Buffers ofStripes(StripeLayout layout, int number) {
        long bytes = number > 0 ? Math.max(2, Math.multiplyExact(layout.stripe(), (long) number)) : number;
        if (bytes < 0 || bytes > LARGEST) {
            throw new IllegalArgumentException(number + " stripes of " + layout.stripe() + " bytes");
        }
        return new Buffers((int) bytes, (int) bytes);
    }
}
