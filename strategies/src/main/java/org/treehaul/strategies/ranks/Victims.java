// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks;

import java.util.SplittableRandom;

/** Chooses the rank that a rank without work asks next. */
@FunctionalInterface
interface Victims {

    /** Returns another rank to ask next. */
    int next();

    /** Returns a choice among all other ranks, with equal probability. */
    static Victims atRandom(Group group) {
        SplittableRandom random = new SplittableRandom(group.settings().seed() * 0x9E3779B97F4A7C15L + group.rank());
        return () -> {
            int other = random.nextInt(group.size() - 1);
            return other < group.rank() ? other : other + 1;
        };
    }

    /**
     * Returns the ranks of the same host in the order of their numbers; the first rank of each host alternates between
     * ranks of other hosts and of its own. The paper searches the other hosts' ranks from the lowest number up, each
     * time anew, so that low ranks get the most requests; here each rank continues where it left off, starting after
     * itself, which spreads the requests.
     */
    static Victims nearestFirst(Group group) {
        int[] locals = java.util.stream.IntStream.range(0, group.size())
                .filter(r -> r != group.rank() && group.isLocal(r))
                .toArray();
        boolean isRoot = locals.length == 0 || locals[0] > group.rank();
        boolean hasOthers = locals.length < group.size() - 1;
        return new Victims() {
            private int nextLocal;
            private int lastRemote = group.rank();
            private boolean remoteNow = true;

            @Override
            public int next() {
                boolean remote = hasOthers && isRoot && (remoteNow || locals.length == 0);
                remoteNow = !remoteNow;
                if (!remote) {
                    nextLocal = (nextLocal + 1) % locals.length;
                    return locals[nextLocal];
                }
                do {
                    lastRemote = (lastRemote + 1) % group.size();
                } while (group.isLocal(lastRemote));
                return lastRemote;
            }
        };
    }
}
