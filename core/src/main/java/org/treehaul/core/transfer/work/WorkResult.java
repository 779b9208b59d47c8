// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.work;

import java.util.Map;

import org.treehaul.core.event.EntryFailure;

/**
 * The result of a worker.
 *
 * @param ending why it claims no more batches
 * @param batches the number of batches that it tried
 * @param failures the failures of entries in these, by kind
 * @param problem the reason why it gave up, or empty
 */
public record WorkResult(Ending ending, int batches, Map<EntryFailure.Kind, Long> failures, String problem) {

    /** Reason for the end of a worker. */
    public enum Ending {
        /** No batch is left to claim. */
        DONE,
        /** It was asked to stop; its unfinished work is recorded, and another worker may continue it. */
        STOPPED,
        /** The transfer was resumed, so that others continue it, or was cancelled. */
        SUPERSEDED,
        /** The destination or the state directory failed as a whole. */
        GAVE_UP,
        /** The planner died before the plan was complete. */
        PLANNER_DIED
    }

    /** Creates a result. */
    public WorkResult {
        failures = Map.copyOf(failures);
    }
}
