// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

/**
 * The frontier of a walk, for somebody who moves work between walks that share it. A unit is a directory to list, or a
 * part of a large listing. As bytes a unit is portable: the number of its root, the path below it, names or records;
 * where it stays in this process, also a number by which the directory is found again that it belongs to.
 *
 * <p>
 * Used by the thread that {@link TreeWalker#walkShared} was called on; the threads of the walk work meanwhile.
 */
public interface SharedWork {

    /** Returns about how many units wait. */
    long waiting();

    /** Returns whether a unit is in hand. */
    boolean isBusy();

    /** Returns whether no unit is in hand and none waits that may be begun. */
    boolean isResting();

    /** Sets what is called, on any thread, when the walk comes to rest: never too seldom, now and then too often. */
    void atRest(Runnable action);

    /**
     * Takes out units that wait, the oldest first. They are not this walk's any more.
     *
     * @param units how many at most
     * @param bytes how many bytes at most; a unit whose path alone is longer stays here
     * @return the units, empty when there were none
     */
    byte[] take(long units, int bytes);

    /**
     * Adds units that another walk of the same roots gave.
     *
     * @return how many they are
     * @throws IllegalArgumentException when the bytes are no units
     */
    long add(byte[] units);

    /** Lets units be begun without a permit from now on. */
    void open();

    /** Lets so many more units be begun. At first none may be. */
    void permit(long units);

    /** Says that another walk found nothing to take: a large listing in hand is to be divided. Ends with a take. */
    void wanted();

    /** Returns whether the walk ends early: nothing more will be done. */
    boolean isStopped();
}
