// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.state;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A thread that performs an action again and again until it is closed. Thread-safe. */
public final class Periodic implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Periodic.class);

    private final Supplier<Duration> interval;
    private final Runnable action;
    private final Thread thread;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition closed = lock.newCondition();
    private boolean isClosed;

    private Periodic(String name, Supplier<Duration> first, Supplier<Duration> interval, Runnable action) {
        this.interval = interval;
        this.action = action;
        this.thread = Thread.ofPlatform().daemon().name(name).unstarted(() -> run(first.get()));
    }

    /**
     * Makes a thread that does not run yet.
     *
     * @param name the name of the thread
     * @param first the time before the first action
     * @param interval returns the time between the end of an action and the next one
     * @param action what to do; if it fails with a RuntimeException, it is done again after the interval
     */
    public static Periodic of(String name, Duration first, Supplier<Duration> interval, Runnable action) {
        return new Periodic(name, () -> first, interval, action);
    }

    /** Does the same; there is an interval before the first action as well. */
    public static Periodic of(String name, Supplier<Duration> interval, Runnable action) {
        return new Periodic(name, interval, interval, action);
    }

    /** Does the same with an interval that does not change. */
    public static Periodic of(String name, Duration interval, Runnable action) {
        return of(name, () -> interval, action);
    }

    /** Starts the thread. */
    public Periodic start() {
        thread.start();
        return this;
    }

    private void run(Duration first) {
        for (Duration next = first; sleep(next); next = interval.get()) {
            try {
                action.run();
            } catch (RuntimeException e) {
                // Even a programming error is not worth losing hours of work.
                LOG.warn("{} failed", thread.getName(), e);
            }
        }
    }

    // Returns false as soon as this was closed or the thread is interrupted.
    private boolean sleep(Duration duration) {
        lock.lock();
        try {
            long left = duration.toNanos();
            while (left > 0 && !isClosed) {
                left = closed.awaitNanos(left);
            }
            return !isClosed;
        } catch (InterruptedException e) {
            return false;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Ends the thread, and waits until the action that it performs has returned. If the calling thread is interrupted,
     * it does not wait, and remains interrupted.
     */
    @Override
    public void close() {
        lock.lock();
        try {
            isClosed = true;
            closed.signalAll();
        } finally {
            lock.unlock();
        }
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
