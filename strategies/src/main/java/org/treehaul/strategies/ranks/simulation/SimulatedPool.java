// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.simulation;

import org.treehaul.strategies.ranks.WorkPool;

/** The work of a simulated rank. */
interface SimulatedPool extends WorkPool {

    /** The result of {@link #begin} when there is nothing to begin. */
    long NOTHING = -1;

    /** Begins a unit, or continues the one in progress; returns its duration until {@link #end}. */
    long begin(int thread);

    /**
     * Ends the step that {@link #begin} began: units that it led to wait from now on. A unit may have several such
     * steps.
     */
    void end(int thread);

    /** Returns the number of bytes that a message simulates. */
    long bytes(byte[] message);

    /** Returns the number of entries done here. */
    default long done() {
        return 0;
    }

    /** Returns the time spent on them, in nanoseconds. */
    default long nanosBusy() {
        return 0;
    }
}
