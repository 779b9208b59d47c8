// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import java.util.List;
import java.util.stream.IntStream;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.plan.format.PlannedRoot;

/**
 * The order in which the directories of the roots are finished. A root whose copy lies inside the copy of another root
 * comes first, so that everything is created in the outer copy before it gets its times. Among roots with the same
 * target the last one comes last.
 */
final class FinishingOrder {

    private final int[] ranks;
    private final int[] roots;

    FinishingOrder(List<PlannedRoot> all) {
        ranks = new int[all.size()];
        roots = IntStream.range(0, all.size()).boxed().sorted((one, other) -> {
            int order = place(all.get(one)).compareTo(place(all.get(other)));
            return order != 0 ? order : Integer.compare(other, one);
        }).mapToInt(Integer::intValue).toArray();
        for (int rank = 0; rank < roots.length; rank++) {
            ranks[roots[rank]] = rank;
        }
    }

    private static ByteString place(PlannedRoot root) {
        return ByteString.of(sorted(root.place().toBytes()));
    }

    // With the slash sorted before all other bytes, the paths below a directory directly follow it.
    private static byte[] sorted(byte[] path) {
        byte[] key = path.clone();
        for (int i = 0; i < key.length; i++) {
            key[i] = key[i] == '/' ? 0 : key[i];
        }
        return key;
    }

    /** Returns the rank of a root: the highest rank is finished first. */
    int rank(int root) {
        return ranks[root];
    }

    /** Returns the root with a rank. */
    int root(int rank) {
        return roots[rank];
    }
}
