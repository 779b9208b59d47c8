// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks;

import java.util.SplittableRandom;

/** Whom a rank asks for work. */
@FunctionalInterface
interface Victims {

    /** Returns whom to ask next: another rank. */
    int next();

    /** Any other rank, each as likely. */
    static Victims atRandom(Group group) {
        SplittableRandom random = new SplittableRandom(group.settings().seed() * 0x9E3779B97F4A7C15L + group.rank());
        return () -> {
            int other = random.nextInt(group.size() - 1);
            return other < group.rank() ? other : other + 1;
        };
    }

    /**
     * The ranks of the same host in the order of their numbers; the first rank of each host asks one of another host
     * and one of its own by turns. The paper goes through the other hosts' ranks from the lowest number up, each time
     * anew, so that low ranks are asked most; here each goes on where it left off, beginning after itself, which
     * spreads that.
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
