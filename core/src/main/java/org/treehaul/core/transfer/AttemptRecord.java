// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.treehaul.core.annotation.Api;
import org.treehaul.core.transfer.journal.SlowFile;

/**
 * One attempt at a batch, as its worker recorded it. Times are of the clock of its host.
 *
 * @param batch the batch
 * @param number the number of the attempt, from 1
 * @param generation the generation of the worker
 * @param worker the host, and the job or process that made it
 * @param state how it ended, or that it runs
 * @param started when it began
 * @param ended when it ended or last reported, not before it began
 * @param entries entries that it completed
 * @param bytes data of these, without holes
 * @param failed entries of the batch that failed
 * @param slowest files that took it the longest time, the slowest first, as far as its worker recorded them
 */
@Api
public record AttemptRecord(int batch, int number, int generation, String worker, State state, Instant started,
        Instant ended, long entries, long bytes, long failed, List<SlowFile> slowest) {

    /** State of an attempt. */
    public enum State {
        /** It has not recorded its end: it runs, or its worker died. */
        OPEN,
        /** Every entry was tried. */
        COMPLETE,
        /** It was asked to stop. */
        STOPPED,
        /** It could not continue. */
        GAVE_UP
    }

    /** Creates a record; an end before the beginning is replaced by the beginning. */
    public AttemptRecord {
        ended = ended.isBefore(started) ? started : ended;
        slowest = List.copyOf(slowest);
    }

    /** Creates the record of an attempt without slow files. */
    public AttemptRecord(int batch, int number, int generation, String worker, State state, Instant started,
            Instant ended, long entries, long bytes, long failed) {
        this(batch, number, generation, worker, state, started, ended, entries, bytes, failed, List.of());
    }

    /** Returns how long it took. */
    public Duration duration() {
        return Duration.between(started, ended);
    }
}
