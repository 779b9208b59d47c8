// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import java.util.Arrays;
import java.util.function.IntFunction;

/** The shapes of trees. Equal arguments give equal trees. */
final class Layouts {

    private static final long MIB = 1024 * 1024;

    /**
     * Table 3.1 of Bill Nuss, "Parallel Copying Tools" (Boise State University): upper bounds of file sizes, and how
     * many of 203,819 files (14,869 directories, 181.7 GB) lie below each and above the one before.
     */
    private static final long[] BOUNDS = ThesisSet.MANY.bounds();
    private static final int[] COUNTS = ThesisSet.MANY.counts();

    /** Of the files over 100 KiB one in so many is kept, which makes 4 GB of 181.7; small ones take their place. */
    private static final int THINNED = 75;
    private static final int SMALL_BINS = 3;

    private Layouts() {}

    /** Many small files, a few large ones: the distribution of Nuss's table 3.1. */
    static Layout many(double scale, long seed) {
        int files = scaled(200_000, scale);
        int directories = scaled(15_000, scale);
        int[] upTo = binEnds(files, scale);
        return new Layout(directories, i -> inTree(i, 8), files,
                i -> inTree(directoryOf(i, directories, seed), 8) + "/f" + i, i -> {
                    int bin = Arrays.binarySearch(upTo, i);
                    return sizeIn(bin < 0 ? -bin - 1 : bin + 1, mix(seed, i));
                });
    }

    // For each bin the number of the first file that is beyond it.
    private static int[] binEnds(int files, double scale) {
        int[] ends = new int[COUNTS.length];
        int large = 0;
        for (int bin = SMALL_BINS; bin < COUNTS.length; bin++) {
            large += (int) Math.round(COUNTS[bin] * scale / THINNED);
        }
        long small = Arrays.stream(COUNTS, 0, SMALL_BINS).sum();
        int end = 0;
        for (int bin = 0; bin < COUNTS.length; bin++) {
            end += bin < SMALL_BINS
                    ? (int) (COUNTS[bin] * (long) (files - large) / small)
                    : (int) Math.round(COUNTS[bin] * scale / THINNED);
            ends[bin] = end;
        }
        ends[COUNTS.length - 1] = Math.max(end, files);
        return ends;
    }

    // Even below 1 KiB; above, each factor is as likely as the next.
    private static long sizeIn(int bin, long random) {
        double part = (random >>> 11) * 0x1p-53;
        if (bin == 0) {
            return (long) (part * BOUNDS[0]);
        }
        int used = Math.min(bin, BOUNDS.length - 1);
        double low = BOUNDS[used - 1];
        return (long) (low * Math.pow(BOUNDS[used] / low, part));
    }

    /** Few large files that do not compress. */
    static Layout large(double scale) {
        return new Layout(0, Layouts::none, 4, i -> "large" + i, i -> (long) (1024 * MIB * scale));
    }

    /** Files of up to 10 kB, a hundred in each directory. */
    static Layout tiny(int files, long seed) {
        return new Layout((files + 99) / 100, i -> "d" + i, files, i -> "d" + i / 100 + "/f" + i,
                i -> Long.remainderUnsigned(mix(seed, i), 10_001));
    }

    /** Empty files spread over a tree of directories. */
    static Layout wide(int files, int directories, long seed) {
        return new Layout(directories, i -> inTree(i, 10), files,
                i -> inTree(directoryOf(i, directories, seed), 10) + "/f" + i, i -> 0);
    }

    /** One directory that holds everything. */
    static Layout flat(int files) {
        return new Layout(0, Layouts::none, files, i -> "file-" + i, i -> 0);
    }

    /**
     * Chains of 500 to 1,490 directories with two files in each, and beside them a subtree that is as large as a third
     * of all. Short names: with all its steps a path stays below PATH_MAX, so that every tool can come along.
     */
    static Layout deep(double scale, long seed) {
        int chains = Math.max(1, scaled(100, scale));
        int[] starts = new int[chains + 1];
        for (int i = 0; i < chains; i++) {
            starts[i + 1] = starts[i] + 500 + 10 * (int) Long.remainderUnsigned(mix(seed, i), 100);
        }
        int inChains = starts[chains];
        int skewed = inChains / 20;
        int skewedFiles = inChains;
        IntFunction<String> link = i -> {
            int chain = Arrays.binarySearch(starts, i);
            chain = chain < 0 ? -chain - 2 : chain;
            return "c" + chain + "/d".repeat(i - starts[chain]);
        };
        return new Layout(inChains + skewed, i -> i < inChains ? link.apply(i) : inTree(i - inChains, 10),
                2 * inChains + skewedFiles,
                i -> i < 2 * inChains
                        ? link.apply(i / 2) + "/" + i % 2
                        : inTree(directoryOf(i, skewed, seed), 10) + "/" + i,
                i -> 0);
    }

    private static String none(int i) {
        throw new IndexOutOfBoundsException(i);
    }

    /** Returns directory number i of a tree in which each holds so many others. */
    static String inTree(int i, int fanOut) {
        String name = "t" + i;
        return i == 0 ? name : inTree((i - 1) / fanOut, fanOut) + "/" + name;
    }

    /** Returns the directory that a file is to stand in; all are as likely. */
    static int directoryOf(int file, int directories, long seed) {
        return (int) Long.remainderUnsigned(mix(seed + 1, file), directories);
    }

    static int scaled(int number, double scale) {
        return (int) Math.max(1, Math.round(number * scale));
    }

    /** The finalizer of splitmix64: equal numbers on every machine, in any order of asking. */
    static long mix(long seed, long number) {
        long z = seed + (number + 1) * 0x9e3779b97f4a7c15L;
        z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
        z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
        return z ^ z >>> 31;
    }
}
