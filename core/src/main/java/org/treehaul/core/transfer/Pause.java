// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** What threads sleep by that do something now and then, until it is ended. Safe for any number of threads. */
final class Pause {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition ended = lock.newCondition();
    private boolean isEnded;

    /** Waits for so long; returns false as soon as it is ended, or the thread was interrupted. */
    boolean sleep(Duration duration) {
        lock.lock();
        try {
            long left = duration.toNanos();
            while (left > 0 && !isEnded) {
                left = ended.awaitNanos(left);
            }
            return !isEnded;
        } catch (InterruptedException e) {
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** Wakes all that sleep. */
    void end() {
        lock.lock();
        try {
            isEnded = true;
            ended.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
