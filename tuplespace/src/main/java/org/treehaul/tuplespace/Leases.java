// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import java.time.Duration;
import java.time.Instant;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.LongPredicate;
import java.util.function.LongUnaryOperator;

import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.Store;

/** Grants leases: converts durations to ends on the clock of the space. */
final class Leases {
    private final SpaceOptions options;
    /** Receives the end of each granted or renewed lease, so that the sweeper wakes in time. */
    private final LongConsumer ends;
    private final Consumer<LongUnaryOperator> watcher;

    /** @param watcher as {@link Sweeper#watch} */
    Leases(SpaceOptions options, LongConsumer ends, Consumer<LongUnaryOperator> watcher) {
        this.options = options;
        this.ends = ends;
        this.watcher = watcher;
    }

    /** Returns the same leases unwatched, for objects that no other thread may end. */
    Leases unwatched() {
        return new Leases(options, ends, ignored -> {
        });
    }

    long now() {
        return options.store().clock().millis();
    }

    /** Registers an object that reports when it ends; see {@link Sweeper#watch}. */
    void watch(LongUnaryOperator end) {
        watcher.accept(end);
    }

    /** Returns the end of a lease that begins now. */
    long end(Duration asked) {
        if (asked.isNegative() && !asked.equals(Lease.ANY)) {
            throw new IllegalArgumentException("a lease of " + asked);
        }
        Duration granted = asked.equals(Lease.ANY) || asked.compareTo(options.maxLease()) > 0
                ? options.maxLease()
                : asked;
        long now = now();
        // toMillis() overflows for durations of more than 292 million years.
        long end = granted.toSeconds() > Long.MAX_VALUE / 1000 - 1 ? Store.NEVER : now + granted.toMillis();
        end = end < now ? Store.NEVER : end;
        return end;
    }

    Lease of(long end, LongPredicate renew, BooleanSupplier cancel) {
        if (end != Store.NEVER) {
            ends.accept(end);
        }
        return new Lease() {
            private volatile long expiresAt = end;

            @Override
            public Instant expiration() {
                return expiresAt == Store.NEVER ? Instant.MAX : Instant.ofEpochMilli(expiresAt);
            }

            @Override
            public void renew(Duration duration) {
                long later = end(duration);
                if (!renew.test(later)) {
                    throw unknown();
                }
                expiresAt = later;
                if (later != Store.NEVER) {
                    ends.accept(later);
                }
            }

            @Override
            public void cancel() {
                if (!cancel.getAsBoolean()) {
                    throw unknown();
                }
            }

            private SpaceException unknown() {
                return new SpaceException(SpaceException.Reason.UNKNOWN_LEASE, "this lease has ended");
            }
        };
    }
}
