// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** How long the space keeps something: a tuple, a transaction, a registration. */
public interface Lease {
    /** Until somebody takes or cancels it. */
    Duration FOREVER = ChronoUnit.FOREVER.getDuration();
    /** As long as the space likes best. */
    Duration ANY = Duration.ofMillis(-1);

    /** Returns when it ends, {@link Instant#MAX} for never. It may be earlier than asked for. */
    Instant expiration();

    /**
     * Lets it end that much later than now.
     *
     * @throws org.treehaul.tuplespace.store.SpaceException UNKNOWN_LEASE when it has ended
     */
    void renew(Duration duration);

    /**
     * Ends it: the tuple is removed, the transaction aborted, the registration over.
     *
     * @throws org.treehaul.tuplespace.store.SpaceException UNKNOWN_LEASE when it has ended
     */
    void cancel();
}
