// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks;

/**
 * The part of one rank in sharing the work: a state machine that never waits. Times are in nanoseconds of the caller's
 * clock, which may be simulated.
 *
 * <p>
 * The caller passes each message to it, and calls {@link #look} after that, whenever the pool comes to rest, and at the
 * time that {@link #wakeAt} returned. It sends messages during these calls. Used by one thread.
 */
public interface DistributionProtocol {

    /** Handles a message. */
    void received(long now, int from, byte[] message);

    /** Takes the actions that are due now. */
    void look(long now);

    /** Returns when to call {@link #look} even if nothing happens; {@link Long#MAX_VALUE} for never. */
    long wakeAt();

    /** Returns whether all work is done in every rank, and no message to this one is on its way. */
    boolean isClosed();

    /**
     * Returns whether this rank knows that all work of all ranks is done; it may have to answer messages until
     * {@link #isClosed}.
     */
    boolean isOver();
}
