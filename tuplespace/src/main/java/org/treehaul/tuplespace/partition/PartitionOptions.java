// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition;

import java.util.HashMap;
import java.util.Map;

import org.treehaul.tuplespace.tuple.TupleType;

/**
 * Options of a partitioned store.
 *
 * @param first number of active partitions of a new space; the others become active by splits
 * @param keys the component that places the tuples, by record class; the first component of other classes. A space
 *        keeps the components that it was first used with
 * @param limit most tuples of a partition, which is split when it has more; 0 if there is no limit. It is exceeded
 *        while a split runs, or if there is no store for a new partition
 */
public record PartitionOptions(int first, Map<Class<? extends Record>, String> keys, long limit) {

    /** Checks the components. */
    public PartitionOptions {
        if (first < 1 || first > PartitionMap.MOST) {
            throw new IllegalArgumentException(first + " first partitions; from 1 to " + PartitionMap.MOST);
        }
        if (limit < 0) {
            throw new IllegalArgumentException("a limit of " + limit + " tuples");
        }
        keys = Map.copyOf(keys);
        keys.forEach((type, component) -> TupleType.of(type).indexOf(component));
    }

    /** Returns the options of a space that begins with a number of active partitions. */
    public static PartitionOptions ofFirst(int first) {
        return new PartitionOptions(first, Map.of(), 0);
    }

    /** Sets the component that places the tuples of a record class. */
    public PartitionOptions key(Class<? extends Record> type, String component) {
        Map<Class<? extends Record>, String> more = new HashMap<>(keys);
        more.put(type, component);
        return new PartitionOptions(first, more, limit);
    }

    /** Sets the number of first partitions. */
    PartitionOptions first(int number) {
        return new PartitionOptions(number, keys, limit);
    }

    /** Sets the most tuples of a partition; 0 if there is no limit. */
    public PartitionOptions limit(long tuples) {
        return new PartitionOptions(first, keys, tuples);
    }
}
