// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.collective;

/**
 * The settings of collective reads and writes. Those of rank 0 count for all.
 *
 * @param aggregators the number of ranks that read or write the file; 0 for one on each host
 * @param bufferBytes the size of the buffer of an aggregator, and so of its largest request
 * @param alignment the parts of the file of different aggregators meet at a multiple of this number of bytes, such as
 *        the size of a stripe or a block
 */
public record CollectiveSettings(int aggregators, int bufferBytes, long alignment) {

    private static final int LEAST_BUFFER = 4096;
    private static final int MOST_BUFFER = 1 << 30;

    /** Checks the ranges: a buffer of 4 KiB to 1 GiB, an alignment of at least 1. */
    public CollectiveSettings {
        if (aggregators < 0 || bufferBytes < LEAST_BUFFER || bufferBytes > MOST_BUFFER || alignment < 1) {
            throw new IllegalArgumentException(aggregators + " aggregators, a buffer of " + bufferBytes
                    + " bytes (4 KiB to 1 GiB), an alignment of " + alignment);
        }
    }

    /** Returns one aggregator on each host, with a buffer of 4 MiB, and parts that meet at multiples of 64 KiB. */
    public static CollectiveSettings defaults() {
        return new CollectiveSettings(0, 4 << 20, 64 << 10);
    }

    /** Returns the same with another number of aggregators. */
    public CollectiveSettings withAggregators(int number) {
        return new CollectiveSettings(number, bufferBytes, alignment);
    }

    /** Returns the same with another buffer. */
    public CollectiveSettings withBuffer(int bytes) {
        return new CollectiveSettings(aggregators, bytes, alignment);
    }

    /** Returns the same with another alignment. */
    public CollectiveSettings withAlignment(long bytes) {
        return new CollectiveSettings(aggregators, bufferBytes, bytes);
    }
}
