// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import java.util.Arrays;
import java.util.function.IntFunction;

/** The shapes of trees. Equal arguments give equal trees. */
final class Layouts {

    private static final long MIB = 1024 * 1024;

    /**
     * Table 3.1 of Kevin Nuss, "Parallel Copying Tools" (Boise State University): upper bounds of file sizes, and how
     * many of 203,819 files (14,869 directories, 181.7 GB) are below each and above the previous one.
     */
    private static final long[] BOUNDS = ThesisSet.MANY.bounds();
    private static final int[] COUNTS = ThesisSet.MANY.counts();

    /** One of this many files over 100 KiB is kept, which reduces 181.7 GB to 4; small files replace the others. */
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

    // Returns for each bin the number of the first file after it.
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

    // Sizes are uniform below 1 KiB, and log-uniform above.
    private static long sizeIn(int bin, long random) {
        double part = (random >>> 11) * 0x1p-53;
        if (bin == 0) {
            return (long) (part * BOUNDS[0]);
        }
        int used = Math.min(bin, BOUNDS.length - 1);
        double low = BOUNDS[used - 1];
        return (long) (low * Math.pow(BOUNDS[used] / low, part));
    }

    /** Returns few large files that do not compress. */
    static Layout large(double scale) {
        return new Layout(0, Layouts::none, 4, i -> "large" + i, i -> (long) (1024 * MIB * scale));
    }

    /** Returns files of up to 10 kB, a hundred in each directory. */
    static Layout tiny(int files, long seed) {
        return new Layout((files + 99) / 100, i -> "d" + i, files, i -> "d" + i / 100 + "/f" + i,
                i -> Long.remainderUnsigned(mix(seed, i), 10_001));
    }

    /** Returns empty files spread over a tree of directories. */
    static Layout wide(int files, int directories, long seed) {
        return new Layout(directories, i -> inTree(i, 10), files,
                i -> inTree(directoryOf(i, directories, seed), 10) + "/f" + i, i -> 0);
    }

    /** Returns one directory that contains all files. */
    static Layout flat(int files) {
        return new Layout(0, Layouts::none, files, i -> "file-" + i, i -> 0);
    }

    /**
     * Returns chains of 500 to 1,490 directories with two files in each, and beside them a subtree with a third of all
     * files. Names are short, so that the longest path stays below PATH_MAX and every tool can take part.
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

    /** Returns directory number i of a tree in which each contains this many others. */
    static String inTree(int i, int fanOut) {
        String name = "t" + i;
        return i == 0 ? name : inTree((i - 1) / fanOut, fanOut) + "/" + name;
    }

    /** Returns the directory that contains a file; all are equally likely. */
    static int directoryOf(int file, int directories, long seed) {
        return (int) Long.remainderUnsigned(mix(seed + 1, file), directories);
    }

    static int scaled(int number, double scale) {
        return (int) Math.max(1, Math.round(number * scale));
    }

    /** The finalizer of splitmix64: the same numbers on every machine, in any order of calls. */
    static long mix(long seed, long number) {
        long z = seed + (number + 1) * 0x9e3779b97f4a7c15L;
        z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
        z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
        return z ^ z >>> 31;
    }
}
