// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.tree;

import java.util.ArrayList;
import java.util.List;

/**
 * Chooses the server of each file that is not cut: the one with the fewest bytes so far, so that servers differ by at
 * most the largest such file. A file counts a block more than its size, so that empty ones are spread too. Thread-safe.
 */
public final class Placement {

    private static final long BLOCK = 4096;

    private final List<String> servers;
    private final long[] bytes;
    private int first;

    /** Begins without any file on these servers. */
    public Placement(List<String> servers) {
        this.servers = servers;
        this.bytes = new long[servers.size()];
    }

    /** Returns the servers of the copies of a file that stays whole. */
    public synchronized List<String> whole(long size, int copies) {
        List<String> chosen = new ArrayList<>();
        for (int copy = 0; copy < copies; copy++) {
            int least = -1;
            for (int i = 0; i < bytes.length; i++) {
                if (!chosen.contains(servers.get(i)) && (least < 0 || bytes[i] < bytes[least])) {
                    least = i;
                }
            }
            bytes[least] += size + BLOCK;
            chosen.add(servers.get(least));
        }
        return chosen;
    }

    /** Returns the servers of a file that is cut: each file begins with the next server. */
    public synchronized List<String> cut() {
        List<String> order = new ArrayList<>(servers.subList(first, servers.size()));
        order.addAll(servers.subList(0, first));
        first = (first + 1) % servers.size();
        return order;
    }
}
