// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.journal;

/**
 * A failure, and where it happened.
 *
 * @param batch the batch; {@link #NO_BATCH} for planning and finishing
 * @param attempt the attempt at the batch, or at finishing; 0 for planning
 * @param generation the generation of the attempt; 0 for planning
 * @param host the host of the attempt
 * @param record the failure as recorded there
 * @param isResolved whether a later attempt has processed the entry
 */
public record AttemptFailure(int batch, int attempt, int generation, String host, FailureRecord record,
        boolean isResolved) {

    /** The batch of failures of planning and finishing. */
    public static final int NO_BATCH = -1;
}
