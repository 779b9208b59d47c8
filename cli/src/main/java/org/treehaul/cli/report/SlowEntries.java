// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.report;

import java.time.Duration;
import java.time.Instant;
import java.util.stream.Collectors;

import org.treehaul.core.transfer.journal.WorkInProgress;

/** Entries that take long, perhaps because a call hangs, in words. */
public final class SlowEntries {

    private static final Duration LONG = Duration.ofMinutes(1);

    private SlowEntries() {}

    /**
     * Returns the entries in progress, each with its time, if no counter has changed for a while.
     *
     * @param now the time at which the work was as given
     * @param silence the shortest time without a change that is worth a word
     * @return the words, or an empty text
     */
    public static String stalled(WorkInProgress work, Instant now, Duration silence) {
        Duration still = work.lastProgress().map(last -> Duration.between(last, now)).orElse(Duration.ZERO);
        return work.entries().isEmpty() || still.compareTo(silence) < 0
                ? ""
                : "nothing has moved for " + Text.duration(still.toSeconds()) + "; in progress: "
                        + work.entries()
                                .stream()
                                .map(entry -> entry.path() + " for " + age(entry, now))
                                .collect(Collectors.joining(", "));
    }

    /** Returns the entry that is in progress for the longest time, if that is a minute or more; else an empty text. */
    public static String oldest(WorkInProgress work, Instant now) {
        return work.entries()
                .stream()
                .findFirst()
                .filter(entry -> Duration.between(entry.since(), now).compareTo(LONG) >= 0)
                .map(entry -> "in progress for " + age(entry, now) + ": " + entry.path())
                .orElse("");
    }

    private static String age(WorkInProgress.Entry entry, Instant now) {
        return Text.duration(Duration.between(entry.since(), now).toSeconds());
    }
}
