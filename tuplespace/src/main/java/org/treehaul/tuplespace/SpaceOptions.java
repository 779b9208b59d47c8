// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import java.time.Duration;
import java.time.InstantSource;

import org.treehaul.tuplespace.store.StoreOptions;

/**
 * How a space is opened.
 *
 * @param store what its store is told
 * @param maxLease the longest lease that is granted
 * @param eventCapacity how many events wait for a slow action before some are lost
 */
public record SpaceOptions(StoreOptions store, Duration maxLease, int eventCapacity) {
    /** A burst of so many small tuples costs some hundred kilobytes at most. */
    private static final int EVENT_CAPACITY = 4096;

    public SpaceOptions {
        if (maxLease.isNegative() || maxLease.isZero() || eventCapacity < 1) {
            throw new IllegalArgumentException("lease " + maxLease + ", capacity " + eventCapacity);
        }
    }

    /** Returns the options of a space without indexes that grants any lease, by the clock of the system. */
    public static SpaceOptions defaults() {
        return new SpaceOptions(StoreOptions.defaults(), Lease.FOREVER, EVENT_CAPACITY);
    }

    /** Also looks up these components of a record class together. */
    public SpaceOptions index(Class<? extends Record> type, String... components) {
        return new SpaceOptions(store.index(type, components), maxLease, eventCapacity);
    }

    /** Goes by another clock for leases. Timeouts go by the time that passes. */
    public SpaceOptions clock(InstantSource clock) {
        return new SpaceOptions(store.clock(clock), maxLease, eventCapacity);
    }

    /**
     * Has a change wait so long while another process keeps the space, before it fails as BUSY; a minute unless said.
     */
    public SpaceOptions patience(Duration longest) {
        return new SpaceOptions(store.patience(longest), maxLease, eventCapacity);
    }

    /** Grants no longer leases. */
    public SpaceOptions maxLease(Duration longest) {
        return new SpaceOptions(store, longest, eventCapacity);
    }

    /** Keeps so many events for a slow action. */
    public SpaceOptions eventCapacity(int events) {
        return new SpaceOptions(store, maxLease, events);
    }
}
