// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.collective.simulation;

import java.util.List;

import org.treehaul.strategies.collective.order.ShuffleHint;

/**
 * A collective access: it ends when all its aggregators have ended.
 *
 * @param isWrite whether data are collected first and then written; else they are read first and then distributed
 * @param loads the parts of the aggregators
 */
public record SimulatedAccess(boolean isWrite, List<AggregatorLoad> loads) {

    /** Copies the loads. */
    public SimulatedAccess {
        loads = List.copyOf(loads);
    }

    /** Returns a collective read. */
    public static SimulatedAccess read(List<AggregatorLoad> loads) {
        return new SimulatedAccess(false, loads);
    }

    /** Returns the hint of each aggregator's request. */
    List<ShuffleHint> hints() {
        return isWrite
                ? loads.stream().map(load -> ShuffleHint.NONE).toList()
                : ShuffleHint.ofRead(loads.stream().mapToLong(AggregatorLoad::shuffleNanos).toArray());
    }
}
