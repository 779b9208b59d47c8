// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.collective.simulation;

/**
 * The part of one aggregator in a collective access.
 *
 * @param server the number of the server that has its data, from 0
 * @param travelNanos the time from the beginning of the access, or in a write from the end of the shuffle, until the
 *        request reaches the server
 * @param serviceNanos the time that the server needs for the request
 * @param shuffleNanos the time in which the aggregator distributes the data to other ranks, or in a write collects them
 */
public record AggregatorLoad(int server, long travelNanos, long serviceNanos, long shuffleNanos) {

    /** Checks that nothing is negative. */
    public AggregatorLoad {
        if (server < 0 || travelNanos < 0 || serviceNanos < 0 || shuffleNanos < 0) {
            throw new IllegalArgumentException("server " + server + ", " + travelNanos + " ns of travel, "
                    + serviceNanos + " ns of service, " + shuffleNanos + " ns of shuffle");
        }
    }
}
