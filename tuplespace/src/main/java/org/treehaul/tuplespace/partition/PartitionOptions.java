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
 */
public record PartitionOptions(int first, Map<Class<? extends Record>, String> keys) {

    /** Checks the components. */
    public PartitionOptions {
        if (first < 1 || first > PartitionMap.MOST) {
            throw new IllegalArgumentException(first + " first partitions; from 1 to " + PartitionMap.MOST);
        }
        keys = Map.copyOf(keys);
        keys.forEach((type, component) -> TupleType.of(type).indexOf(component));
    }

    /** Returns the options of a space that begins with a number of active partitions. */
    public static PartitionOptions ofFirst(int first) {
        return new PartitionOptions(first, Map.of());
    }

    /** Sets the component that places the tuples of a record class. */
    public PartitionOptions key(Class<? extends Record> type, String component) {
        Map<Class<? extends Record>, String> more = new HashMap<>(keys);
        more.put(type, component);
        return new PartitionOptions(first, more);
    }
}
