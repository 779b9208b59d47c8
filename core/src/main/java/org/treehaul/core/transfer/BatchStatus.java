// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Api;
import org.treehaul.core.transfer.journal.BatchOutcome;
import org.treehaul.core.transfer.journal.JournalRecord;
import org.treehaul.core.transfer.journal.WorkInProgress;

/**
 * The status of a batch, as its worker last reported it.
 *
 * @param number the batch
 * @param state its state
 * @param attempts the number of attempts so far
 * @param entries planned entries
 * @param files planned regular files
 * @param bytes planned bytes
 * @param data how many of these bytes must be read: all but holes
 * @param entriesDone entries copied or skipped
 * @param filesDone regular files among these
 * @param bytesDone bytes of these
 * @param dataDone how many of these bytes had to be read
 * @param failed entries that failed
 * @param host the host of the newest attempt, empty if unknown
 * @param job its job, as the scheduler names it, or empty
 * @param started when the newest attempt began, by the clock of its host, if known
 * @param reported when it last reported; for an attempt that has ended, the time of its end
 * @param current its entries in progress while it runs; their data count as done
 */
@Api
public record BatchStatus(int number, State state, int attempts, long entries, long files, long bytes, long data,
        long entriesDone, long filesDone, long bytesDone, long dataDone, long failed, String host, String job,
        Optional<Instant> started, Optional<Instant> reported, WorkInProgress current) {

    /** State of a batch. */
    public enum State {
        /** No worker has started it, or its worker has stopped. */
        WAITING,
        /** Its worker has reported recently. */
        RUNNING,
        /** Every entry is done. */
        DONE,
        /** Every entry was tried, and some failed. */
        FAILED,
        /** Its worker gave up; resume retries it. */
        GAVE_UP,
        /** Its worker has not reported for too long. */
        DEAD
    }

    /** Returns a copy with entries in progress, whose data count as done. */
    BatchStatus with(WorkInProgress now) {
        long moving = Math.min(now.bytes(), Math.max(0, data - dataDone));
        return new BatchStatus(number, state, attempts, entries, files, bytes, data, entriesDone, filesDone,
                Math.min(bytes, bytesDone + moving), dataDone + moving, failed, host, job, started, reported, now);
    }

    /** Returns a copy with the counts of the end of a journal; counts that it does not contain are estimated. */
    BatchStatus with(JournalRecord.End end) {
        long filesLike = end.done() >= entries ? files : Math.min(files, Math.max(filesDone, end.done()));
        long dataLike = end.bytes() >= bytes ? data : (long) ((double) data / bytes * end.bytes());
        return new BatchStatus(number, state, attempts, entries, files, bytes, data, end.done(), filesLike, end.bytes(),
                dataLike, end.failed(), host, job, started, reported, current);
    }

    /**
     * Returns a copy with the counts after finishing: an entry whose replacement was copied is done; one whose
     * replacement failed is neither done nor failed, because the failure is that of the replacement.
     */
    BatchStatus with(BatchOutcome.Tally tally) {
        return tally.done() >= entries
                ? whole()
                : new BatchStatus(number, state, attempts, entries, files, bytes, data, tally.done(), filesDone,
                        bytesDone, dataDone, tally.failed(), host, job, started, reported, current);
    }

    /**
     * Returns a copy that waits for a worker if entries failed or its worker gave up, because a resume tries it again.
     */
    BatchStatus toBeTriedAgain() {
        return state != State.FAILED && state != State.GAVE_UP
                ? this
                : new BatchStatus(number, State.WAITING, attempts, entries, files, bytes, data, entriesDone, filesDone,
                        bytesDone, dataDone, failed, host, job, started, reported, current);
    }

    /** Returns the number of entries that were tried. */
    long entriesTried() {
        return state == State.FAILED ? entries : entriesDone + failed;
    }

    /** Returns a copy with every entry done. */
    BatchStatus whole() {
        return new BatchStatus(number, State.DONE, attempts, entries, files, bytes, data, entries, files, bytes, data,
                0, host, job, started, reported, current);
    }

    /**
     * Returns the completed part of the batch in percent, the mean of data and entries: small files cost time too, and
     * holes cost none.
     */
    public double percent() {
        return percent(entriesTried(), entries, dataDone, data);
    }

    // Loops, because these look at each of thousands of batches once, before a stream would be compiled.

    /** Returns when the first of the newest attempts at batches began, if one is known. */
    static Optional<Instant> firstStart(List<BatchStatus> batches) {
        @Nullable Instant first = null;
        for (BatchStatus batch : batches) {
            if (batch.started.isPresent() && (first == null || batch.started.get().isBefore(first))) {
                first = batch.started.get();
            }
        }
        return Optional.ofNullable(first);
    }

    /** Returns when the last of the newest attempts at batches reported, if one is known. */
    static Optional<Instant> lastReport(List<BatchStatus> batches) {
        @Nullable Instant last = null;
        for (BatchStatus batch : batches) {
            if (batch.reported.isPresent() && (last == null || batch.reported.get().isAfter(last))) {
                last = batch.reported.get();
            }
        }
        return Optional.ofNullable(last);
    }

    static double percent(long entriesDone, long entries, long dataDone, long data) {
        double ofEntries = entries == 0 ? 1 : Math.min(1, (double) entriesDone / entries);
        double ofData = data == 0 ? ofEntries : Math.min(1, (double) dataDone / data);
        return 50 * (ofEntries + ofData);
    }
}
