// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.event;

import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/**
 * How far long work has come: counters that its threads add to and anybody may read. One object serves one piece of
 * work. Safe for any number of threads.
 */
public final class Progress {

    private final LongAdder entries = new LongAdder();
    private final LongAdder files = new LongAdder();
    private final LongAdder directories = new LongAdder();
    private final LongAdder bytes = new LongAdder();
    private final LongAdder verified = new LongAdder();
    private final LongAdder skipped = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private volatile Supplier<List<String>> busy = List::of;
    private volatile String phase = "";

    /** Makes progress of nothing yet. */
    public Progress() {}

    /** Counts an entry of any kind that is done. */
    public void entryDone() {
        entries.increment();
    }

    /** Counts a regular file that is done. */
    public void fileDone() {
        files.increment();
    }

    /** Counts a directory that is done. */
    public void directoryDone() {
        directories.increment();
    }

    /** Counts bytes of data that were moved or compared. */
    public void bytesDone(long count) {
        bytes.add(count);
    }

    /** Counts bytes of data that were read back and found equal. */
    public void bytesVerified(long count) {
        verified.add(count);
    }

    /** Counts an entry that was left alone because the options say so. */
    public void entrySkipped() {
        skipped.increment();
    }

    /** Counts a failure. */
    public void entryFailed() {
        failures.increment();
    }

    /** Says what goes on while no counter moves, in a few words; empty when they do. */
    public void setPhase(String words) {
        phase = words;
    }

    /** Returns what goes on while no counter moves, or nothing. */
    public String phase() {
        return phase;
    }

    /** Sets what tells which entries are in hand. */
    public void setBusy(Supplier<List<String>> current) {
        busy = current;
    }

    /**
     * Returns the entries that are in hand at this moment, printable: where a call hangs, its entry stays in this list.
     */
    public List<String> busy() {
        return busy.get();
    }

    /** Returns the counters as they are now. */
    public Snapshot snapshot() {
        return new Snapshot(entries.sum(), files.sum(), directories.sum(), bytes.sum(), verified.sum(), skipped.sum(),
                failures.sum());
    }

    /**
     * The counters at one moment.
     *
     * @param entries entries of any kind that are done, directories included
     * @param files regular files that are done
     * @param directories directories that are done
     * @param bytes bytes of data moved or compared
     * @param verifiedBytes bytes read back and found equal
     * @param skipped entries left alone because the options say so
     * @param failures failures of any kind
     */
    public record Snapshot(long entries, long files, long directories, long bytes, long verifiedBytes, long skipped,
            long failures) {}
}
