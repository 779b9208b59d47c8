// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.tuning;

import java.util.Optional;
import java.util.concurrent.TimeUnit;

import org.treehaul.core.fs.ProcessStatus;

/** Measures work and CPU time of a walk between two looks. Used by one thread. */
public final class WorkMeter {

    /** The time between two looks in milliseconds. */
    public static final long TICK_MILLIS = 20;

    // Fewer entries per thread say little about a rate. After the longest interval they count anyway, however few
    // they are.
    private static final long ENOUGH = 4;
    private static final double LONGEST_SECONDS = 1;

    // Each measurement uses some of the CPU time that it measures.
    private static final double SHORTEST_SECONDS = 0.1;

    // If each thread does fewer entries than these between two looks, the file system may be slow. Whether nearly all
    // threads wait for it is known long before their use of the cores is, which the start of the JVM hides.
    private static final long FEW = 25;
    private static final double FIRST_SECONDS = 0.03;
    private static final long EARLY = TimeUnit.SECONDS.toNanos(1);

    private final WaitingThreads threads;
    // A walk that ends before the first look reads nothing.
    private boolean hasLooked;
    private long firstNanos;
    private boolean isEarly = true;
    private long lastNanos;
    private long lastWork;
    private long lastTicks;
    private long lastIdle;
    private boolean isFar;
    // Counted only at the beginning of a slow walk, and while other programs keep the cores busy, because it takes
    // files of /proc.
    private boolean counts;
    private int samples;
    private double threadsInCalls;

    /**
     * Creates a meter.
     *
     * @param threads the beginning of the names of the threads that walk
     */
    public WorkMeter(String threads) {
        this.threads = new WaitingThreads(threads);
    }

    /**
     * Returns the measurements since the last result or the first look, once they suffice for a decision.
     *
     * @param work the work done so far, in entries
     * @param idle the number of threads that have none now
     */
    public Optional<ThreadTuner.Measured> look(long work, int idle, ThreadTuner tuner) {
        long now = System.nanoTime();
        if (!hasLooked) {
            hasLooked = true;
            firstNanos = now;
            counts = work < FEW * mostBusy(tuner);
            begin(now, work, ProcessStatus.cpuTicks().orElse(0L), ProcessStatus.idleTicks().orElse(0L));
            return Optional.empty();
        }
        isEarly = now - firstNanos < EARLY;
        count(idle, tuner.threads());
        double passed = (now - lastNanos) / 1e9;
        boolean areNearlyAll = isEarly && !isFar && passed >= FIRST_SECONDS && tuner.areNearlyAll(threadsInCalls());
        if (!areNearlyAll && passed < LONGEST_SECONDS
                && (work - lastWork < ENOUGH * tuner.threads() || passed < SHORTEST_SECONDS && !tuner.isSearching())) {
            return Optional.empty();
        }
        long ticks = ProcessStatus.cpuTicks().orElse(0L);
        long idleTicks = ProcessStatus.idleTicks().orElse(Long.MAX_VALUE / 2);
        ThreadTuner.Measured measured = new ThreadTuner.Measured(passed, (work - lastWork) / passed,
                (ticks - lastTicks) / 100.0 / passed, (idleTicks - lastIdle) / 100.0 / passed, threadsInCalls());
        isFar = isFar || areNearlyAll;
        boolean isSlow = measured.rate() * TICK_MILLIS / 1000 < FEW * mostBusy(tuner);
        counts = tuner.needsThreadsInCalls(measured) || isEarly && !isFar && isSlow;
        samples = 0;
        threadsInCalls = 0;
        begin(now, work, ticks, idleTicks);
        return Optional.of(measured);
    }

    private static int mostBusy(ThreadTuner tuner) {
        return Math.min(tuner.threads(), Runtime.getRuntime().availableProcessors());
    }

    /** Records that the file system is far, so that this need not be found out. */
    public void setFar() {
        isFar = true;
    }

    /** Returns whether it may still find out that the file system is far. */
    public boolean isLooking() {
        return isEarly && !isFar;
    }

    /** Returns whether the file system is known to be far, or nearly all threads waited for it at the beginning. */
    public boolean isFar() {
        return isFar;
    }

    private void count(int idle, int threadCount) {
        if (counts) {
            samples++;
            if (isEarly) {
                // Often only one of many, and the others wait for the first directory.
                int waiting = threads.count(threadCount);
                threadsInCalls += waiting > 0 ? waiting + idle : 0;
            } else {
                threadsInCalls += threads.estimate(threadCount);
            }
        }
    }

    private double threadsInCalls() {
        return samples == 0 ? 0 : threadsInCalls / samples;
    }

    private void begin(long nanos, long work, long ticks, long idle) {
        lastNanos = nanos;
        lastWork = work;
        lastTicks = ticks;
        lastIdle = idle;
    }
}
