// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.walk.Symlinks;

/**
 * What a comparison of entries alone has beside its options.
 *
 * @param symlinks which symbolic links of the first tree stand for what they lead to
 * @param ranges tells which data of an entry are compared
 * @param pairs hears of each pair
 */
public record EntryScope(Symlinks symlinks, Ranges ranges, Pairs pairs) {

    /** Tells which data of an entry are compared. Called on any thread. */
    @FunctionalInterface
    public interface Ranges {

        /** Returns the range of the entry that was selected with a number. */
        DataRange range(int number);
    }

    /** Hears of pairs. Called on any thread. */
    @FunctionalInterface
    public interface Pairs {

        /**
         * Hears that both sides of an entry are there, before anything in which they differ is told.
         *
         * @param number with which the entry was selected
         * @param a status in the first tree
         * @param b status in the second tree
         */
        void onPair(int number, FileStatus a, FileStatus b);
    }
}
