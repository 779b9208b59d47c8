// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.simulation;

/**
 * The cost of messages, in nanoseconds: {@code alpha + n * beta} on the way, as in LaFon et al. (III.C), and a part at
 * both ends in which the rank does nothing else.
 *
 * @param localLatency alpha between ranks of one host
 * @param localPerByte beta between them
 * @param remoteLatency alpha between hosts
 * @param remotePerByte beta between them
 * @param overhead the cost of each message for its sender, and again for its receiver
 * @param overheadPerByte the cost of each of its bytes for them: packing and queueing
 */
public record Costs(long localLatency, double localPerByte, long remoteLatency, double remotePerByte, long overhead,
        double overheadPerByte) {

    /** Checks that no cost is negative. */
    public Costs {
        if (localLatency < 0 || remoteLatency < 0 || overhead < 0 || localPerByte < 0 || remotePerByte < 0
                || overheadPerByte < 0) {
            throw new IllegalArgumentException("a negative cost");
        }
    }

    /**
     * Returns the default costs: 1 µs and 10 GB/s within a host, 5 µs and 2 GB/s between hosts, 5 µs at each end, where
     * a byte costs half a nanosecond.
     */
    public static Costs defaults() {
        return new Costs(1_000, 0.1, 5_000, 0.5, 5_000, 0.5);
    }

    long onTheWay(boolean isLocal, long bytes) {
        return isLocal ? localLatency + (long) (bytes * localPerByte) : remoteLatency + (long) (bytes * remotePerByte);
    }

    long atAnEnd(long bytes) {
        return overhead + (long) (bytes * overheadPerByte);
    }

    double atAnEnd(long messages, long bytes) {
        return (double) messages * overhead + bytes * overheadPerByte;
    }
}
