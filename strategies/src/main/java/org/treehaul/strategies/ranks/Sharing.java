// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks;

/**
 * What one rank does to share work: a state machine that never waits. Times are in nanoseconds of a clock of the
 * caller, which may be a simulated one.
 *
 * <p>
 * The caller hands on each message, and calls {@link #look} after that, whenever the pool came to rest, and when the
 * time has come that {@link #wakeAt} told. Messages go out during these calls. Used by one thread.
 */
public interface Sharing {

    /** Takes a message in. */
    void received(long now, int from, byte[] message);

    /** Does what is to be done now. */
    void look(long now);

    /** Returns when {@link #look} is to be called even if nothing happens, {@link Long#MAX_VALUE} for never. */
    long wakeAt();

    /** Returns whether all is done in every rank, and no message to this one is on its way. */
    boolean isClosed();

    /**
     * Returns whether this rank knows that all work of all ranks is done; it may have to answer messages until
     * {@link #isClosed}.
     */
    boolean isOver();
}
