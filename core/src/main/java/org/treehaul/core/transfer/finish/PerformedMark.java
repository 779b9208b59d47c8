// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.finish;

import java.io.IOException;

import org.treehaul.core.transfer.journal.FinishingHistory;
import org.treehaul.core.transfer.journal.JournalRecord;
import org.treehaul.core.transfer.journal.JournalWriter;

/**
 * The number of directories, in the order of the plan, on which an operation was performed. It is recorded before a
 * directory that contains others is changed: if it is closed by that and the finishing is killed, the next one cannot
 * reach those others, but knows that they are done. Used by one thread.
 */
final class PerformedMark {

    private static final String PHASE = "directories-performed";

    private final JournalWriter journal;
    private final long known;
    private long written;
    private boolean isStopped;

    private PerformedMark(JournalWriter journal, long known) {
        this.journal = journal;
        this.known = known;
        this.written = known;
    }

    /** Returns the mark that earlier finishing left. */
    static PerformedMark of(FinishingHistory history, JournalWriter journal) {
        return new PerformedMark(journal, history.phase(PHASE).map(Long::parseLong).orElse(0L));
    }

    /** Returns whether earlier finishing has performed the operation on a directory without a failure until then. */
    boolean isPerformed(long index) {
        return index < known;
    }

    /** Records that the operation was performed on this number of directories, unless one failed. */
    void record(long number) throws IOException {
        if (!isStopped && number > written) {
            journal.write(new JournalRecord.Phase(PHASE, Long.toString(number)));
            written = number;
        }
    }

    /** Freezes the mark, because a directory failed and must be tried again. */
    void stop() {
        isStopped = true;
    }
}
