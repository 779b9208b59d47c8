// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.mpj;

import org.treehaul.strategies.ranks.communicator.RanksException;
import org.treehaul.strategies.ranks.communicator.Received;

/** Carries frames between one rank and the others. */
interface FrameChannel {

    /** Returns the number of this rank. */
    int rank();

    /**
     * Sends a frame, and may wait until it is received. Used by one thread.
     *
     * @throws RanksException if that fails
     */
    void send(byte[] frame, int to);

    /**
     * Waits for a frame, without a timeout. Used by one thread.
     *
     * @throws RanksException if that fails
     */
    Received receive();

    /**
     * Ends the channel; every rank must call it, because it waits for all.
     *
     * @throws RanksException if that fails
     */
    void finish();
}
