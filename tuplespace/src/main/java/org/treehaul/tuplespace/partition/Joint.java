// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition;

import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** A transaction of the whole: one of each partition that it has used. Guarded by itself. */
final class Joint {
    final long id;
    long expiresAt;
    /** The transactions of the partitions, by the number of the partition. */
    final Map<Integer, Long> parts = new TreeMap<>();
    /** The partitions that it has changed. */
    final SortedSet<Integer> changed = new TreeSet<>();
    boolean isEnded;

    Joint(long id, long expiresAt) {
        this.id = id;
        this.expiresAt = expiresAt;
    }
}
