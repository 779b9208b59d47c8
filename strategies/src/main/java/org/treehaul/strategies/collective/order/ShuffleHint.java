// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.collective.order;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The information that an aggregator of a collective access sends to the servers with its requests (the paper, 4.2).
 *
 * @param shuffleNanos the predicted time, in nanoseconds, that the aggregator needs to distribute the data after it has
 *        them
 * @param delayNanos the acceptable delay (equation 3), in nanoseconds: how much later than the slowest aggregator it
 *        may have its data without delaying the access
 * @param rank the relative acceptable delay: 0 for the slowest aggregators of the access, then ascending with the
 *        acceptable delay; equal delays have equal ranks
 */
public record ShuffleHint(long shuffleNanos, long delayNanos, int rank) {

    /** The hint of a request after which nothing is distributed, such as each request of a collective write. */
    public static final ShuffleHint NONE = new ShuffleHint(0, 0, 0);

    /** Checks that nothing is negative. */
    public ShuffleHint {
        if (shuffleNanos < 0 || delayNanos < 0 || rank < 0) {
            throw new IllegalArgumentException(
                    "shuffle " + shuffleNanos + " ns, delay " + delayNanos + " ns, rank " + rank);
        }
    }

    /**
     * Returns the hints of all aggregators of one collective read.
     *
     * @param shuffleNanos the predicted shuffle cost of each aggregator, in nanoseconds
     */
    public static List<ShuffleHint> ofRead(long... shuffleNanos) {
        long[] ascending = Arrays.stream(shuffleNanos).distinct().sorted().toArray();
        long slowest = ascending.length == 0 ? 0 : ascending[ascending.length - 1];
        List<ShuffleHint> hints = new ArrayList<>();
        for (long cost : shuffleNanos) {
            hints.add(
                    new ShuffleHint(cost, slowest - cost, ascending.length - 1 - Arrays.binarySearch(ascending, cost)));
        }
        return hints;
    }
}
