// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.summary;

import java.util.function.Supplier;

import org.treehaul.core.entry.FileStatus;

/**
 * Assigns each entry to a group. Any number of threads call it at once.
 *
 * @param <K> the type of the keys of groups, with equals and hashCode
 */
public interface UsageGrouping<K> {

    /**
     * Returns the key of an entry's group.
     *
     * @param name returns the bytes of the entry's name; for a root, of the path that the user gave
     */
    K keyOf(FileStatus status, Supplier<byte[]> name);

    /** Returns the key of the entries for which there are too many groups: {@link TreeUsage#MOST_GROUPS}. */
    K others();
}
