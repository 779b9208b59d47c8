// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** The time for which the space keeps a tuple, a transaction or a registration. Thread-safe. */
public interface Lease {
    /** A lease without end: the tuple stays until it is taken or the lease is cancelled. */
    Duration FOREVER = ChronoUnit.FOREVER.getDuration();
    /** Leaves the duration to the space, which grants its longest lease. */
    Duration ANY = Duration.ofMillis(-1);

    /**
     * Returns when the lease ends, {@link Instant#MAX} for never. The space may grant an earlier end than requested.
     */
    Instant expiration();

    /**
     * Renews the lease: it ends after this duration, counted from now, or earlier if the space grants less.
     *
     * @throws IllegalArgumentException when the duration is negative and not {@link #ANY}
     * @throws org.treehaul.tuplespace.store.SpaceException UNKNOWN_LEASE when the lease has ended
     */
    void renew(Duration duration);

    /**
     * Ends the lease: removes the tuple, aborts the transaction, or closes the registration.
     *
     * @throws org.treehaul.tuplespace.store.SpaceException UNKNOWN_LEASE when the lease has ended
     */
    void cancel();
}
