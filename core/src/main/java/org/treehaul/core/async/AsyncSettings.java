// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async;

/**
 * How operations are carried out.
 *
 * @param means by a ring, by threads, or by a ring where that is possible
 * @param threads with threads, those that carry out operations; with rings, the number of rings, each of which has a
 *        thread; 0 for an automatic choice
 * @param depth the most operations that are in progress or wait, over all files, from 1 to 32,768; each has the memory
 *        of its buffer and about one kilobyte
 * @param kernelWorkers the most threads of the kernel for each ring, from 1: so many for files on disks, and so many
 *        for others
 */
public record AsyncSettings(Means means, int threads, int depth, int kernelWorkers) {

    /** The means by which operations are carried out. */
    public enum Means {
        /** By io_uring where the kernel allows it, otherwise by threads. */
        AUTOMATIC,
        /** By io_uring(7). */
        RING,
        /** By threads of this process. */
        THREADS
    }

    private static final int MOST_THREADS = 1024;
    private static final int MOST_DEPTH = 32_768; // the most entries of a ring
    private static final int MOST_RINGS = 64;

    /** Checks the ranges. */
    public AsyncSettings {
        check("threads", threads, 0, means == Means.THREADS ? MOST_THREADS : MOST_RINGS);
        check("depth", depth, 1, MOST_DEPTH);
        check("kernelWorkers", kernelWorkers, 1, MOST_THREADS);
    }

    private static void check(String name, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(name + " from " + least + " to " + most + ", not " + value);
        }
    }

    /** Returns an automatic choice: one ring, or two threads for each processor; a depth of 256. */
    public static AsyncSettings defaults() {
        return new AsyncSettings(Means.AUTOMATIC, 0, 256, processors() * 2);
    }

    private static int processors() {
        return Math.min(MOST_THREADS / 2, Runtime.getRuntime().availableProcessors());
    }

    /** Returns the same with other means. */
    public AsyncSettings with(Means other) {
        return new AsyncSettings(other, threads, depth, kernelWorkers);
    }

    /** Returns the same with a number of threads or rings, 0 for an automatic choice. */
    public AsyncSettings withThreads(int number) {
        return new AsyncSettings(means, number, depth, kernelWorkers);
    }

    /** Returns the same with another depth. */
    public AsyncSettings withDepth(int operations) {
        return new AsyncSettings(means, threads, operations, kernelWorkers);
    }

    int poolThreads() {
        return threads == 0 ? 2 * processors() : threads;
    }

    int rings() {
        return Math.max(1, threads);
    }
}
