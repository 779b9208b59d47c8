// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.event;

import java.util.concurrent.locks.LockSupport;

import org.treehaul.core.annotation.Internal;

/**
 * Limits the rate of all threads of one work together to a number of units per second, which may be changed at any
 * time: the bytes of a copy, the entries of a removal. Each request takes its place in a queue of units; the caller
 * sleeps until the queue has advanced to that place. Safe for any number of threads.
 */
@Internal
public final class RateLimiter {

    /** Limited work, which may be stopped while it waits. */
    public interface Work {
        /** Returns whether the work was stopped, so that it need not wait any longer. */
        boolean isStopped();
    }

    // After a pause, the work may exceed the limit to make up for at most this much lost time, so that no burst
    // follows.
    private static final double CREDIT_SECONDS = 0.1;

    // The part of a second whose bytes are requested at once; less than a page or two would be slower than the limit.
    private static final int PORTIONS_PER_SECOND = 10;
    private static final long SMALLEST_PORTION = 16 << 10;

    // How often a waiting thread checks whether the work was stopped, or the limit changed.
    private static final long LOOK_NANOS = 50_000_000;

    private volatile long unitsPerSecond;
    // Guarded by this: the units requested so far, and the units that the limit had allowed at the time allowedAt.
    private double requested;
    private double allowed;
    private long allowedAt = System.nanoTime();
    private long taken;

    private RateLimiter(long unitsPerSecond) {
        this.unitsPerSecond = unitsPerSecond;
    }

    /**
     * Returns a limiter.
     *
     * @param unitsPerSecond the limit; 0 is no limit
     * @throws IllegalArgumentException when it is negative
     */
    public static RateLimiter of(long unitsPerSecond) {
        RateLimiter limiter = new RateLimiter(0);
        limiter.setRate(unitsPerSecond);
        return limiter;
    }

    /**
     * Changes the limit. It applies at once, also to threads that are waiting.
     *
     * @param rate units per second; 0 is no limit
     * @throws IllegalArgumentException when it is negative
     */
    public synchronized void setRate(long rate) {
        if (rate < 0) {
            throw new IllegalArgumentException("a negative rate: " + rate);
        }
        advance(System.nanoTime());
        if (unitsPerSecond == 0) {
            allowed = requested;
        }
        unitsPerSecond = rate;
    }

    /** Returns the limit in units per second, or 0. */
    public long rate() {
        return unitsPerSecond;
    }

    /** Returns the number of units requested since the limiter was created, while it had a limit. */
    public synchronized long taken() {
        return taken;
    }

    private void advance(long now) {
        allowed += (now - allowedAt) * 1e-9 * unitsPerSecond;
        allowedAt = now;
    }

    /** Returns the number of bytes to request at once: all that are wanted, or those for a fraction of a second. */
    public long portion(long wanted) {
        long rate = unitsPerSecond;
        return rate == 0 ? wanted : Math.min(wanted, Math.max(SMALLEST_PORTION, rate / PORTIONS_PER_SECOND));
    }

    /**
     * Waits until this many units are allowed, or the work is stopped. Returns at once if there is no limit. An
     * interrupt does not end the wait; the thread stays interrupted.
     */
    public void acquire(long units, Work work) {
        if (unitsPerSecond == 0) {
            return;
        }
        double place = request(units);
        boolean wasInterrupted = false;
        for (long left = nanosUntil(place); left > 0 && !work.isStopped(); left = nanosUntil(place)) {
            // An interrupted thread would not park.
            wasInterrupted |= Thread.interrupted();
            LockSupport.parkNanos(this, Math.min(left, LOOK_NANOS));
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized double request(long units) {
        advance(System.nanoTime());
        requested = Math.max(requested, allowed - CREDIT_SECONDS * unitsPerSecond);
        double place = requested;
        requested += units;
        taken += units;
        return place;
    }

    private synchronized long nanosUntil(double place) {
        advance(System.nanoTime());
        return unitsPerSecond == 0 ? 0 : (long) Math.ceil((place - allowed) * 1e9 / unitsPerSecond);
    }
}
