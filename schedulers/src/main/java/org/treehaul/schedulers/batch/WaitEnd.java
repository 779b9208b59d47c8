// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.batch;

import java.util.List;

import org.treehaul.core.transfer.TransferStatus;

/** The reason why {@link BatchTransfer#await} returned. */
public sealed interface WaitEnd {

    /** Finishing has ended, and the status has its {@linkplain TransferStatus#result() result}. */
    record Finished(TransferStatus status) implements WaitEnd {}

    /** The transfer was cancelled, or resumed by another process, or its jobs were refused. */
    record Replaced(TransferStatus status) implements WaitEnd {}

    /**
     * No job is left, but the transfer is not finished; it can be resumed.
     *
     * @param silent the jobs that left no output, by the scheduler's ids: they ended before they began, or on nodes
     *        that do not see the state directory
     */
    record JobsGone(List<String> silent) implements WaitEnd {

        /** Keeps a copy of the list. */
        public JobsGone {
            silent = List.copyOf(silent);
        }
    }

    /** The caller cancelled the wait; the jobs continue. */
    record Interrupted() implements WaitEnd {}
}
