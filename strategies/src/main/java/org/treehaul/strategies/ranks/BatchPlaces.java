// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

import org.treehaul.core.plan.servers.OwnHost;

/** The batches whose data are on the host of a rank, as far as servers and hosts are known. Used under one lock. */
final class BatchPlaces {

    private final int[] numbers;
    private final List<List<String>> servers = new ArrayList<>();
    private final IntFunction<OwnHost> hosts;
    // Whether a rank's host has the data of each of the different lists of servers.
    private final Map<Integer, boolean[]> known = new HashMap<>();

    /**
     * Creates the places.
     *
     * @param count the number of batches
     * @param servers the servers of a batch; empty if unknown
     * @param hosts the host of a rank
     */
    BatchPlaces(int count, IntFunction<List<String>> servers, IntFunction<OwnHost> hosts) {
        this.numbers = new int[count];
        this.hosts = hosts;
        Map<List<String>, Integer> numberOf = new HashMap<>(Map.of(List.of(), 0));
        this.servers.add(List.of());
        for (int batch = 0; batch < count; batch++) {
            List<String> its = servers.apply(batch);
            Integer number = numberOf.putIfAbsent(its, this.servers.size());
            if (number == null) {
                number = this.servers.size();
                this.servers.add(its);
            }
            numbers[batch] = number;
        }
    }

    /** Returns whether the servers of any batch are known. */
    boolean areKnown() {
        return servers.size() > 1;
    }

    /** Returns whether the servers of a batch are known. */
    boolean isKnown(int batch) {
        return numbers[batch] > 0;
    }

    /** Returns whether the host of a rank stores the data of a batch. */
    boolean isLocal(int batch, int rank) {
        return known.computeIfAbsent(rank, this::compare)[numbers[batch]];
    }

    /** Returns whether the host of a rank stores any batch. */
    boolean hasLocal(int rank) {
        for (boolean isLocal : known.computeIfAbsent(rank, this::compare)) {
            if (isLocal) {
                return true;
            }
        }
        return false;
    }

    private boolean[] compare(int rank) {
        OwnHost host = hosts.apply(rank);
        boolean[] isLocal = new boolean[servers.size()];
        for (int number = 0; number < isLocal.length; number++) {
            isLocal[number] = host.isAmong(servers.get(number));
        }
        return isLocal;
    }
}
