// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.treehaul.strategies.ranks.RankReport;
import org.treehaul.strategies.ranks.communicator.Traffic;

/**
 * The result of simulating one walk.
 *
 * @param distribution the name of the distribution
 * @param ranks the number of ranks that exchange messages
 * @param threads the number of threads that work in each rank
 * @param entries the number of entries of the tree
 * @param seconds the time until the last rank has left
 * @param workSeconds the time until the last unit was done
 * @param messages the number of all messages
 * @param bytes their bytes
 * @param workMessages the number of messages that carry units: the others request, refuse, or detect the end
 * @param workBytes the bytes of these
 * @param shares the entries done by each rank
 * @param busy the part of the time until the last unit in which the threads worked, 0 to 1
 * @param listing the part of that work that went into listing directories, 0 to 1; the rest queried the status of
 *        entries
 * @param pairs messages and bytes in turn for each pair, by sender and then receiver; empty for more than
 *        {@link #MOST_PAIRED} ranks
 * @param events the number of simulated events
 */
public record Prediction(String distribution, int ranks, int threads, long entries, double seconds, double workSeconds,
        long messages, long bytes, long workMessages, long workBytes, List<Long> shares, double busy, double listing,
        List<Long> pairs, long events) {

    /** The largest number of ranks for which the pairs are recorded. */
    public static final int MOST_PAIRED = 256;

    /** Copies the lists. */
    public Prediction {
        shares = List.copyOf(shares);
        pairs = List.copyOf(pairs);
    }

    /**
     * Returns the largest share of a rank, as a multiple of the mean, which includes the master of a centralized walk.
     */
    public double largestShare() {
        return shares.stream().mapToLong(Long::longValue).max().orElse(0) / meanShare();
    }

    /** Returns the smallest share of a rank that did any work, as a multiple of the mean. */
    public double smallestShare() {
        return shares.stream().mapToLong(Long::longValue).filter(n -> n > 0).min().orElse(0) / meanShare();
    }

    /**
     * Returns the report of each rank. Its communication time is the cost of its messages at its end.
     *
     * @throws IllegalStateException when the pairs are unknown, for more than {@link #MOST_PAIRED} ranks
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
