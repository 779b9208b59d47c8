// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.frontier;

/**
 * The frontier of a walk, for code that moves work between walks that share it. A unit is a directory to list, or a
 * part of a large listing. Units are portable as bytes: the index of the root, the path below it, and names or records.
 * A unit that stays in this process also carries a number that identifies its directory.
 *
 * <p>
 * Used on the thread that called {@code TreeWalker.walkShared} or {@code walkPart}, while the threads of the walk work.
 */
public interface SharedWork {

    /** Returns the approximate number of waiting units. */
    long waiting();

    /** Returns whether a unit is in progress. */
    boolean isBusy();

    /** Returns whether no unit is in progress and no waiting unit may begin. */
    boolean isResting();

    /**
     * Sets the action to run, on any thread, whenever the walk comes to rest; it sometimes runs when the walk is not at
     * rest.
     */
    void atRest(Runnable action);

    /**
     * Removes waiting units from this walk, the oldest first.
     *
     * @param units the largest number of units to take
     * @param bytes the largest number of bytes to take; a unit whose path alone is longer stays here
     * @return the units; empty if there were none
     */
    byte[] take(long units, int bytes);

    /**
     * Adds units that another walk of the same roots gave away.
     *
     * @return the number of units added
     * @throws IllegalArgumentException if the bytes are not units of these roots
     */
    long add(byte[] units);

    /** Lets units begin without a permit from now on. */
    void open();

    /** Permits this number of further units to begin. At first none may. */
    void permit(long units);

    /**
     * Reports that another walk found nothing to take, so that a worker divides a large listing in progress; lasts
     * until a take succeeds.
     */
    void wanted();

    /** Returns whether the walk is ending early and does no more work. */
    boolean isStopped();
}
