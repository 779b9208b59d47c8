// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.ToLongFunction;

import org.treehaul.core.annotation.Api;
import org.treehaul.core.transfer.directory.TransferId;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.operation.Operation;

/**
 * The status of a transfer.
 *
 * @param id its id
 * @param operation the operation that it applies to each entry
 * @param commandLine the command of the user, escaped for display
 * @param created when it was created
 * @param generation the newest generation, 0 before the start
 * @param state its state
 * @param batches the batches planned so far, by number
 * @param isPlanned whether these are all batches
 * @param unplanned the number of entries that could not be planned
 * @param result the result of finishing the newest generation, if it has ended
 * @param rest the estimated remaining time, if known
 * @param places its sources and its destination, as far as they are known
 */
@Api
public record TransferStatus(TransferId id, Operation operation, String commandLine, Instant created, int generation,
        State state, List<BatchStatus> batches, boolean isPlanned, long unplanned, Optional<TransferResult> result,
        Optional<Duration> rest, TransferPlaces places) {

    /** State of a transfer. */
    public enum State {
        /** It is being planned, or waits to be started. */
        PLANNING,
        /**
         * There is work, but no worker and no finishing process has reported recently: jobs wait in a queue, or are
         * gone.
         */
        WAITING,
        /** The scheduler refused its jobs; see {@link Refusal}. */
        NOT_SUBMITTED,
        /** Workers are running. */
        RUNNING,
        /** It is being finished. */
        FINISHING,
        /** Everything is copied. */
        COMPLETE,
        /** Everything was tried, and some entries failed. */
        PARTIAL,
        /** Finishing found untried batches or was stopped: the transfer must be resumed. */
        INCOMPLETE,
        /** It was cancelled. */
        CANCELLED;

        /** Returns whether the transfer may progress without further action of the user. */
        public boolean goesOn() {
            return switch (this) {
                case PLANNING, WAITING, RUNNING, FINISHING -> true;
                case COMPLETE, PARTIAL, INCOMPLETE, CANCELLED, NOT_SUBMITTED -> false;
            };
        }
    }

    /** Creates a status. */
    public TransferStatus {
        batches = List.copyOf(batches);
    }

    /** Returns when the first batch began, or else when the transfer was created. */
    public Instant began() {
        return batches.stream()
                .flatMap(batch -> batch.started().stream())
                .min(Comparator.naturalOrder())
                .orElse(created);
    }

    /**
     * Returns when it ended: the time of its result or, without one, of the last report; empty if it may still
     * progress.
     */
    public Optional<Instant> ended() {
        return state.goesOn()
                ? Optional.empty()
                : result.map(TransferResult::time)
                        .or(() -> batches.stream()
                                .flatMap(batch -> batch.reported().stream())
                                .max(Comparator.naturalOrder()));
    }

    /**
     * Returns the time from its beginning to its end or, if it may still progress, to now. It includes pauses before a
     * resume.
     */
    public Duration elapsed(Instant now) {
        Duration elapsed = Duration.between(began(), ended().orElse(now));
        return elapsed.isNegative() ? Duration.ZERO : elapsed;
    }

    /** Returns the mean rate of its data in bytes per second; 0 if no time has passed. */
    public long bytesPerSecond(Instant now) {
        long millis = elapsed(now).toMillis();
        return millis == 0 ? 0 : Math.round(total(BatchStatus::dataDone) * 1000.0 / millis);
    }

    /** Returns a sum over all batches. */
    public long total(ToLongFunction<BatchStatus> of) {
        return batches.stream().mapToLong(of).sum();
    }

    /** Returns whether every batch was tried, so that only finishing remains. */
    public boolean isTried() {
        return isPlanned && batches.stream()
                .allMatch(
                        batch -> batch.state() == BatchStatus.State.DONE || batch.state() == BatchStatus.State.FAILED);
    }

    /** Returns the number of failed entries known so far. */
    public long failed() {
        return result.map(TransferResult::failed).orElseGet(() -> unplanned + total(BatchStatus::failed));
    }

    /** Returns the completed part of the transfer in percent, the mean of data and entries. */
    public double percent() {
        return BatchStatus.percent(total(BatchStatus::entriesTried), total(BatchStatus::entries),
                total(BatchStatus::dataDone), total(BatchStatus::data));
    }
}
