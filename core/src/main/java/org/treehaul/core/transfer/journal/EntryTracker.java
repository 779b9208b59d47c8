// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.journal;

import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.event.Progress;

/**
 * Remembers since when each entry of a piece of work is in progress, and when a counter last changed: what a user sees
 * of a call that hangs. Used by one thread.
 */
@Internal
public final class EntryTracker {

    private final Progress progress;
    private final long bytesBefore;
    private Progress.Snapshot last;
    private Instant moved;
    private Map<String, Instant> known = Map.of();

    /** Begins to watch work. */
    public EntryTracker(Progress progress, Instant now) {
        this.progress = progress;
        this.last = progress.snapshot();
        this.bytesBefore = last.bytes();
        this.moved = now;
    }

    /**
     * Returns the work in progress.
     *
     * @param done the bytes of data of entries that are completed
     */
    public WorkInProgress look(long done, Instant now) {
        Progress.Snapshot counts = progress.snapshot();
        if (!counts.equals(last)) {
            last = counts;
            moved = now;
        }
        Map<String, Instant> current = new HashMap<>();
        progress.busy().forEach(path -> current.put(path, known.getOrDefault(path, now)));
        known = current;
        List<WorkInProgress.Entry> oldest = current.entrySet()
                .stream()
                .sorted(Map.Entry.<String, Instant>comparingByValue()
                        .thenComparing(Map.Entry.comparingByKey(Comparator.naturalOrder())))
                .limit(WorkInProgress.MOST)
                .map(entry -> new WorkInProgress.Entry(WorkInProgress.cut(entry.getKey()), entry.getValue()))
                .toList();
        return new WorkInProgress(Math.max(0, counts.bytes() - bytesBefore - done), Optional.of(moved), oldest);
    }
}
