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

    // How often a wait looks whether the copy was stopped.
    private static final long LOOK_NANOS = 50_000_000;

    private final long bytesPerSecond;
    private final AtomicLong nextFree = new AtomicLong(System.nanoTime());

    RateLimiter(long bytesPerSecond) {
        this.bytesPerSecond = bytesPerSecond;
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
