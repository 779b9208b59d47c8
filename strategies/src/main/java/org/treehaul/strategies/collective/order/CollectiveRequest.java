// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.collective.order;

/**
 * A request of an aggregator at one storage server.
 *
 * @param application the number of the application or transfer that it belongs to; the same on all servers
 * @param access the number of the collective access within the application; a request of a transfer that does not read
 *        or write collectively is an access of its own
 * @param serviceNanos the predicted time, in nanoseconds, that the server needs for it (the paper's read cost)
 * @param hint the hint of its aggregator
 */
public record CollectiveRequest(long application, long access, long serviceNanos, ShuffleHint hint) {

    /** Checks that the time is not negative. */
    public CollectiveRequest {
        if (serviceNanos < 0) {
            throw new IllegalArgumentException("service " + serviceNanos + " ns");
        }
    }
}
