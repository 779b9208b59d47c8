// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.tuning;

/**
 * Chooses how many threads a walk uses while it runs. More threads than cores help while calls wait for a disk or a
 * server, and cost time when they do not. The number therefore grows as long as cores are idle, or most threads wait in
 * calls, and each step did more work than the one before. It returns to the previous value when it did not.
 *
 * <p>
 * Not safe for several threads.
 */
public final class ThreadTuner {

    // Above this share of busy cores more threads cannot help.
    private static final double BUSY = 0.85;

    // Below this share nearly all threads wait, and small steps would only take long.
    private static final double WAITING = 0.25;

    // With more than this share of its threads in calls that wait, the walk is slow because of the file system, however
    // busy the machine is.
    private static final double IN_CALLS = 0.5;

    // With more than this share of the first threads in calls that wait, far more threads are needed.
    private static final double NEARLY_ALL = 0.75;

    // How many threads for each core a far file system needs at least.
    private static final int FAR_FACTOR = 16;

    // The rate must grow by this factor for a step to be kept: less is noise.
    private static final double GAIN = 1.08;

    // How long a choice stays before the next step is tried, after one failure and after many. The kind of entries
    // changes the rate too, so a step may seem useless and not be.
    private static final double LEAST_REST_SECONDS = 0.2;
    private static final double MOST_REST_SECONDS = 3.2;

    private final int cores;
    private final int most;
    private int threads;
    private int lastThreads;
    private double lastRate;
    private boolean trying;
    private boolean smallerNext;
    private double rest;
    private double nextRest = LEAST_REST_SECONDS;

    /**
     * Creates a tuner that begins with a thread for each core.
     *
     * @param cores number of cores, 1 or more
     * @param most the largest number of threads that it may choose, 1 or more
     */
    public ThreadTuner(int cores, int most) {
        this(cores, Math.min(cores, most), most);
    }

    private ThreadTuner(int cores, int first, int most) {
        this.cores = cores;
        this.most = most;
        this.threads = first;
    }

    /** Returns a tuner for a number of threads that does not change. */
    public static ThreadTuner fixed(int cores, int threads) {
        return new ThreadTuner(cores, threads, threads);
    }

    /**
     * Chooses at once the number of threads with which a walk of a far file system begins, unless the number is fixed
     * or larger already, and returns the number for the next interval.
     */
    public int beginFar() {
        if (threads < most) {
            threads = Math.max(threads, Math.min(most, cores * FAR_FACTOR));
            trying = false;
        }
        return threads;
    }

    /** Returns the number of threads chosen last. */
    public int threads() {
        return threads;
    }

    /** Returns whether the last step is still on trial or another may follow at once. */
    public boolean isSearching() {
        return trying;
    }

    /**
     * Measurements of one interval.
     *
     * @param seconds length of the interval
     * @param rate work done per second
     * @param busyCores CPU time that this process used, in cores
     * @param idleCores CPU time that no process used, in cores: while other processes keep the machine busy, calls are
     *        slow because they wait for a core and not for an answer
     * @param threadsInCalls threads that waited in a call for an answer of the file system, on average; 0 if not known
     */
    public record Measured(double seconds, double rate, double busyCores, double idleCores, double threadsInCalls) {}

    /**
     * Returns whether {@link Measured#threadsInCalls} of the next interval may decide, because others kept the cores
     * busy in this one.
     */
    public boolean needsThreadsInCalls(Measured measured) {
        return threads < most && usesLittle(measured) && !hasIdleCores(measured);
    }

    private boolean usesLittle(Measured measured) {
        return measured.busyCores() < cores * BUSY;
    }

    private boolean hasIdleCores(Measured measured) {
        return measured.idleCores() > cores * (1 - BUSY);
    }

    /** Evaluates a measurement and returns the number of threads for the next interval. */
    public int next(Measured measured) {
        if (trying) {
            trying = false;
            if (measured.rate() < lastRate * GAIN) {
                threads = lastThreads;
                smallerNext = !smallerNext;
                rest = nextRest;
                nextRest = Math.min(MOST_REST_SECONDS, nextRest * 2);
                return threads;
            }
            smallerNext = false;
            nextRest = LEAST_REST_SECONDS;
        }
        if (rest > 0) {
            rest -= measured.seconds();
        } else if (threads < most && usesLittle(measured)
                && (hasIdleCores(measured) || measured.threadsInCalls() > threads * IN_CALLS)) {
            lastThreads = threads;
            lastRate = measured.rate();
            threads = Math.min(most, threads * factor(measured));
            trying = true;
        }
        return threads;
    }

    private int factor(Measured measured) {
        // A large step may miss a number in between, so a smaller one follows each that failed.
        if (smallerNext) {
            return 2;
        }
        if (threads == cores && hasIdleCores(measured) && areNearlyAll(measured.threadsInCalls())) {
            return FAR_FACTOR;
        }
        return measured.busyCores() < cores * WAITING ? 4 : 2;
    }

    /** Returns whether nearly all threads wait for an answer of the file system, given how many do. */
    public boolean areNearlyAll(double threadsInCalls) {
        return threadsInCalls > threads * NEARLY_ALL;
    }
}
