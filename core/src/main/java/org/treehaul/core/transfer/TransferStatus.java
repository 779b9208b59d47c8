// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.ToLongFunction;

import org.treehaul.core.annotation.Api;
import org.treehaul.core.entry.Amounts;
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
 * @param began when the first batch began, or else when the transfer was created
 * @param paused how long nothing worked on it between its interruption and its resumption, all times together
 */
@Api
public record TransferStatus(TransferId id, Operation operation, String commandLine, Instant created, int generation,
        State state, List<BatchStatus> batches, boolean isPlanned, long unplanned, Optional<TransferResult> result,
        Optional<Duration> rest, TransferPlaces places, Instant began, Duration paused) {

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
        /** Every entry is done. */
        COMPLETE,
        /** Everything was tried, and some entries failed. */
        PARTIAL,
        /** Finishing found untried batches or was stopped: the transfer must be resumed. */
        INCOMPLETE,
        /** It was cancelled. */
        CANCELLED;

        /** Returns whether the transfer may progress without further action of the user. */
        public boolean isActive() {
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

    /**
     * Returns when it ended: the time of its result or, without one, of the last report; empty if it may still
     * progress.
     */
    public Optional<Instant> ended() {
        return state.isActive()
                ? Optional.empty()
                : result.map(TransferResult::time).or(() -> BatchStatus.lastReport(batches));
    }

    /**
     * Returns the time from its beginning to its end or, if it may still progress, to now, without the pauses before it
     * was resumed.
     */
    public Duration elapsed(Instant now) {
        Duration elapsed = Duration.between(began, ended().orElse(now)).minus(paused);
        return elapsed.isNegative() ? Duration.ZERO : elapsed;
    }

    /** Returns whether it reads or writes the data of its entries, unlike a removal or a change of attributes. */
    public boolean movesData() {
        return !(operation instanceof Operation.OnEntries);
    }

    /**
     * Returns the mean rate of its data, without holes, in bytes per second; 0 if no time has passed, or if it moves no
     * data.
     */
    public long bytesPerSecond(Instant now) {
        return movesData() ? perSecond(total(BatchStatus::dataDone), now) : 0;
    }

    /** Returns the mean number of entries done per second; 0 if no time has passed. */
    public long entriesPerSecond(Instant now) {
        return perSecond(total(BatchStatus::entriesDone), now);
    }

    private long perSecond(long count, Instant now) {
        long millis = elapsed(now).toMillis();
        return millis == 0 ? 0 : Math.round(count * 1000.0 / millis);
    }

    /** Returns a sum over all batches. */
    public long total(ToLongFunction<BatchStatus> of) {
        long sum = 0;
        for (BatchStatus batch : batches) {
            sum = Amounts.sum(sum, of.applyAsLong(batch));
        }
        return sum;
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

    /** Returns the completed part of the transfer in percent: of entries or, if it moves data, the mean of both. */
    public double percent() {
        return BatchStatus.percent(total(BatchStatus::entriesTried), total(BatchStatus::entries),
                total(BatchStatus::dataDone), movesData() ? total(BatchStatus::data) : 0);
    }
}
