// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.report;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.event.Progress;
import org.treehaul.core.transfer.journal.EntryTracker;
import org.treehaul.core.transfer.journal.WorkInProgress;

/** Finds the paths on which the threads of this process hang. Not safe for several threads. */
final class StallWatch {

    private static final Duration INTERVAL = Duration.ofSeconds(1);

    // Shorter than the usual time between two lines of progress, longer than most calls.
    private static final Duration SILENCE = Duration.ofSeconds(8);

    private final Progress progress;
    private @Nullable EntryTracker tracker;
    private Instant last = Instant.MIN;
    private String stalled = "";
    private String oldest = "";

    StallWatch(Progress progress) {
        this.progress = progress;
    }

    /** Looks at the work, at most once a second. */
    void look(Instant now) {
        if (now.isBefore(last) || last.isAfter(now.minus(INTERVAL))) {
            return;
        }
        last = now;
        EntryTracker known = tracker;
        if (known == null) {
            known = new EntryTracker(progress, now);
            tracker = known;
        }
        WorkInProgress work = known.look(0, now);
        stalled = SlowEntries.stalled(work, now, SILENCE);
        oldest = stalled.isEmpty() ? SlowEntries.oldest(work, now) : "";
    }

    /** Returns the paths in progress if nothing has moved for some seconds, else an empty text. */
    String stalled() {
        return stalled;
    }

    /** Returns the path that is in progress for a minute or more while others move, for the end of a line. */
    String oldest() {
        return oldest.isEmpty() ? "" : "; " + oldest;
    }
}
