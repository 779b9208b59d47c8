// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The data sets of Kevin Nuss, "Parallel Copying Tools" (Boise State University, 2013), section 3.2. The thesis gives
 * the number of files in each range of sizes; the sizes within the ranges are chosen so that the total equals that of
 * the thesis.
 */
public enum ThesisSet {
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

    /** The bytes of a copied set at scale 1. */
    private static final double COPIED = 4e9;

    /**
     * A range of sizes.
     *
     * @param low the smallest size
     * @param high the largest size
     * @param count the number of files in the range
     */
    public record Bin(long low, long high, int count) {
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

    /** Returns its name in the thesis, in small letters. */
    public String title() {
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

    /** Returns the ranges of sizes that hold files, the smallest first. */
    public List<Bin> bins() {
        return bins;
    }

    /** Returns the number of directories in the thesis. */
    public int directories() {
        return directories;
    }

    /** Returns the bytes of the set in the thesis. */
    public double total() {
        return total;
    }

    /**
     * Returns the fraction of the files in a copy of this scale: many small files are fewer at a smaller scale, few
     * large ones only smaller.
     */
    public double number(double scale) {
        return this == MANY ? scale : 1;
    }

    /** Returns the fraction of each size in a copy of this scale, so that a set has 4 GB at scale 1. */
    double size(double scale, long seed) {
        return COPIED * scale / layout(number(scale), 1, seed).bytes();
    }

    /** Returns how many files of each range are made of a fraction of the files. */
    public int[] counts(double number) {
        return bins.stream().mapToInt(bin -> Math.max(1, (int) Math.round(bin.count() * number))).toArray();
    }

    /** Returns how many of the files that are made for a seed have a size in each range, and their bytes. */
    public Generated generated(long seed) {
        Layout layout = layout(1, 1, seed);
        long[] files = new long[bins.size()];
        long[] bytes = new long[bins.size()];
        for (int i = 0; i < layout.files(); i++) {
            long size = layout.size().applyAsLong(i);
            int bin = 0;
            while (size >= bins.get(bin).high() && bin < files.length - 1) {
                bin++;
            }
            files[bin]++;
            bytes[bin] += size;
        }
        return new Generated(layout.directories(), Arrays.stream(files).boxed().toList(),
                Arrays.stream(bytes).boxed().toList());
    }

    /**
     * A set as it is made here, by the ranges of sizes.
     *
     * @param directories the number of directories
     * @param files the number of files in each range
     * @param bytes their bytes
     */
    public record Generated(int directories, List<Long> files, List<Long> bytes) {}

    /**
     * Returns the tree with a fraction of the files and directories, and with each size multiplied by a fraction.
     *
     * @param number the fraction of the files, from each range
     * @param size the fraction of each size
     */
    Layout layout(double number, double size, long seed) {
        int[] ends = counts(number);
        Arrays.parallelPrefix(ends, Integer::sum);
        int end = ends[ends.length - 1];
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
