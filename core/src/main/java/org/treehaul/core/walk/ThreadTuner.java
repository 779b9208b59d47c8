// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

/**
 * Chooses how many threads a walk uses while it runs. More threads than cores help while calls wait for a disk or a
 * server, and cost when they do not: so the number doubles as long as cores are left idle and each step did more work
 * than the one before, and goes back when it did not.
 *
 * <p>
 * Used by one thread.
 */
final class ThreadTuner {

    // Above this share of busy cores more threads cannot help.
    private static final double BUSY = 0.85;

    // What a step must gain to be kept: less is noise.
    private static final double GAIN = 1.08;

    // How many ticks a choice stays before another is tried.
    private static final int REST_TICKS = 20;

    private final int cores;
    private final int most;
    private int threads;
    private int lastThreads;
    private double lastRate;
    private boolean trying;
    private int rest;

    ThreadTuner(int cores, int most) {
        this.cores = cores;
        this.most = most;
        this.threads = Math.min(cores, most);
    }

    int threads() {
        return threads;
    }

    /**
     * Takes note of one tick and returns the number of threads for the next.
     *
     * @param rate work done a second
     * @param busyCores cores' worth of CPU time that this process used
     * @param idleCores cores' worth of CPU time that nobody used: where others keep the machine busy, calls are slow
     *        for want of a core and not of an answer
     */
    int next(double rate, double busyCores, double idleCores) {
        if (trying) {
            trying = false;
            if (rate < lastRate * GAIN) {
                threads = lastThreads;
                rest = REST_TICKS;
                return threads;
            }
        }
        if (rest > 0) {
            rest--;
        } else if (busyCores < cores * BUSY && idleCores > cores * (1 - BUSY) && threads < most) {
            lastThreads = threads;
            lastRate = rate;
            threads = Math.min(most, threads * 2);
            trying = true;
        }
        return threads;
    }
}
