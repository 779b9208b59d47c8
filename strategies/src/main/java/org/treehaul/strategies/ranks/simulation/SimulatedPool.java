// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.simulation;

import org.treehaul.strategies.ranks.WorkPool;

/** The work of a simulated rank. */
interface SimulatedPool extends WorkPool {

    /** What {@link #begin} returns when there is nothing to begin. */
    long NOTHING = -1;

    /** Takes a unit into hand; returns how long it takes. */
    long begin(int thread);

    /** Ends the unit that a thread has in hand: what it leads to waits from now on. */
    void end(int thread);

    /** Returns how many bytes a message stands for. */
    long bytes(byte[] message);
}
