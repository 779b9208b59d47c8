// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.time.Instant;
import java.util.Optional;

/**
 * How far a batch is, as its worker last told.
 *
 * @param number the batch
 * @param state what becomes of it
 * @param attempts how many there were
 * @param entries planned
 * @param files planned regular files
 * @param bytes planned
 * @param entriesDone copied or left alone
 * @param filesDone regular files of these
 * @param bytesDone of these
 * @param failed entries that failed
 * @param host where the newest attempt runs or ran, empty where that was not told
 * @param job its job as the scheduler names it, or empty
 * @param started when the newest attempt began, by the clock of its host, where that was told
 * @param told when it last told anything; of one that has ended, when it ended
 */
public record BatchStatus(int number, State state, int attempts, long entries, long files, long bytes, long entriesDone,
        long filesDone, long bytesDone, long failed, String host, String job, Optional<Instant> started,
        Optional<Instant> told) {

    /** What becomes of a batch. */
    public enum State {
        /** Nobody works on it yet, or not any more. */
        WAITING,
        /** A worker was heard of lately. */
        RUNNING,
        /** Every entry is done. */
        DONE,
        /** Every entry was tried, and some failed. */
        FAILED,
        /** Its worker gave up: resume tries it again. */
        GAVE_UP,
        /** Its worker was not heard of for too long. */
        DEAD
    }

    /** Returns it with the sums that a journal ends with; of the files, which are not among them, the likely part. */
    BatchStatus with(JournalRecord.End end) {
        long filesLike = end.done() >= entries ? files : Math.min(files, Math.max(filesDone, end.done()));
        return new BatchStatus(number, state, attempts, entries, files, bytes, end.done(), filesLike, end.bytes(),
                end.failed(), host, job, started, told);
    }

    /** Returns it with every entry done. */
    BatchStatus whole() {
        return new BatchStatus(number, State.DONE, attempts, entries, files, bytes, entries, files, bytes, 0, host, job,
                started, told);
    }

    /** Returns how much of it is done, 0 to 100, by bytes and entries together: small files cost as well. */
    public double percent() {
        return percent(entriesDone + failed, entries, bytesDone, bytes);
    }

    static double percent(long entriesDone, long entries, long bytesDone, long bytes) {
        double ofEntries = entries == 0 ? 1 : Math.min(1, (double) entriesDone / entries);
        double ofBytes = bytes == 0 ? ofEntries : Math.min(1, (double) bytesDone / bytes);
        return 50 * (ofEntries + ofBytes);
    }
}
