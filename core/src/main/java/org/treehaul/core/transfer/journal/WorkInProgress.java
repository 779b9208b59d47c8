// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.journal;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

import org.treehaul.core.annotation.Api;
import org.treehaul.core.annotation.Internal;

/**
 * The work of an attempt that has begun and not ended, as its worker last reported it. If a call hangs, its entry stays
 * here.
 *
 * @param bytes data already moved of entries in progress
 * @param lastProgress when a counter of the worker last changed, if known
 * @param entries some of the entries in progress, the longest-running first
 */
@Api
public record WorkInProgress(long bytes, Optional<Instant> lastProgress, List<Entry> entries) {

    /** The largest number of entries that a worker reports. */
    public static final int MOST = 4;

    private static final int LONGEST = 1000;

    /**
     * An entry in progress.
     *
     * @param path its path, printable, perhaps cut at its end
     * @param since when the worker first saw it in progress, at one of its heartbeats
     */
    public record Entry(String path, Instant since) {}

    /** Creates a value. */
    public WorkInProgress {
        if (bytes < 0 || entries.size() > MOST) {
            throw new IllegalArgumentException(bytes + " bytes, " + entries.size() + " entries");
        }
        entries = List.copyOf(entries);
    }

    /**
     * Returns a path as a worker reports it: a long one without its end, which distinguishes it less than its mount.
     */
    @Internal
    public static String cut(String path) {
        return path.length() <= LONGEST ? path : path.substring(0, LONGEST) + "...";
    }

    /** Returns no work. */
    public static WorkInProgress none() {
        return new WorkInProgress(0, Optional.empty(), List.of());
    }
}
