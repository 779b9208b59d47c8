// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks;

/**
 * The work that a rank has, as its {@link Sharing} sees it: units that wait and units in hand. A unit may lead to more
 * units. In a walk a unit is a directory, or a part of a large one.
 */
public interface WorkPool {

    /** Bytes of a message before the units that it carries. */
    int MESSAGE_HEADER = 9;

    /** Returns about how many units wait. */
    long waiting();

    /**
     * Returns whether nothing goes on and nothing will by itself: no unit is in hand, and none waits that may be begun.
     */
    boolean isResting();

    /** Returns whether a unit is in hand. */
    boolean isBusy();

    /**
     * Takes out units that wait, the oldest first: those are the nearest to the root and lead to most.
     *
     * @param units how many at most
     * @param bytes how long the message may be at most
     * @return the units as bytes, empty when there were none
     */
    byte[] take(long units, int bytes);

    /**
     * Takes out units as {@link #take} does, but those first that are known to be much work, the largest first.
     *
     * @param weight no more of the large ones than make this much, in entries, but one
     */
    byte[] takeLargest(long units, long weight, int bytes);

    /** Returns how much work, in entries, waits as far as it is known: at least one for each unit. */
    long weight();

    /** Adds units that another rank's pool gave, and returns how many. */
    long add(byte[] units);

    /**
     * Allows so many more units to be begun; only these may be, once the pool was {@linkplain #restrict restricted}.
     */
    void permit(long units);

    /** Says that units may be begun only with a permit. Called before any is begun. */
    void restrict();

    /** Says that another rank found nothing here to take: what is in hand should be divided, where that can be. */
    void wanted();
}
