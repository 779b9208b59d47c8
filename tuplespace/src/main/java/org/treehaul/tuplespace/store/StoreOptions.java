// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.store;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

import org.treehaul.tuplespace.tuple.TupleType;

/**
 * What a store is told.
 *
 * @param indexes which components are looked up
 * @param clock the time by which leases end
 * @param patience how long a change waits while another process keeps a shared store, before it fails as BUSY
 */
public record StoreOptions(List<Index> indexes, InstantSource clock, Duration patience) {
    /** Long enough for another process to load a large snapshot. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** What SQLite can be told, some weeks. */
    private static final Duration MOST = Duration.ofMillis(Integer.MAX_VALUE);

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
        if (patience.isNegative() || patience.compareTo(MOST) > 0) {
            throw new IllegalArgumentException(
                    "a patience of " + patience + "; from zero to " + MOST.toDays() + " days");
        }
    }

    /** Returns the options of a store without indexes, by the time of the system. */
    public static StoreOptions defaults() {
        return new StoreOptions(List.of(), InstantSource.system(), PATIENCE);
    }

    /** Also looks up these components together. */
    public StoreOptions index(Class<? extends Record> type, String... components) {
        List<Index> more = new ArrayList<>(indexes);
        more.add(new Index(type, List.of(components)));
        return new StoreOptions(more, clock, patience);
    }

    /** Goes by another clock. */
    public StoreOptions clock(InstantSource other) {
        return new StoreOptions(indexes, other, patience);
    }

    /** Waits so long while another process keeps the store. */
    public StoreOptions patience(Duration longest) {
        return new StoreOptions(indexes, clock, longest);
    }
}
