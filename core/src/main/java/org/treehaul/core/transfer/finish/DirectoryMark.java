// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.finish;

import java.io.IOException;
import java.time.Duration;

import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.journal.Attempts;
import org.treehaul.core.transfer.journal.FinishingHistory;
import org.treehaul.core.transfer.journal.JournalRecord;
import org.treehaul.core.transfer.journal.JournalWriter;

/**
 * The number of directories, in the order of the plan, that are finished, so that an interrupted finishing continues
 * after them. The mark is valid only as long as nothing was written into these directories since: no batch was retried,
 * no large file was completed, and no unplanned entry was copied. Used by one thread, except for {@link #stop}.
 */
final class DirectoryMark {

    private static final String PHASE = "directories-done";

    private final JournalWriter journal;
    private final JournalWriter.Sync sync;
    private final long every;
    private final long attempts;
    private long written;
    private long done;
    private long last = System.nanoTime();
    private volatile boolean isStopped;

    private DirectoryMark(JournalWriter journal, JournalWriter.Sync sync, Duration every, long attempts, long known) {
        this.journal = journal;
        this.sync = sync;
        this.every = every.toNanos();
        this.attempts = attempts;
        this.written = known;
        this.done = known;
    }

    /**
     * Returns the mark that earlier finishing left.
     *
     * @param sync makes the changes to the directories durable
     */
    static DirectoryMark of(TransferDirectory directory, FinishingHistory history, JournalWriter journal,
            JournalWriter.Sync sync) throws IOException {
        // Every worker that writes has created a journal before.
        long attempts = Attempts.atBatches(directory).newest().values().stream().mapToLong(Integer::longValue).sum();
        String[] known = history.phase(PHASE).orElse("0 0").split(" ", 2);
        long done = Long.parseLong(known[1]) == attempts ? Long.parseLong(known[0]) : 0;
        return new DirectoryMark(journal, sync, directory.timing().durableTime(), attempts, done);
    }

    /** Returns the number of directories that need no more work. */
    long done() {
        return done;
    }

    /**
     * Discards the mark; the caller must do this before any other write to the destination. All directories are then
     * done again.
     */
    void clear() throws IOException {
        done = 0;
        if (written > 0) {
            write();
            // Otherwise a crash could bring back the old mark although later writes to the destination survived.
            journal.makeDurable(sync);
        }
    }

    /** Adds finished directories, unless one has failed. */
    void add(int number) throws IOException {
        if (!isStopped) {
            done += number;
            if (System.nanoTime() - last >= every) {
                report();
            }
        }
    }

    /** Records the mark in the journal. */
    void report() throws IOException {
        if (done > written) {
            sync.sync();
            write();
            last = System.nanoTime();
        }
    }

    /** Freezes the mark, because a directory failed and must be retried. */
    void stop() {
        isStopped = true;
    }

    private void write() throws IOException {
        journal.write(new JournalRecord.Phase(PHASE, done + " " + attempts));
        written = done;
    }
}
