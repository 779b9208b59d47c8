// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool.work;

import java.util.Map;

import org.treehaul.core.event.EntryFailure;

/**
 * The work that a worker of a pool has done.
 *
 * @param batches the number of batches that it tried
 * @param finished the number of transfers that it finished
 * @param failures the failures of entries in these, by kind
 */
public record PoolResult(int batches, int finished, Map<EntryFailure.Kind, Long> failures) {

    /** Copies the map. */
    public PoolResult {
        failures = Map.copyOf(failures);
    }
}
