// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.ToLongFunction;

/**
 * How far a transfer is.
 *
 * @param id which one
 * @param kind {@code copy} or {@code verify}
 * @param commandLine what the user said, escaped to be shown
 * @param created when it was made
 * @param generation the newest, 0 before the start
 * @param state what becomes of it
 * @param batches each of them, by number; those that are planned so far
 * @param isPlanned whether these are all
 * @param unplanned how many entries could not be planned
 * @param result of finishing in the newest generation, if it has ended
 * @param rest how long the rest may take, where anything is known of it
 */
public record TransferStatus(TransferId id, String kind, String commandLine, Instant created, int generation,
        State state, List<BatchStatus> batches, boolean isPlanned, long unplanned, Optional<TransferResult> result,
        Optional<Duration> rest) {

    /** What becomes of a transfer. */
    public enum State {
        /** It is planned, or waits to be started. */
        PLANNING,
        /**
         * No worker, and none that finishes, was heard of lately, though there is work: jobs wait in a queue, or are
         * gone.
         */
        WAITING,
        /** Workers are at it. */
        RUNNING,
        /** It is being finished. */
        FINISHING,
        /** Everything is copied. */
        COMPLETE,
        /** Everything was tried, and some entries failed. */
        PARTIAL,
        /** Finishing found batches that were not tried, or was stopped: to be resumed. */
        INCOMPLETE,
        /** It was cancelled. */
        CANCELLED
    }

    /** Makes a status. */
    public TransferStatus {
        batches = List.copyOf(batches);
    }

    /** Returns a sum over all batches. */
    public long total(ToLongFunction<BatchStatus> of) {
        return batches.stream().mapToLong(of).sum();
    }

    /** Returns whether every batch was tried, so that finishing alone is left. */
    public boolean isTried() {
        return isPlanned && batches.stream()
                .allMatch(
                        batch -> batch.state() == BatchStatus.State.DONE || batch.state() == BatchStatus.State.FAILED);
    }

    /** Returns how much failed, as far as is known by now. */
    public long failed() {
        return result.map(TransferResult::failed).orElseGet(() -> unplanned + total(BatchStatus::failed));
    }

    /** Returns how much of it is done, 0 to 100. */
    public double percent() {
        return BatchStatus.percent(total(BatchStatus::entriesDone) + total(BatchStatus::failed),
                total(BatchStatus::entries), total(BatchStatus::bytesDone), total(BatchStatus::bytes));
    }
}
