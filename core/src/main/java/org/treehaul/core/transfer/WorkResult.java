// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.util.Map;

import org.treehaul.core.event.EntryFailure;

/**
 * How a worker ended.
 *
 * @param ending why it claims no more
 * @param batches how many batches it tried
 * @param failures of entries in these, by kind
 * @param problem what made it give up, or empty
 */
public record WorkResult(Ending ending, int batches, Map<EntryFailure.Kind, Long> failures, String problem) {

    /** Why a worker ends. */
    public enum Ending {
        /** No batch is left that nobody works on. */
        DONE,
        /** It was asked to stop; what it had in hand is written down, and anybody may go on with it. */
        STOPPED,
        /** The transfer was resumed or cancelled: others go on, or nobody. */
        SUPERSEDED,
        /** The destination or the state directory failed as a whole. */
        GAVE_UP,
        /** Whoever planned has died before the plan was complete. */
        PLANNER_DIED
    }

    /** Makes a result. */
    public WorkResult {
        failures = Map.copyOf(failures);
    }
}
