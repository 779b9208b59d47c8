// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks;

/** A pool as the driver of its rank sees it, while other threads do its units. */
interface DrivenPool extends WorkPool {

    /**
     * Sets the action that runs, on any thread, when the pool comes to rest; it never misses a rest, but may run too
     * often.
     */
    void atRest(Runnable action);

    /** Lets the work begin, once it is known whether units need permits. */
    void begin();

    /** Returns whether the work ended early: this rank does nothing more. */
    boolean isStopped();
}
