// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.store;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

import org.treehaul.tuplespace.tuple.TupleType;

/**
 * What a store is told.
 *
 * @param indexes which components are looked up
 * @param clock the time by which leases end
 */
public record StoreOptions(List<Index> indexes, InstantSource clock) {

    /** An index over components of a record class, in this order. */
    public record Index(Class<? extends Record> type, List<String> components) {
        public Index {
            components = List.copyOf(components);
            if (components.isEmpty()) {
                throw new IllegalArgumentException("an index without components");
            }
            components.forEach(TupleType.of(type)::indexOf);
        }
    }

    public StoreOptions {
        indexes = List.copyOf(indexes);
    }

    /** Returns the options of a store without indexes, by the time of the system. */
    public static StoreOptions defaults() {
        return new StoreOptions(List.of(), InstantSource.system());
    }

    /** Also looks up these components together. */
    public StoreOptions index(Class<? extends Record> type, String... components) {
        List<Index> more = new ArrayList<>(indexes);
        more.add(new Index(type, List.of(components)));
        return new StoreOptions(more, clock);
    }

    /** Goes by another clock. */
    public StoreOptions clock(InstantSource other) {
        return new StoreOptions(indexes, other);
    }
}
