// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.simulation;

import java.util.List;

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
 * @param shares entries done by each rank
 * @param busy part of the time until the last unit in which the threads worked, 0 to 1
 * @param pairs messages and bytes by turns for each pair, by sender and then receiver; empty for more than 256 ranks
 * @param events events that were simulated
 */
public record Prediction(String distribution, int ranks, int threads, long entries, double seconds, double workSeconds,
        long messages, long bytes, List<Long> shares, double busy, List<Long> pairs, long events) {

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

    private double meanShare() {
        return (double) entries / shares.size();
    }
}
