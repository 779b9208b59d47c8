// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.data;

import java.util.concurrent.locks.LockSupport;

/**
 * Limits the data rate of all threads of a copy together to a number of bytes per second, which may be changed at any
 * time. Each request takes its place in a queue of bytes; the caller sleeps until the queue has advanced to that place.
 * Safe for any number of threads.
 */
public final class RateLimiter {

    // After a pause, a copy may exceed the limit to make up for at most this much lost time, so that no burst follows.
    private static final double CREDIT_SECONDS = 0.1;

    // The part of a second whose bytes are requested at once; less than a page or two would be slower than the limit.
    private static final int PORTIONS_PER_SECOND = 10;
    private static final long SMALLEST_PORTION = 16 << 10;

    // How often a waiting thread checks whether the copy was stopped, or the limit changed.
    private static final long LOOK_NANOS = 50_000_000;

    private volatile long bytesPerSecond;
    // Guarded by this: the bytes requested so far, and the bytes that the limit had allowed at the time allowedAt.
    private double requested;
    private double allowed;
    private long allowedAt = System.nanoTime();
    private long taken;

    private RateLimiter(long bytesPerSecond) {
        this.bytesPerSecond = bytesPerSecond;
    }

    /**
     * Returns a limiter.
     *
     * @param bytesPerSecond the limit; 0 is no limit
     * @throws IllegalArgumentException when it is negative
     */
    public static RateLimiter of(long bytesPerSecond) {
        RateLimiter limiter = new RateLimiter(0);
        limiter.setRate(bytesPerSecond);
        return limiter;
    }

    /**
     * Changes the limit. It applies at once, also to threads that are waiting.
     *
     * @param rate bytes per second; 0 is no limit
     * @throws IllegalArgumentException when it is negative
     */
    public synchronized void setRate(long rate) {
        if (rate < 0) {
            throw new IllegalArgumentException("a negative rate: " + rate);
        }
        advance(System.nanoTime());
        if (bytesPerSecond == 0) {
            allowed = requested;
        }
        bytesPerSecond = rate;
    }

    /** Returns the limit in bytes per second, or 0. */
    public long rate() {
        return bytesPerSecond;
    }

    /** Returns the number of bytes requested since the limiter was created, while it had a limit. */
    public synchronized long taken() {
        return taken;
    }

    private void advance(long now) {
        allowed += (now - allowedAt) * 1e-9 * bytesPerSecond;
        allowedAt = now;
    }

    /** Returns the number of bytes to request at once: all that are wanted, or those for a fraction of a second. */
    long portion(long wanted) {
        long rate = bytesPerSecond;
        return rate == 0 ? wanted : Math.min(wanted, Math.max(SMALLEST_PORTION, rate / PORTIONS_PER_SECOND));
    }

    /**
     * Waits until this many bytes may be transferred, or the copy is stopped. Returns at once if there is no limit.
     */
    public void acquire(long bytes, CopyControl control) {
        if (bytesPerSecond == 0) {
            return;
        }
        double place = request(bytes);
        for (long left = nanosUntil(place); left > 0 && !control.isStopped(); left = nanosUntil(place)) {
            LockSupport.parkNanos(this, Math.min(left, LOOK_NANOS));
        }
    }

    private synchronized double request(long bytes) {
        advance(System.nanoTime());
        requested = Math.max(requested, allowed - CREDIT_SECONDS * bytesPerSecond);
        double place = requested;
        requested += bytes;
        taken += bytes;
        return place;
    }

    private synchronized long nanosUntil(double place) {
        advance(System.nanoTime());
        return bytesPerSecond == 0 ? 0 : (long) Math.ceil((place - allowed) * 1e9 / bytesPerSecond);
    }
}
