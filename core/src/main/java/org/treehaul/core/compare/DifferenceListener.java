// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import java.util.Set;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;

/**
 * Receives differences as they are found, in no defined order. Several threads of the comparison may call it at the
 * same time, so an implementation must be quick and thread-safe.
 */
@FunctionalInterface
public interface DifferenceListener {

    /** Receives one difference. */
    void onDifference(Difference difference);

    /** A listener that also receives the status of entries, each after the differences of the entry. */
    @Internal
    interface WithStatus extends DifferenceListener {

        /** Returns whether pairs without a difference are reported too. */
        boolean isOfEqualPairs();

        /**
         * Returns whether entries that only the second tree has are reported in a comparison of a copy with conditions,
         * whether or not they meet them. Each takes a look at the first tree, whose entry may not meet them.
         */
        default boolean isOfExtras() {
            return false;
        }

        /** Returns whether a selected path that neither tree has is no failure. */
        default boolean acceptsMissing() {
            return false;
        }

        /**
         * Reports an entry that both trees have.
         *
         * @param kinds the differences found so far, valid only during the call; those of hard links come at the end of
         *        the comparison, and that of a file whose chunks are compared by several threads when it is found
         */
        void onPair(TreePath path, FileStatus a, FileStatus b, Set<DifferenceKind> kinds);

        /** Reports an entry that only the first tree has; a directory represents everything below it. */
        void onOnlyInFirst(TreePath path, FileStatus a);

        /**
         * Reports an entry that only the second tree has; a directory represents everything below it. Both directories
         * above the entry were listed to their ends, unless the entry was selected, or is on the way to selected ones:
         * then the first tree does not have its name.
         */
        void onOnlyInSecond(TreePath path, FileStatus b);
    }
}
