// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.event;

import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.EntryKind;

/**
 * The progress of long work: counters that its threads increment and any thread may read. One object serves one piece
 * of work. Safe for any number of threads.
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

    /** Creates counters with the value zero. */
    public Progress() {}

    /** Counts an entry of any kind as done. */
    public void entryDone() {
        entries.increment();
    }

    /** Counts an entry of this kind as done; a regular file and a directory are also counted as such. */
    @Internal
    public void entryDone(EntryKind kind) {
        entryDone();
        if (kind == EntryKind.REGULAR) {
            fileDone();
        } else if (kind == EntryKind.DIRECTORY) {
            directoryDone();
        }
    }

    /** Counts several entries as done, of which some are regular files with their bytes, and some are directories. */
    @Internal
    public void done(long entriesDone, long filesDone, long directoriesDone, long bytesDone) {
        entries.add(entriesDone);
        files.add(filesDone);
        directories.add(directoriesDone);
        bytes.add(bytesDone);
    }

    /** Counts a regular file as done. */
    public void fileDone() {
        files.increment();
    }

    /** Counts a directory as done. */
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

    /** Counts an entry that was skipped because of the options. */
    public void entrySkipped() {
        skipped.increment();
    }

    /** Counts a failure. */
    public void entryFailed() {
        failures.increment();
    }

    /** Sets a short description of the work in progress while no counter moves; empty while counters move. */
    public void setPhase(String words) {
        phase = words;
    }

    /** Returns the description set by {@link #setPhase}. */
    public String phase() {
        return phase;
    }

    /** Sets the function that returns the entries in progress. */
    public void setBusy(Supplier<List<String>> current) {
        busy = current;
    }

    /** Returns the entries in progress, printable: when a call hangs, its entry stays in this list. */
    public List<String> busy() {
        return busy.get();
    }

    /** Returns the current values of the counters. */
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
     * @param skipped entries skipped because of the options
     * @param failures failures of any kind
     */
    public record Snapshot(long entries, long files, long directories, long bytes, long verifiedBytes, long skipped,
            long failures) {}
}
