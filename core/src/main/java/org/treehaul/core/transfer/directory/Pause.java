// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.directory;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** An interruptible sleep for threads that do periodic work until it is ended. Thread-safe. */
public final class Pause {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition ended = lock.newCondition();
    private boolean isEnded;

    /** Sleeps; returns false as soon as the pause has been ended or the thread is interrupted. */
    public boolean sleep(Duration duration) {
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

    /** Wakes all sleeping threads. */
    public void end() {
        lock.lock();
        try {
            isEnded = true;
            ended.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
