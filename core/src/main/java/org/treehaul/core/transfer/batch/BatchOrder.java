// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.batch;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.servers.OwnHost;

/**
 * The order in which a worker looks for free batches. Each worker starts at another batch, so that they rarely compete
 * for the same. If its own host stores some of the batches, a worker takes these first, then those whose servers are
 * unknown, and those of other hosts, who may take them themselves, last. Used by one thread.
 */
final class BatchOrder {

    // The golden ratio: the fractional parts of its multiples are spread evenly for any number of workers.
    private static final double SPREAD = 0.618_033_988_749_895;

    private final int index;
    private final Supplier<OwnHost> finder;
    private @Nullable OwnHost host;
    private int[] order = {};

    /**
     * Creates an order.
     *
     * @param index the index of the worker
     * @param host finds the host of the worker; asked only if the plan knows servers
     */
    BatchOrder(int index, Supplier<OwnHost> host) {
        this.index = index;
        this.finder = host;
    }

    /** Returns the batch at a place of the order, from 0 to the number of batches - 1. */
    int at(Plan plan, int place) {
        int count = plan.batchCount();
        if (!plan.hasServers()) {
            return (first(count) + place) % count;
        }
        if (order.length != count) {
            order = byServers(plan::servers, count);
        }
        return order[place];
    }

    private int first(int count) {
        return (int) (index * SPREAD % 1 * count);
    }

    /** Returns the order of batches whose servers are given. */
    int[] byServers(IntFunction<List<String>> servers, int count) {
        OwnHost own = host == null ? finder.get() : host;
        host = own;
        Set<List<String>> different = new HashSet<>();
        for (int batch = 0; batch < count; batch++) {
            different.add(servers.apply(batch));
        }
        // The servers of batches alternate, so workers with different indexes begin at different servers.
        int first = first(count);
        int start = first - first % different.size() + index % different.size();
        int[] rank = new int[count];
        for (int batch = 0; batch < count; batch++) {
            List<String> its = servers.apply(batch);
            rank[batch] = its.isEmpty() ? 1 : own.isAmong(its) ? 0 : 2;
        }
        // On a host that stores nothing, as all clients of Lustre, the files of no server would else come before all others.
        if (IntStream.of(rank).noneMatch(kind -> kind == 0)) {
            Arrays.fill(rank, 0);
        }
        return IntStream.range(0, 3)
                .flatMap(kind -> IntStream.range(0, count)
                        .map(place -> (start + place) % count)
                        .filter(batch -> rank[batch] == kind))
                .toArray();
    }
}
