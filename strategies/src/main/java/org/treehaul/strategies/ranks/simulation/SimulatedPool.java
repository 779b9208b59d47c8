// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.simulation;

import org.treehaul.strategies.ranks.WorkPool;

/** The work of a simulated rank. */
interface SimulatedPool extends WorkPool {

    /** What {@link #begin} returns when there is nothing to begin. */
    long NOTHING = -1;

    /** Takes a unit into hand, or goes on with the one that is; returns how long it takes until {@link #end}. */
    long begin(int thread);

    /** Ends what {@link #begin} began: what it led to waits from now on. A unit may have several such steps. */
    void end(int thread);

    /** Returns how many bytes a message stands for. */
    long bytes(byte[] message);

    /** Returns how many entries were done here. */
    default long done() {
        return 0;
    }

    /** Returns how long that took. */
    default long nanosBusy() {
        return 0;
    }
}
