// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.mpj;

import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The ranks of a group.
 *
 * @param hosts a number for the host of each rank
 * @param hostNames the name of the host of each rank; empty if it is unknown
 * @param names the name of each rank for messages to users
 */
record Members(List<Integer> hosts, List<String> hostNames, List<String> names) {

    Members {
        hosts = List.copyOf(hosts);
        hostNames = List.copyOf(hostNames);
        names = List.copyOf(names);
        if (hosts.size() != names.size()) {
            throw new IllegalArgumentException(hosts.size() + " hosts, " + names.size() + " names");
        }
    }

    static String name(int rank, String host) {
        return "rank " + rank + " on " + host;
    }

    /** Returns the ranks of one process, with the hosts that they count as being on. */
    static Members here(List<Integer> hosts) {
        return new Members(hosts, Collections.nCopies(hosts.size(), ""),
                IntStream.range(0, hosts.size()).mapToObj(i -> "rank " + i).toList());
    }

    /** Returns ranks on hosts with these names; ranks on one host count as close to each other. */
    static Members on(List<String> hosts) {
        List<String> different = hosts.stream().distinct().toList();
        return new Members(hosts.stream().map(different::indexOf).toList(), hosts,
                IntStream.range(0, hosts.size()).mapToObj(i -> name(i, hosts.get(i))).toList());
    }

    int size() {
        return hosts.size();
    }

    String hostName(int rank) {
        return hostNames.get(rank);
    }

    int host(int rank) {
        return hosts.get(rank);
    }

    String name(int rank) {
        return names.get(rank);
    }
}
