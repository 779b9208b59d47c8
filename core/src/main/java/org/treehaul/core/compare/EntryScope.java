// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.walk.options.Symlinks;

/**
 * Additional options for a comparison of entries selected alone.
 *
 * @param symlinks which symbolic links of the first tree are followed
 * @param ranges selects the data of an entry to compare
 * @param pairs receives each pair
 */
@Internal
public record EntryScope(Symlinks symlinks, Ranges ranges, Pairs pairs) {

    /** Selects the data of an entry to compare. Called on any thread. */
    @FunctionalInterface
    public interface Ranges {

        /** Returns the range for the entry with this number in the selection. */
        DataRange range(int number);
    }

    /** Receives pairs. Called on any thread. */
    @FunctionalInterface
    public interface Pairs {

        /**
         * Reports that both sides of an entry exist, before any of its differences is reported.
         *
         * @param number number of the entry in the selection
         * @param a status in the first tree
         * @param b status in the second tree
         */
        void onPair(int number, FileStatus a, FileStatus b);
    }
}
