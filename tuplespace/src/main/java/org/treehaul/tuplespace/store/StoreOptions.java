// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.store;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

import org.treehaul.tuplespace.tuple.Kind;
import org.treehaul.tuplespace.tuple.TupleType;

/**
 * Options of a store.
 *
 * @param indexes indexes over components of record classes
 * @param shared components whose values a store may keep once for all tuples that have them
 * @param clock clock for the ends of leases
 * @param patience how long a change waits while another process uses a shared store, before it fails as BUSY
 */
public record StoreOptions(List<Index> indexes, List<Shared> shared, InstantSource clock, Duration patience) {
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

    /** A component, of text or bytes, whose values many tuples share. */
    public record Shared(Class<? extends Record> type, String component) {
        public Shared {
            Kind kind = TupleType.of(type).component(component).kind();
            if (kind != Kind.TEXT && kind != Kind.BLOB) {
                throw new IllegalArgumentException(
                        type.getSimpleName() + "." + component + " is a number, which takes no less space if shared");
            }
        }
    }

    public StoreOptions {
        indexes = List.copyOf(indexes);
        shared = List.copyOf(shared);
        for (Shared one : shared) {
            if (indexes.stream()
                    .noneMatch(index -> index.type().equals(one.type())
                            && index.components().getFirst().equals(one.component()))) {
                throw new IllegalArgumentException("no index of " + one.type().getSimpleName() + " begins with "
                        + one.component() + ": a store looks in it for tuples that still have a shared value");
            }
        }
        if (patience.isNegative() || patience.compareTo(MOST) > 0) {
            throw new IllegalArgumentException(
                    "a patience of " + patience + "; from zero to " + MOST.toDays() + " days");
        }
    }

    /** Returns the defaults: no indexes, the system clock, a patience of one minute. */
    public static StoreOptions defaults() {
        return new StoreOptions(List.of(), List.of(), InstantSource.system(), PATIENCE);
    }

    /** Adds an index over these components of a record class. */
    public StoreOptions index(Class<? extends Record> type, String... components) {
        List<Index> more = new ArrayList<>(indexes);
        more.add(new Index(type, List.of(components)));
        return new StoreOptions(more, shared, clock, patience);
    }

    /**
     * Declares that many tuples share values of a component, such as the directory of files: a store in a file keeps
     * each value once. Only a record class that is new in the store is kept in this way. Requires an index that begins
     * with the component.
     *
     * @throws IllegalArgumentException if the component is neither text nor bytes, or no index begins with it
     */
    public StoreOptions share(Class<? extends Record> type, String component) {
        List<Shared> more = new ArrayList<>(shared);
        more.add(new Shared(type, component));
        return new StoreOptions(indexes, more, clock, patience);
    }

    /** Sets the clock. */
    public StoreOptions clock(InstantSource other) {
        return new StoreOptions(indexes, shared, other, patience);
    }

    /** Sets how long a change waits while another process uses the store. */
    public StoreOptions patience(Duration longest) {
        return new StoreOptions(indexes, shared, clock, longest);
    }
}
