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
 * unknown, and those of other hosts, who may take them themselves, last; or not at all. Used by one thread.
 */
final class BatchOrder {

    // The golden ratio: the fractional parts of its multiples are spread evenly for any number of workers.
    private static final double SPREAD = 0.618_033_988_749_895;

    private final int index;
    private final Supplier<OwnHost> finder;
    private final boolean isBound;
    private @Nullable OwnHost host;
    private int[] order = {};
    // The number of batches that the order was made for.
    private int ordered;

    /**
     * Creates an order.
     *
     * @param index the index of the worker
     * @param host finds the host of the worker; asked only if the plan knows servers
     * @param isBound whether the worker takes no batch of other hosts
     */
    BatchOrder(int index, Supplier<OwnHost> host, boolean isBound) {
        this.index = index;
        this.isBound = isBound;
        this.finder = host;
    }

    /** Returns how many batches the worker may take. */
    int count(Plan plan) {
        int count = plan.batchCount();
        if (!plan.hasServers()) {
            return count;
        }
        if (ordered != count) {
            order = byServers(plan::servers, count);
            ordered = count;
        }
        return order.length;
    }

    /** Returns the batch at a place of the order, from 0 to the {@link #count} - 1, which the caller has asked for. */
    int at(Plan plan, int place) {
        return plan.hasServers() ? order[place] : (first(plan.batchCount()) + place) % plan.batchCount();
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
        if (!isBound && IntStream.of(rank).noneMatch(kind -> kind == 0)) {
            Arrays.fill(rank, 0);
        }
        return IntStream.range(0, isBound ? 2 : 3)
                .flatMap(kind -> IntStream.range(0, count)
                        .map(place -> (start + place) % count)
                        .filter(batch -> rank[batch] == kind))
                .toArray();
    }
}
