// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.collective;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import org.treehaul.strategies.ranks.communicator.Communicator;

/**
 * The parts of a file that the aggregators of one access read or write: the range that all views cover, in equal parts.
 */
final class FileDomains {

    private final long begin;
    private final long end;
    private final long length;
    private final List<Integer> aggregators;

    FileDomains(List<FileView> views, List<Integer> aggregators, long alignment) {
        long first = Long.MAX_VALUE;
        long last = 0;
        for (FileView view : views) {
            if (view.bytes() > 0) {
                first = Math.min(first, view.begin());
                last = Math.max(last, view.end());
            }
        }
        this.aggregators = aggregators;
        this.end = last;
        this.begin = first < last ? first / alignment * alignment : last;
        long each = Math.ceilDiv(end - begin, aggregators.size());
        long parts = Math.ceilDiv(each, alignment);
        this.length = parts > (end - begin) / alignment ? end - begin : parts * alignment;
    }

    /** Returns the ranks that are aggregators: those with the lowest numbers on each host, by turns of the hosts. */
    static List<Integer> choose(Communicator communicator, int number) {
        Set<Integer> hosts = new LinkedHashSet<>();
        for (int rank = 0; rank < communicator.size(); rank++) {
            hosts.add(communicator.hostOf(rank));
        }
        int wanted = Math.min(number == 0 ? hosts.size() : number, communicator.size());
        Set<Integer> chosen = new LinkedHashSet<>();
        while (chosen.size() < wanted) {
            for (int host : hosts) {
                for (int rank = 0; rank < communicator.size(); rank++) {
                    if (communicator.hostOf(rank) == host && chosen.size() < wanted && chosen.add(rank)) {
                        break;
                    }
                }
            }
        }
        return new ArrayList<>(chosen).stream().sorted().toList();
    }

    /** Returns the aggregators, in the order of their parts. */
    List<Integer> aggregators() {
        return aggregators;
    }

    /** Returns whether a rank has a part. */
    boolean has(int rank) {
        return aggregators.contains(rank);
    }

    /** Returns the beginning of the part of an aggregator. */
    long from(int rank) {
        return boundary(aggregators.indexOf(rank));
    }

    /** Returns the end of the part of an aggregator. */
    long to(int rank) {
        return boundary(aggregators.indexOf(rank) + 1);
    }

    // The product may be more than a long has.
    private long boundary(int index) {
        return length == 0 || index > (end - begin) / length ? end : begin + index * length;
    }
}
