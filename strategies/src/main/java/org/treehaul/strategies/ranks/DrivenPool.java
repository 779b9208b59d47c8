// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks;

/** A pool whose units other threads do meanwhile, as the one sees it that drives its rank. */
interface DrivenPool extends WorkPool {

    /** Sets what is called, on any thread, when the pool comes to rest: never too seldom, now and then too often. */
    void atRest(Runnable action);

    /** Lets the work begin, once it is known whether permits are wanted. */
    void begin();

    /** Returns whether the work ends early: nothing more will be done. */
    boolean isStopped();
}
