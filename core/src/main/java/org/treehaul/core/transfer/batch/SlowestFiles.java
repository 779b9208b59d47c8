// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.batch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Supplier;

import org.treehaul.core.transfer.journal.SlowFile;
import org.treehaul.core.transfer.journal.WorkInProgress;

/** Keeps the files of an attempt that took the longest time. Safe for any number of threads. */
final class SlowestFiles {

    private static final Comparator<SlowFile> FASTEST_FIRST = SlowestFiles::compare;

    private final PriorityQueue<SlowFile> slowest = new PriorityQueue<>(SlowFile.MOST + 1, FASTEST_FIRST);

    // Most files are fast, and need no lock.
    private volatile long leastNanos = SlowFile.SHORTEST.toNanos();

    /**
     * Adds a file if it is one of the slowest.
     *
     * @param path returns its path; called only then
     */
    void add(Supplier<String> path, long bytes, long nanos) {
        if (nanos >= leastNanos) {
            keep(new SlowFile(WorkInProgress.cut(path.get()), bytes, Duration.ofNanos(nanos)));
        }
    }

    private synchronized void keep(SlowFile file) {
        slowest.add(file);
        if (slowest.size() > SlowFile.MOST) {
            slowest.remove();
            leastNanos = slowest.element().time().toNanos();
        }
    }

    // No Comparator.comparing: the JVM generates a class for each at every start.
    private static int compare(SlowFile one, SlowFile other) {
        int order = one.time().compareTo(other.time());
        return order != 0 ? order : one.path().compareTo(other.path());
    }

    /** Returns the files, the slowest first. */
    synchronized List<SlowFile> list() {
        List<SlowFile> list = new ArrayList<>(slowest);
        list.sort(Collections.reverseOrder(SlowestFiles::compare));
        return list;
    }
}
