// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import java.util.Iterator;
import java.util.Optional;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.store.SpaceException;

/** A set of matches that is closed when its lease ends. */
final class LeasedMatches<T> implements MatchSet<T> {
    private final Stream<T> stream;
    private final Leases leases;
    private final Lease lease;

    // Guarded by this.
    private @Nullable Iterator<T> left;
    private boolean isComplete;
    private long expiresAt;

    LeasedMatches(Stream<T> stream, Leases leases, long end) {
        this.stream = stream;
        this.leases = leases;
        left = stream.iterator();
        expiresAt = end;
        lease = leases.of(end, this::renew, this::end);
    }

    @Override
    public synchronized Optional<T> next() {
        check(leases.now());
        Iterator<T> open = left;
        if (open == null && !isComplete) {
            throw new SpaceException(SpaceException.Reason.UNKNOWN_LEASE,
                    "the lease of the matches ended, or they were closed, before all were read");
        } else if (open == null || !open.hasNext()) {
            isComplete = true;
            end();
            return Optional.empty();
        }
        return Optional.of(open.next());
    }

    @Override
    public Lease lease() {
        return lease;
    }

    private synchronized boolean renew(long later) {
        check(leases.now());
        expiresAt = left == null ? expiresAt : later;
        return left != null;
    }

    private synchronized boolean end() {
        boolean wasOpen = left != null;
        left = null;
        if (wasOpen) {
            stream.close();
        }
        return wasOpen;
    }

    /** Closes the set if its lease has ended by {@code now}; returns when the lease ends, or {@link Sweeper#OVER}. */
    synchronized long check(long now) {
        if (expiresAt <= now) {
            end();
        }
        return left == null ? Sweeper.OVER : expiresAt;
    }

    @Override
    public void close() {
        end();
    }
}
