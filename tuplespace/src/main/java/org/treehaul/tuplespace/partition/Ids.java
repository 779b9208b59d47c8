// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition;

import java.util.Arrays;

/** The number of a tuple in the whole: its number in its store, and the partition in the lower six bits. */
final class Ids {
    private static final int BITS = Integer.numberOfTrailingZeros(PartitionMap.MOST);

    private Ids() {}

    static long of(int partition, long own) {
        return own << BITS | partition;
    }

    static long[] of(int partition, long[] own) {
        return Arrays.stream(own).map(id -> of(partition, id)).toArray();
    }

    static int partition(long id) {
        return (int) (id & PartitionMap.MOST - 1);
    }

    static long own(long id) {
        return id >>> BITS;
    }
}
