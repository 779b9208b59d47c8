// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.copy;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

import org.treehaul.cli.report.Text;
import org.treehaul.core.event.Progress;

/**
 * The result of a copy in words.
 *
 * @param counts what was copied
 * @param nanos the time it took, in nanoseconds
 * @param isDryRun whether nothing was written
 * @param hash the hash by which the data were verified; empty if they were not
 * @param rest the part that was not tried
 */
record CopySummary(Progress.Snapshot counts, long nanos, boolean isDryRun, String hash, Rest rest) {

    /** The part of the work that a copy has not tried because it gave up or was interrupted. */
    sealed interface Rest {

        /** Everything was tried. */
        record None() implements Rest {}

        /**
         * Some of this many entries were not tried.
         *
         * @param entries the number of all entries; empty if they were not counted
         */
        record Of(OptionalLong entries) implements Rest {}
    }

    // The rate over less time depends more on the clock than on the copy.
    private static final double SHORTEST_SECONDS = 0.1;

    private double seconds() {
        return nanos / 1e9;
    }

    private boolean isVerified() {
        return !hash.isEmpty() && !isDryRun;
    }

    private String rate(long bytes) {
        return Text.bytes(Math.round(bytes / seconds())) + "/s";
    }

    private boolean hasRate() {
        return seconds() >= SHORTEST_SECONDS && counts.bytes() > 0 && !isDryRun;
    }

    /** Returns the result as one line. */
    String line() {
        StringBuilder text = new StringBuilder(isDryRun ? "would copy " : "copied ");
        text.append(Text.count(counts.entries(), "entry", "entries")).append(", ").append(Text.bytes(counts.bytes()));
        if (counts.skipped() > 0) {
            text.append(", left ").append(Text.count(counts.skipped())).append(" alone");
        }
        if (isVerified()) {
            text.append(", verified ").append(Text.bytes(counts.verifiedBytes())).append(" by ").append(hash);
        }
        text.append(" in ").append(Text.tenths(seconds())).append(" s");
        if (hasRate()) {
            text.append(", ").append(rate(counts.bytes() + counts.verifiedBytes()));
        }
        if (counts.failures() > 0) {
            text.append("; ").append(Text.count(counts.failures())).append(" failed");
        }
        return text.append(untried()).toString();
    }

    private String untried() {
        if (!(rest instanceof Rest.Of some)) {
            return "";
        }
        long left = some.entries().orElse(0) - counts.entries() - counts.skipped() - counts.failures();
        return left > 0 ? "; " + Text.count(left) + " not tried" : "; the rest was not tried";
    }

    /** Returns the counters, one a line. */
    List<String> statistics() {
        List<String> lines = new ArrayList<>();
        add(lines, "regular files", Text.count(counts.files()));
        add(lines, "directories", Text.count(counts.directories()));
        add(lines, "other entries", Text.count(counts.entries() - counts.files() - counts.directories()));
        add(lines, "left alone", Text.count(counts.skipped()));
        add(lines, "failed", Text.count(counts.failures()));
        add(lines, isDryRun ? "data to copy" : "data copied", Text.count(counts.bytes(), "byte", "bytes"));
        if (isVerified()) {
            add(lines, "data verified", Text.count(counts.verifiedBytes(), "byte", "bytes") + " by " + hash);
        }
        add(lines, "time", Text.tenths(seconds()) + " s");
        if (hasRate()) {
            add(lines, "rate", rate(counts.bytes()) + " copied, " + Text.count(Math.round(counts.entries() / seconds()))
                    + " entries/s");
        }
        return lines;
    }

    private static void add(List<String> lines, String name, String value) {
        lines.add(Text.left(name + ":", 16) + value);
    }
}
