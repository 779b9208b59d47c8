// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.report;

/**
 * Estimates how long the rest takes from what the work has cost so far, by entry and by byte:
 * {@code seconds = a * entries + b *
 * bytes}, fitted by least squares with older times counting less. A million small files and one large one cost about
 * the same time; a rate of bytes alone, or of files alone, would promise nonsense in between.
 */
final class TimeEstimate {

    // Until the two costs can be told apart, an entry counts as much as this many bytes: about what local disks show.
    private static final double BYTES_PER_ENTRY = 64 * 1024;

    // A sample a second loses half its weight in about a minute.
    private static final double DECAY = 0.988;

    private double ee;
    private double eb;
    private double bb;
    private double et;
    private double bt;
    private double seconds;
    private double units;

    /** Takes note of what was done in some seconds. */
    void add(double duration, long entries, long bytes) {
        // In units of BYTES_PER_ENTRY both numbers have a similar size.
        double b = bytes / BYTES_PER_ENTRY;
        ee = ee * DECAY + (double) entries * entries;
        eb = eb * DECAY + entries * b;
        bb = bb * DECAY + b * b;
        et = et * DECAY + entries * duration;
        bt = bt * DECAY + b * duration;
        seconds = seconds * DECAY + duration;
        units = units * DECAY + entries + b;
    }

    /** Returns the seconds that this much will take, or -1 when nothing was done yet. */
    double seconds(long entries, long bytes) {
        if (units <= 0) {
            return -1;
        }
        double b = bytes / BYTES_PER_ENTRY;
        double average = seconds / units;
        // A pull towards the average, strong enough to decide only where the samples do not.
        double pull = 0.01 * (ee + bb) + 1e-9;
        double p = ee + pull;
        double q = bb + pull;
        double s = et + pull * average;
        double t = bt + pull * average;
        double determinant = p * q - eb * eb;
        double perEntry = (s * q - t * eb) / determinant;
        double perUnit = (t * p - s * eb) / determinant;
        if (perEntry < 0) {
            perEntry = 0;
            perUnit = t / q;
        } else if (perUnit < 0) {
            perUnit = 0;
            perEntry = s / p;
        }
        return Math.max(0, perEntry * Math.max(0, entries) + perUnit * Math.max(0, b));
    }
}
