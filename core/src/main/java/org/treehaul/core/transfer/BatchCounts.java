// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.util.BitSet;
import java.util.EnumMap;
import java.util.Map;

import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.plan.ManifestEntry;

/** Counts what became of the entries of a batch, each once. Safe for any number of threads. */
final class BatchCounts {

    private final long started = System.currentTimeMillis();
    private final Map<EntryFailure.Kind, Long> failures = new EnumMap<>(EntryFailure.Kind.class);
    private final BitSet told = new BitSet();
    private long entries;
    private long files;
    private long bytes;
    private long failed;
    private long changed;
    private long newEntries;
    private long newBytes;

    /** Counts an entry that an earlier attempt did. */
    synchronized void wasDone(ManifestEntry entry, boolean isFurtherName) {
        add(entry, isFurtherName);
    }

    /** Counts an entry that this attempt did. */
    synchronized void done(ManifestEntry entry, boolean isFurtherName, boolean isChanged) {
        told.set(entry.index());
        newBytes += add(entry, isFurtherName);
        newEntries++;
        changed += isChanged ? 1 : 0;
    }

    // The data of several names of a file count once, as in the plan; each of its chunks has data of its own.
    private long add(ManifestEntry entry, boolean isFurtherName) {
        entries++;
        files += entry.kind() == EntryKind.REGULAR && (entry.chunk() == null || entry.chunk().number() == 0) ? 1 : 0;
        long moved = isFurtherName && entry.chunk() == null ? 0 : entry.bytes();
        bytes += moved;
        return moved;
    }

    /** Counts an entry that failed. */
    synchronized void failed(int index, EntryFailure.Kind kind) {
        told.set(index);
        failed++;
        failures.merge(kind, 1L, Long::sum);
    }

    synchronized boolean isTold(int index) {
        return told.get(index);
    }

    /** Returns how many entries are done or failed. */
    synchronized long tried() {
        return entries + failed;
    }

    synchronized long newBytes() {
        return newBytes;
    }

    synchronized Map<EntryFailure.Kind, Long> failures() {
        return Map.copyOf(failures);
    }

    synchronized BatchProgress progress(int generation, BatchProgress.State state) {
        return new BatchProgress(generation, state, started, System.currentTimeMillis(), entries, files, bytes, failed,
                changed, newEntries, newBytes, ThisProcess.host(), ThisProcess.job());
    }

    synchronized JournalRecord.End end(JournalRecord.Ending ending) {
        return new JournalRecord.End(ending, entries, failed, changed, bytes);
    }
}
