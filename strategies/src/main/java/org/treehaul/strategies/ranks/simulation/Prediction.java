// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.treehaul.strategies.ranks.RankReport;
import org.treehaul.strategies.ranks.Traffic;

/**
 * What the simulation of one walk found.
 *
 * @param distribution its name
 * @param ranks ranks that exchange messages
 * @param threads threads that work in each
 * @param entries entries of the tree
 * @param seconds until the last rank has left
 * @param workSeconds until the last unit was done
 * @param messages messages in all
 * @param bytes bytes of them
 * @param workMessages those of them that carry units: the others ask, refuse, or find out that all is done
 * @param workBytes bytes of these
 * @param shares entries done by each rank
 * @param busy part of the time until the last unit in which the threads worked, 0 to 1
 * @param pairs messages and bytes by turns for each pair, by sender and then receiver; empty for more than
 *        {@link #MOST_PAIRED} ranks
 * @param events events that were simulated
 */
public record Prediction(String distribution, int ranks, int threads, long entries, double seconds, double workSeconds,
        long messages, long bytes, long workMessages, long workBytes, List<Long> shares, double busy, List<Long> pairs,
        long events) {

    /** The most ranks of which the pairs are kept. */
    public static final int MOST_PAIRED = 256;

    /** Makes a value. */
    public Prediction {
        shares = List.copyOf(shares);
        pairs = List.copyOf(pairs);
    }

    /** Returns the largest share of a rank, as a multiple of the mean; the master of a centralized walk counts too. */
    public double largestShare() {
        return shares.stream().mapToLong(Long::longValue).max().orElse(0) / meanShare();
    }

    /** Returns the smallest share of a rank that did anything, as a multiple of the mean. */
    public double smallestShare() {
        return shares.stream().mapToLong(Long::longValue).filter(n -> n > 0).min().orElse(0) / meanShare();
    }

    /**
     * Returns what each rank did. The communication is what its messages cost it at its end.
     *
     * @throws IllegalStateException when the pairs are not known, of more than {@link #MOST_PAIRED} ranks
     */
    public List<RankReport> reports(Simulation.Parameters parameters) {
        if (pairs.isEmpty()) {
            throw new IllegalStateException("the pairs of " + ranks + " ranks are not known");
        }
        List<RankReport> reports = new ArrayList<>();
        for (int rank = 0; rank < ranks; rank++) {
            List<Long> messagesTo = new ArrayList<>();
            List<Long> bytesTo = new ArrayList<>();
            double cost = 0;
            for (int other = 0; other < ranks; other++) {
                int to = 2 * (rank * ranks + other);
                int from = 2 * (other * ranks + rank);
                messagesTo.add(pairs.get(to));
                bytesTo.add(pairs.get(to + 1));
                cost += parameters.costs()
                        .atAnEnd(pairs.get(to) + pairs.get(from), pairs.get(to + 1) + pairs.get(from + 1));
            }
            reports.add(new RankReport(rank, threads > 1 ? rank : rank / parameters.perHost(),
                    new Traffic(messagesTo, bytesTo), shares.get(rank), Duration.ofNanos(Math.round(seconds * 1e9)),
                    Duration.ofNanos(Math.round(cost)), Optional.empty()));
        }
        return reports;
    }

    private double meanShare() {
        return (double) entries / shares.size();
    }
}
