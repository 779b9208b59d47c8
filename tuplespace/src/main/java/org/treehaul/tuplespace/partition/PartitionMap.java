// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition;

import java.util.ArrayList;
import java.util.List;

/**
 * The active partitions, and the partition of each hash, as in GIGA+: the lower bits of the hash are a number, whose
 * highest bit is taken off until the partition of that number is active. The map only grows: a split of partition i at
 * depth r activates partition i + 2^r, to which the hashes of i with bit r go.
 *
 * @param active a bit for each active partition; partition 0 always is
 */
record PartitionMap(long active) {
    /** Largest number of partitions: one bit of a long for each. */
    static final int MOST = Long.SIZE;

    PartitionMap {
        if ((active & 1) == 0) {
            throw new IllegalArgumentException("partition 0 is not active");
        }
    }

    /** Returns the map of a new space. */
    static PartitionMap ofFirst(int number) {
        return new PartitionMap(number == MOST ? -1 : (1L << number) - 1);
    }

    boolean has(int partition) {
        return partition >= 0 && partition < MOST && (active & 1L << partition) != 0;
    }

    /** Returns the partition of a hash. */
    int of(long hash) {
        int number = (int) (hash & MOST - 1);
        while (!has(number)) {
            number &= ~Integer.highestOneBit(number);
        }
        return number;
    }

    /** Returns the number of lower bits that the hashes of an active partition share. */
    int depth(int partition) {
        int depth = bits(partition);
        while (partition + (1 << depth) < MOST && has(partition + (1 << depth))) {
            depth++;
        }
        return depth;
    }

    private static int bits(int partition) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(partition);
    }

    /**
     * Returns the partition that the next split of an active partition makes; {@link #MOST} or more if there is none.
     */
    int next(int partition) {
        return partition + (1 << depth(partition));
    }

    /** Returns a bit for each partition that splits of a partition can make. */
    static long children(int partition) {
        long children = 0;
        for (int depth = bits(partition); partition + (1 << depth) < MOST; depth++) {
            children |= 1L << partition + (1 << depth);
        }
        return children;
    }

    /** Returns the map with more active partitions. */
    PartitionMap with(long more) {
        return new PartitionMap(active | more);
    }

    /** Returns the active partitions in ascending order. */
    List<Integer> all() {
        List<Integer> all = new ArrayList<>();
        for (int partition = 0; partition < MOST; partition++) {
            if (has(partition)) {
                all.add(partition);
            }
        }
        return all;
    }
}
