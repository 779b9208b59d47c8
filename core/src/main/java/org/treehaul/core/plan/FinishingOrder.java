// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

import org.treehaul.core.entry.ByteString;

/**
 * The order in which the directories of roots are finished: one that stands in the copy of another before that, so that
 * what is made there is made before the other gets its times; and of those with one target the last one last.
 */
final class FinishingOrder {

    private final int[] ranks;
    private final int[] roots;

    FinishingOrder(List<PlannedRoot> all) {
        ranks = new int[all.size()];
        roots = IntStream.range(0, all.size())
                .boxed()
                .sorted(Comparator.comparing((Integer root) -> ByteString.of(sorted(all.get(root).place().toBytes())))
                        .thenComparing(Comparator.reverseOrder()))
                .mapToInt(Integer::intValue)
                .toArray();
        for (int rank = 0; rank < roots.length; rank++) {
            ranks[roots[rank]] = rank;
        }
    }

    // With the slash before all other bytes, what is below a directory follows it at once.
    private static byte[] sorted(byte[] path) {
        byte[] key = path.clone();
        for (int i = 0; i < key.length; i++) {
            key[i] = key[i] == '/' ? 0 : key[i];
        }
        return key;
    }

    /** Returns the rank of a root: the highest is finished first. */
    int rank(int root) {
        return ranks[root];
    }

    /** Returns the root that has a rank. */
    int root(int rank) {
        return roots[rank];
    }
}
