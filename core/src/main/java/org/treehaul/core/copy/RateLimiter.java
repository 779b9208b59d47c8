// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Keeps all threads together below a number of bytes a second: each amount is given the next free stretch of time, and
 * who asked sleeps until its stretch begins. Safe for any number of threads.
 */
final class RateLimiter {

    // What was not used may be made up for, but not for longer than this: no burst after a pause.
    private static final long CREDIT_NANOS = 100_000_000;

    // What is asked for at once, in parts of a second; less than a page or two would be slower than the limit.
    private static final int PORTIONS_PER_SECOND = 10;
    private static final long SMALLEST_PORTION = 16 << 10;

    // How often a wait looks whether the copy was stopped.
    private static final long LOOK_NANOS = 50_000_000;

    private final long bytesPerSecond;
    private final AtomicLong nextFree = new AtomicLong(System.nanoTime());

    RateLimiter(long bytesPerSecond) {
        this.bytesPerSecond = bytesPerSecond;
    }

    /** Returns how many bytes to ask for at once: all that are wanted, or what takes a fraction of a second. */
    long portion(long wanted) {
        return bytesPerSecond == 0
                ? wanted
                : Math.min(wanted, Math.max(SMALLEST_PORTION, bytesPerSecond / PORTIONS_PER_SECOND));
    }

    /** Waits until this many bytes may be moved, or until it is stopped. Returns at once when there is no limit. */
    void acquire(long bytes, DataMover.StopSign stop) {
        if (bytesPerSecond == 0) {
            return;
        }
        long cost = (long) (bytes * 1e9 / bytesPerSecond);
        long now = System.nanoTime();
        long start = nextFree.updateAndGet(free -> Math.max(free, now - CREDIT_NANOS) + cost) - cost;
        for (long left = start - now; left > 0 && !stop.isStopped(); left = start - System.nanoTime()) {
            LockSupport.parkNanos(this, Math.min(left, LOOK_NANOS));
        }
    }
}
