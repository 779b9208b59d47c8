// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.collective.order;

/**
 * Predicts the time in which an aggregator distributes data among ranks: equation 1 of the paper, the time of its
 * longest message, plus the latency.
 *
 * <p>
 * The paper guesses by equation 2 which messages stay within a node: those between ranks whose numbers have the same
 * remainder by the number of cores of a node. That holds only if ranks are dealt out round robin to as many nodes as a
 * node has cores. The caller knows the real hosts of its ranks, so this model takes each message with its place.
 *
 * @param latencySeconds the latency of a message (the paper's gamma), in seconds
 * @param withinBytesPerSecond the throughput between ranks of one host (B_a), in bytes per second
 * @param betweenBytesPerSecond the throughput between hosts (B_e), in bytes per second
 */
public record ShuffleModel(double latencySeconds, double withinBytesPerSecond, double betweenBytesPerSecond) {

    private static final double NANOS = 1e9;

    /** Checks that the latency is not negative and that the throughputs are positive. */
    public ShuffleModel {
        if (!(latencySeconds >= 0 && withinBytesPerSecond > 0 && betweenBytesPerSecond > 0)) {
            throw new IllegalArgumentException("latency " + latencySeconds + " s, within a host " + withinBytesPerSecond
                    + " B/s, between hosts " + betweenBytesPerSecond + " B/s");
        }
    }

    /**
     * Returns the shuffle cost of an aggregator in nanoseconds; 0 if it sends nothing.
     *
     * @param aggregator its number in the arrays
     * @param hosts the host of each rank: equal numbers are one host
     * @param bytes the bytes of its data that each rank wants; its own need no message
     */
    public long nanos(int aggregator, int[] hosts, long[] bytes) {
        if (hosts.length != bytes.length) {
            throw new IllegalArgumentException(hosts.length + " hosts for " + bytes.length + " ranks");
        }
        double longest = 0;
        for (int rank = 0; rank < bytes.length; rank++) {
            if (rank != aggregator) {
                longest = Math.max(longest, bytes[rank]
                        / (hosts[rank] == hosts[aggregator] ? withinBytesPerSecond : betweenBytesPerSecond));
            }
        }
        return longest == 0 ? 0 : Math.round((longest + latencySeconds) * NANOS);
    }
}
