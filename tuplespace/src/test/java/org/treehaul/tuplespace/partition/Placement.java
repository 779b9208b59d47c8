// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition;

import org.treehaul.tuplespace.tuple.TupleType;

/** Computes where a partitioned space places its tuples, for tests and benchmarks. */
public final class Placement {

    private Placement() {}

    /**
     * Returns the partition of a tuple.
     *
     * @param component the component whose hash places the tuples of this class
     * @param partitions number of partitions, all of them active and none split
     */
    public static int of(Record tuple, String component, int partitions) {
        return PartitionMap.ofFirst(partitions).of(Keys.hash(TupleType.of(tuple), component, tuple));
    }
}
