// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks;

/**
 * The work of a rank as its {@link DistributionProtocol} sees it: waiting units and units in progress. A unit may lead
 * to more units. In a walk a unit is a directory, or a part of a large one.
 */
public interface WorkPool {

    /** The bytes of a message before its units. */
    int MESSAGE_HEADER = 9;

    /** Returns the approximate number of waiting units. */
    long waiting();

    /** Returns whether nothing is in progress and nothing will begin by itself: no waiting unit may be begun. */
    boolean isResting();

    /** Returns whether a unit is in progress. */
    boolean isBusy();

    /**
     * Removes waiting units, the oldest first: they are the nearest to the root and lead to the most work.
     *
     * @param units the largest number of units to remove
     * @param bytes the largest size of the message in bytes
     * @return the units as bytes, empty when there were none
     */
    byte[] take(long units, int bytes);

    /**
     * Removes units as {@link #take} does, from those that a rank may do. By default it may do any.
     *
     * @param rank the rank that receives them
     */
    default byte[] takeFor(int rank, long units, int bytes) {
        return take(units, bytes);
    }

    /**
     * Removes units as {@link #take} does, but first those with the most known work, the largest first.
     *
     * @param weight the largest known work of the result, in entries; a single unit may exceed it
     */
    byte[] takeLargest(long units, long weight, int bytes);

    /** Returns the known amount of waiting work, in entries: at least one for each unit. */
    long weight();

    /** Adds units from another rank's pool, and returns their number. */
    long add(byte[] units);

    /**
     * Permits this many more units to begin; once the pool is {@linkplain #restrict restricted}, only permitted units
     * may.
     */
    void permit(long units);

    /** Requires a permit for each unit that begins. Called before any begins. */
    void restrict();

    /** Reports that another rank found nothing to take: the pool should divide units in progress, if it can. */
    void wanted();
}
