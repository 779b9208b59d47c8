// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.store;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

import org.treehaul.tuplespace.tuple.TupleType;

/**
 * Options of a store.
 *
 * @param indexes indexes over components of record classes
 * @param clock clock for the ends of leases
 * @param patience how long a change waits while another process uses a shared store, before it fails as BUSY
 */
public record StoreOptions(List<Index> indexes, InstantSource clock, Duration patience) {
    /** Long enough for another process to load a large snapshot. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** Largest patience that SQLite accepts, about 24 days. */
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

    /** Returns the defaults: no indexes, the system clock, a patience of one minute. */
    public static StoreOptions defaults() {
        return new StoreOptions(List.of(), InstantSource.system(), PATIENCE);
    }

    /** Adds an index over these components of a record class. */
    public StoreOptions index(Class<? extends Record> type, String... components) {
        List<Index> more = new ArrayList<>(indexes);
        more.add(new Index(type, List.of(components)));
        return new StoreOptions(more, clock, patience);
    }

    /** Sets the clock. */
    public StoreOptions clock(InstantSource other) {
        return new StoreOptions(indexes, other, patience);
    }

    /** Sets how long a change waits while another process uses the store. */
    public StoreOptions patience(Duration longest) {
        return new StoreOptions(indexes, clock, longest);
    }
}
