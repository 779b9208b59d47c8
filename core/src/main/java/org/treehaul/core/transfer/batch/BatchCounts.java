// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.batch;

import java.util.BitSet;
import java.util.EnumMap;
import java.util.Map;

import org.treehaul.core.entry.Amounts;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.plan.format.ManifestEntry;
import org.treehaul.core.transfer.directory.ThisProcess;
import org.treehaul.core.transfer.journal.BatchProgress;
import org.treehaul.core.transfer.journal.JournalRecord;
import org.treehaul.core.transfer.journal.WorkInProgress;

/** Counts the outcomes of the entries of a batch, each entry once. Thread-safe. */
public final class BatchCounts {

    private final long started = System.currentTimeMillis();
    private final Map<EntryFailure.Kind, Long> failures = new EnumMap<>(EntryFailure.Kind.class);
    private final BitSet reported = new BitSet();
    private final SlowestFiles slowest = new SlowestFiles();
    private long entries;
    private long files;
    private long bytes;
    private long data;
    private long failed;
    private long changed;
    private long newEntries;
    private long newBytes;
    private long newData;

    /** Counts an entry that an earlier attempt completed. */
    public synchronized void wasDone(ManifestEntry entry, boolean isFurtherName) {
        add(entry, isFurtherName);
    }

    /** Counts an entry that this attempt completed. */
    public synchronized void done(ManifestEntry entry, boolean isFurtherName, boolean isChanged) {
        reported.set(entry.index());
        long oldBytes = bytes;
        long oldData = data;
        add(entry, isFurtherName);
        newBytes += bytes - oldBytes;
        newData += data - oldData;
        newEntries++;
        changed += isChanged ? 1 : 0;
    }

    // The data of several names of a file count once, as in the plan; each chunk of a file has its own data.
    private void add(ManifestEntry entry, boolean isFurtherName) {
        entries++;
        files += entry.kind() == EntryKind.REGULAR && (entry.chunk() == null || entry.chunk().number() == 0) ? 1 : 0;
        if (!isFurtherName || entry.chunk() != null) {
            bytes = Amounts.sum(bytes, entry.bytes());
            data = Amounts.sum(data, entry.data());
        }
    }

    public synchronized void failed(int index, EntryFailure.Kind kind) {
        reported.set(index);
        failed++;
        failures.merge(kind, 1L, Long::sum);
    }

    /**
     * Records how long an entry took.
     *
     * @param root the root of the entry at the source
     * @param nanos time in nanoseconds
     */
    void took(ManifestEntry entry, ByteString root, long nanos) {
        slowest.add(() -> {
            String path = entry.path().below(root).toString();
            return entry.chunk() == null ? path : path + " from byte " + entry.chunk().from();
        }, entry.bytes(), nanos);
    }

    synchronized boolean isReported(int index) {
        return reported.get(index);
    }

    /** Returns the number of entries that are done or failed. */
    public synchronized long tried() {
        return entries + failed;
    }

    public synchronized long newBytes() {
        return newBytes;
    }

    public synchronized Map<EntryFailure.Kind, Long> failures() {
        return Map.copyOf(failures);
    }

    /** Returns the bytes of data of the entries that this attempt completed. */
    public synchronized long newData() {
        return newData;
    }

    public synchronized BatchProgress progress(int generation, BatchProgress.State state, WorkInProgress current) {
        return new BatchProgress(generation, state, started, System.currentTimeMillis(), entries, files, bytes, data,
                failed, changed, newEntries, newBytes, newData, ThisProcess.host(), ThisProcess.job(), current,
                slowest.list());
    }

    public synchronized JournalRecord.End end(JournalRecord.Ending ending) {
        return new JournalRecord.End(ending, entries, failed, changed, bytes);
    }
}
