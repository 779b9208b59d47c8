// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.report;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.event.Progress;
import org.treehaul.core.walk.summary.TotalCount;

/** Converts counters into a line of text. Not safe for several threads. */
final class ProgressLine {

    private record Sample(long nanos, long entries, long bytes) {}

    private static final double WINDOW_SECONDS = 5;
    private static final double FIT_SECONDS = 1;
    private static final int LONGEST_BAR = 30;
    private static final int SHORTEST_BAR = 5;

    private final Deque<Sample> samples = new ArrayDeque<>();
    private final TimeEstimate estimate = new TimeEstimate();
    private Sample fitted;
    private Sample latest;
    private Progress.Snapshot counts;
    private String phase = "";

    ProgressLine(Progress.Snapshot start, long nanos) {
        counts = start;
        latest = sample(start, nanos);
        fitted = latest;
        samples.add(latest);
    }

    // Entries that were skipped or failed count as done, otherwise the remaining number would never reach zero.
    private static Sample sample(Progress.Snapshot counts, long nanos) {
        return new Sample(nanos, counts.entries() + counts.skipped() + counts.failures(),
                counts.bytes() + counts.verifiedBytes());
    }

    /** Updates the counters. */
    void update(Progress.Snapshot now, long nanos) {
        counts = now;
        latest = sample(now, nanos);
        samples.addLast(latest);
        while (samples.size() > 2 && since(samples.getFirst()) > WINDOW_SECONDS) {
            samples.removeFirst();
        }
        if (since(fitted) >= FIT_SECONDS) {
            estimate.add(since(fitted), latest.entries - fitted.entries, latest.bytes - fitted.bytes);
            fitted = latest;
        }
    }

    /** Sets the description to show while no counter moves, because a rate of zero would look like a hang. */
    void during(String words) {
        phase = words;
    }

    private double since(Sample earlier) {
        return (latest.nanos - earlier.nanos) / 1e9;
    }

    long entriesPerSecond() {
        double seconds = since(samples.getFirst());
        return seconds <= 0 ? 0 : Math.round((latest.entries - samples.getFirst().entries) / seconds);
    }

    long bytesPerSecond() {
        double seconds = since(samples.getFirst());
        return seconds <= 0 ? 0 : Math.round((latest.bytes - samples.getFirst().bytes) / seconds);
    }

    /** Returns the remaining seconds, or -1 if unknown. */
    long secondsLeft(TotalCount.@Nullable Total total) {
        if (total == null || !total.isFinal()) {
            return -1;
        }
        return Math.round(estimate.seconds(total.entries() - latest.entries, total.work() - latest.bytes));
    }

    /** Returns the counters and rates as text. */
    String plain(TotalCount.@Nullable Total total) {
        StringBuilder text = new StringBuilder();
        if (total != null && total.isFinal()) {
            text.append(Text.count(counts.entries()))
                    .append(" of ")
                    .append(Text.count(total.entries(), "entry", "entries"))
                    .append(", ")
                    .append(Text.bytes(counts.bytes()));
            // Without passes, no data are read or written, as in a comparison of metadata.
            if (total.passes() > 0) {
                text.append(" of ").append(Text.bytes(total.bytes()));
            }
        } else {
            text.append(Text.count(counts.entries(), "entry", "entries"))
                    .append(", ")
                    .append(Text.bytes(counts.bytes()));
        }
        if (counts.verifiedBytes() > 0) {
            text.append(", ").append(Text.bytes(counts.verifiedBytes())).append(" verified");
        }
        text.append(", ").append(phase.isEmpty() ? rates() : phase);
        if (counts.failures() > 0) {
            text.append(", ").append(Text.count(counts.failures(), "failure", "failures"));
        }
        long left = phase.isEmpty() ? secondsLeft(total) : -1;
        return left < 0 ? text.toString() : text.append(", ").append(Text.duration(left)).append(" left").toString();
    }

    private String rates() {
        return Text.bytes(bytesPerSecond()) + "/s, " + Text.count(entriesPerSecond()) + " entries/s";
    }

    /** Returns a line for a log: the time of day, the percentage if known, the counters and rates. */
    String log(TotalCount.@Nullable Total total, Instant now) {
        String text = plain(total);
        return Text.timeOfDay(now) + " " + (total != null && total.isFinal() ? percent(total) + "%, " : "") + text;
    }

    /** Returns the completed part of the work in percent, less than 100 before the end. */
    int percent(TotalCount.Total total) {
        return (int) Math.min(99, share(total) * 100);
    }

    /** Returns a line for a terminal with that many columns. */
    String bar(TotalCount.@Nullable Total total, int columns) {
        String text = plain(total);
        int room = columns - 1;
        if (total != null && total.isFinal()) {
            double share = share(total);
            String percent = Text.right(percent(total) + "%", 4);
            int width = Math.min(LONGEST_BAR, room - text.length() - percent.length() - 4);
            if (width >= SHORTEST_BAR) {
                int full = (int) (width * Math.min(1, share));
                text = percent + " [" + "#".repeat(full) + ".".repeat(width - full) + "] " + text;
            } else {
                text = percent + " " + text;
            }
        }
        return text.length() <= room ? text : text.substring(0, Math.max(0, room));
    }

    private double share(TotalCount.Total total) {
        double left = estimate.seconds(total.entries() - latest.entries, total.work() - latest.bytes);
        double all = estimate.seconds(total.entries(), total.work());
        return left < 0 || all <= 0 ? 0 : 1 - Math.min(1, left / all);
    }
}
