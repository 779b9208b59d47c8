// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.journal;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.event.Progress;

/**
 * Remembers since when each entry of a piece of work is in progress, and when a counter last changed: what a user sees
 * of a call that hangs. Used by one thread.
 */
@Internal
public final class EntryTracker {

    private final Progress progress;
    private final Supplier<List<String>> busy;
    private final long bytesBefore;
    private long last;
    private Instant moved;
    private Map<String, Instant> known = Map.of();

    /** Begins to watch work. */
    public EntryTracker(Progress progress, Instant now) {
        this(progress, progress::busy, now);
    }

    /**
     * Begins to watch a part of work.
     *
     * @param busy returns the entries of the part that are in progress, printable
     */
    public EntryTracker(Progress progress, Supplier<List<String>> busy, Instant now) {
        this.progress = progress;
        this.busy = busy;
        Progress.Snapshot counts = progress.snapshot();
        this.last = sum(counts);
        this.bytesBefore = counts.bytes();
        this.moved = now;
    }

    /**
     * Returns the work in progress.
     *
     * @param done the bytes of data of entries that are completed
     */
    public WorkInProgress look(long done, Instant now) {
        Progress.Snapshot counts = progress.snapshot();
        long sum = sum(counts);
        if (sum != last) {
            last = sum;
            moved = now;
        }
        Map<String, Instant> current = new HashMap<>();
        busy.get().forEach(path -> current.put(path, known.getOrDefault(path, now)));
        known = current;
        List<WorkInProgress.Entry> oldest = current.entrySet()
                .stream()
                .sorted(EntryTracker::compare)
                .limit(WorkInProgress.MOST)
                .map(entry -> new WorkInProgress.Entry(WorkInProgress.cut(entry.getKey()), entry.getValue()))
                .toList();
        return new WorkInProgress(Math.max(0, counts.bytes() - bytesBefore - done), Optional.of(moved), oldest);
    }

    // The counters only grow. The JVM makes classes for the equals of a record, and for Map.Entry.comparingByValue(), in each run, because its
    // archive of classes cannot contain them.
    private static long sum(Progress.Snapshot counts) {
        return counts.entries() + counts.files() + counts.directories() + counts.bytes() + counts.verifiedBytes()
                + counts.skipped() + counts.failures();
    }

    private static int compare(Map.Entry<String, Instant> one, Map.Entry<String, Instant> other) {
        int bySince = one.getValue().compareTo(other.getValue());
        return bySince != 0 ? bySince : one.getKey().compareTo(other.getKey());
    }
}
