// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.report;

/**
 * Estimates the remaining time from the time spent so far, by entries and by bytes:
 * {@code seconds = a * entries + b * bytes}, fitted by least squares, where older samples count less. A million small
 * files and a single large one may take about the same time; the rate of bytes alone, or of files alone, would give
 * nonsense in between.
 */
final class TimeEstimate {

    // Until the two costs can be separated, an entry counts like this many bytes: about the ratio on local disks.
    private static final double BYTES_PER_ENTRY = 64 * 1024;

    // With one sample per second, a sample loses half its weight in about a minute.
    private static final double DECAY = 0.988;

    private double ee;
    private double eb;
    private double bb;
    private double et;
    private double bt;
    private double seconds;
    private double units;

    /** Adds a sample: the work done in some seconds. */
    void add(double duration, long entries, long bytes) {
        // In units of BYTES_PER_ENTRY, both numbers have a similar magnitude.
        double b = bytes / BYTES_PER_ENTRY;
        ee = ee * DECAY + (double) entries * entries;
        eb = eb * DECAY + entries * b;
        bb = bb * DECAY + b * b;
        et = et * DECAY + entries * duration;
        bt = bt * DECAY + b * duration;
        seconds = seconds * DECAY + duration;
        units = units * DECAY + entries + b;
    }

    /** Returns the seconds that this work will take, or -1 if nothing was done yet. */
    double seconds(long entries, long bytes) {
        if (units <= 0) {
            return -1;
        }
        double b = bytes / BYTES_PER_ENTRY;
        double average = seconds / units;
        // A bias towards the average, only strong enough to decide where the samples do not.
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
