// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.collective.simulation;

import java.util.List;

/**
 * An application, which begins each of its collective accesses when the one before has ended.
 *
 * @param startNanos the time at which it begins
 * @param accesses its accesses
 */
public record SimulatedApplication(long startNanos, List<SimulatedAccess> accesses) {

    /** Copies the accesses, and checks that each has an aggregator. */
    public SimulatedApplication {
        accesses = List.copyOf(accesses);
        if (startNanos < 0 || accesses.stream().anyMatch(access -> access.loads().isEmpty())) {
            throw new IllegalArgumentException("start at " + startNanos + " ns, or an access without aggregators");
        }
    }
}
