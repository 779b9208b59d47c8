// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import java.util.List;
import java.util.Locale;

/**
 * The data sets of Bill Nuss, "Parallel Copying Tools" (Boise State University, 2012), section 3.2. The thesis gives
 * the number of files in each range of sizes; the sizes within the ranges are chosen so that the total equals that of
 * the thesis.
 */
enum ThesisSet {
    /** Table 3.1. */
    MANY("many small files", 14_869, 181.7e9, new Bin(0, Bin.KIB, 144_703), new Bin(Bin.KIB, 10 * Bin.KIB, 22_985),
            new Bin(10 * Bin.KIB, 100 * Bin.KIB, 15_109), new Bin(100 * Bin.KIB, Bin.MIB, 7_224),
            new Bin(Bin.MIB, 10 * Bin.MIB, 10_502), new Bin(10 * Bin.MIB, 100 * Bin.MIB, 2_814),
            new Bin(100 * Bin.MIB, 140 * Bin.MIB, 482)),
    /** Table 3.2. */
    FEW("few large files", 161, 1.0e12, new Bin(0, Bin.KIB, 1_076), new Bin(Bin.KIB, 540 * Bin.KIB, 674),
            new Bin(25 * Bin.MIB, 100 * Bin.MIB, 46), new Bin(100 * Bin.MIB, Bin.GIB, 294),
            new Bin(Bin.GIB, 8 * Bin.GIB, 364), new Bin(10 * Bin.GIB, 30 * Bin.GIB, 6)),
    /** Table 3.3. */
    PARTIAL("partial large files", 22, 174.9e9, new Bin(0, Bin.KIB, 235), new Bin(Bin.KIB, 540 * Bin.KIB, 97),
            new Bin(29 * Bin.MIB, 60 * Bin.MIB, 10), new Bin(390 * Bin.MIB, Bin.GIB, 10),
            new Bin(Bin.GIB, 2304 * Bin.MIB, 80));

    private final String title;
    private final int directories;
    private final double total;
    @SuppressWarnings("ImmutableEnumChecker") // List.of
    private final List<Bin> bins;
    private final double skew;

    /**
     * A range of sizes.
     *
     * @param low the smallest size
     * @param high the largest size
     * @param count the number of files in the range
     */
    record Bin(long low, long high, int count) {
        static final long KIB = 1024;
        static final long MIB = 1024 * KIB;
        static final long GIB = 1024 * MIB;

        /** Returns a size for a number from 0 to 1; with a skew above 1 most are near the lower bound. */
        double size(double part, double skew) {
            return low == 0 ? part * high : low * Math.pow((double) high / low, Math.pow(part, skew));
        }

        /** Returns the expected bytes of all its files. */
        double bytes(double skew) {
            int steps = 500;
            double sum = 0;
            for (int i = 0; i < steps; i++) {
                sum += size((i + 0.5) / steps, skew);
            }
            return count * sum / steps;
        }
    }

    ThesisSet(String title, int directories, double total, Bin... bins) {
        this.title = title;
        this.directories = directories;
        this.total = total;
        this.bins = List.of(bins);
        double low = 0.001;
        double high = 1000;
        while (high / low > 1.0001) {
            double middle = Math.sqrt(low * high);
            if (this.bins.stream().mapToDouble(bin -> bin.bytes(middle)).sum() > total) {
                low = middle;
            } else {
                high = middle;
            }
        }
        this.skew = low;
    }

    String title() {
        return title;
    }

    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the upper bounds of the ranges. */
    long[] bounds() {
        return bins.stream().mapToLong(Bin::high).toArray();
    }

    /** Returns the number of files in each range. */
    int[] counts() {
        return bins.stream().mapToInt(Bin::count).toArray();
    }

    /** Returns the bytes of the set in the thesis. */
    double total() {
        return total;
    }

    /**
     * Returns the tree with a fraction of the files and directories, and with each size multiplied by a fraction.
     *
     * @param number the fraction of the files, from each range
     * @param size the fraction of each size
     */
    Layout layout(double number, double size, long seed) {
        int[] ends = new int[bins.size()];
        int end = 0;
        for (int i = 0; i < ends.length; i++) {
            end += Math.max(1, (int) Math.round(bins.get(i).count() * number));
            ends[i] = end;
        }
        int below = Layouts.scaled(directories, number);
        return new Layout(below, i -> Layouts.inTree(i, 8), end,
                i -> Layouts.inTree(Layouts.directoryOf(i, below, seed), 8) + "/f" + i, i -> {
                    int bin = 0;
                    while (i >= ends[bin]) {
                        bin++;
                    }
                    double part = (Layouts.mix(seed, i) >>> 11) * 0x1p-53;
                    return (long) (bins.get(bin).size(part, skew) * size);
                });
    }
}
