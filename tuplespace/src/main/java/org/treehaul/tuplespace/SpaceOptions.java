// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import java.time.Duration;
import java.time.InstantSource;

import org.treehaul.tuplespace.store.StoreOptions;

/**
 * Options for opening a space.
 *
 * @param store options of its store
 * @param maxLease the longest lease that the space grants
 * @param eventCapacity number of events that are queued for a slow action before events are lost
 */
public record SpaceOptions(StoreOptions store, Duration maxLease, int eventCapacity) {
    /** This number of small tuples takes a few hundred kilobytes at most. */
    private static final int EVENT_CAPACITY = 4096;

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if the longest lease is not positive, or the capacity is less than 1
     */
    public SpaceOptions {
        if (maxLease.isNegative() || maxLease.isZero() || eventCapacity < 1) {
            throw new IllegalArgumentException("lease " + maxLease + ", capacity " + eventCapacity);
        }
    }

    /** Returns the defaults: no indexes, leases of any length, the system clock. */
    public static SpaceOptions defaults() {
        return new SpaceOptions(StoreOptions.defaults(), Lease.FOREVER, EVENT_CAPACITY);
    }

    /** Adds an index over these components of a record class. */
    public SpaceOptions index(Class<? extends Record> type, String... components) {
        return new SpaceOptions(store.index(type, components), maxLease, eventCapacity);
    }

    /**
     * Declares that many tuples share values of a component: a space in a file keeps each value once, as
     * {@link StoreOptions#share} says. Call it after {@link #index} with an index that begins with the component.
     */
    public SpaceOptions share(Class<? extends Record> type, String component) {
        return new SpaceOptions(store.share(type, component), maxLease, eventCapacity);
    }

    /** Sets the clock for leases. Timeouts do not use it: they are elapsed time. */
    public SpaceOptions clock(InstantSource clock) {
        return new SpaceOptions(store.clock(clock), maxLease, eventCapacity);
    }

    /**
     * Sets how long a change waits while another process uses the space before it fails as BUSY. The default is one
     * minute.
     */
    public SpaceOptions patience(Duration longest) {
        return new SpaceOptions(store.patience(longest), maxLease, eventCapacity);
    }

    /** Sets the longest lease that the space grants. */
    public SpaceOptions maxLease(Duration longest) {
        return new SpaceOptions(store, longest, eventCapacity);
    }

    /** Sets the number of events that are queued for a slow action. */
    public SpaceOptions eventCapacity(int events) {
        return new SpaceOptions(store, maxLease, events);
    }
}
