// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import java.time.Duration;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.Store;

/**
 * Removes tuples, transactions and registrations soon after they end. Correctness does not depend on it: operations
 * ignore everything that has ended.
 */
final class Sweeper implements AutoCloseable {
    /** The end that a watched object reports once it has ended. */
    static final long OVER = Long.MIN_VALUE;

    private static final Logger LOG = LoggerFactory.getLogger(Sweeper.class);
    /** Longest wait: another process may have died and left leases that end, and the clock may be adjusted. */
    private static final long LONGEST_WAIT = Duration.ofSeconds(5).toNanos();

    private static final Duration LONGEST_END = Duration.ofSeconds(5);

    private final InstantSource clock;
    private final LongSupplier sweep;
    private final List<LongUnaryOperator> watched = new CopyOnWriteArrayList<>();
    private final AtomicLong next = new AtomicLong(Store.NEVER);
    private final Thread thread;
    private volatile boolean isStarted;
    private volatile boolean isClosed;

    /** @param sweep removes everything that has ended and returns when the next lease ends */
    Sweeper(InstantSource clock, LongSupplier sweep) {
        this.clock = clock;
        this.sweep = sweep;
        thread = Thread.ofPlatform().daemon().name("tuplespace-sweeper").unstarted(this::run);
    }

    /** Begins to sweep. Without this call, the first sweep that is {@link #due} begins it. */
    synchronized void start() {
        if (!isStarted) {
            isStarted = true;
            thread.start();
        }
    }

    /** Ensures a sweep at this time. */
    void due(long at) {
        if (!isStarted && at != Store.NEVER) {
            start();
        }
        // The sweeper's own thread is awake, and unparking it would only skip its next wait.
        if (next.getAndAccumulate(at, Math::min) > at && !thread.equals(Thread.currentThread())) {
            LockSupport.unpark(thread);
        }
    }

    /**
     * Calls a function with the time at each sweep, of which several may run. The function returns when its object
     * ends, or {@link #OVER} if it has.
     */
    void watch(LongUnaryOperator end) {
        start();
        watched.add(end);
    }

    void sweep() {
        next.set(Store.NEVER);
        long now = clock.millis();
        Set<LongUnaryOperator> over = new HashSet<>();
        // Not by removeIf: it locks the list, and an object may wait for a thread that watches another.
        for (LongUnaryOperator one : watched) {
            long end = one.applyAsLong(now);
            if (end == OVER) {
                over.add(one);
            } else {
                due(end);
            }
        }
        watched.removeAll(over);
        due(sweep.getAsLong());
    }

    private void run() {
        boolean isReported = false;
        while (!isClosed) {
            long at = next.get();
            long now = clock.millis();
            if (at > now) {
                // Capped before the multiplication, so that it cannot overflow.
                LockSupport.parkNanos(Math.min(LONGEST_WAIT,
                        at == Store.NEVER ? LONGEST_WAIT : Math.min(at - now, LONGEST_WAIT) * 1_000_000));
            }
            try {
                if (!isClosed) {
                    sweep();
                    isReported = false;
                }
            } catch (RuntimeException | Error e) {
                if (!isClosed) {
                    // Another process may write for minutes, and lock readers out where there is no write-ahead log. A server
                    // may be away for hours. After any other failure, too, leases must go on ending.
                    boolean isSpace = e instanceof SpaceException;
                    boolean isQuiet = isReported
                            || e instanceof SpaceException space && space.reason() == SpaceException.Reason.BUSY;
                    LOG.atLevel(isQuiet ? Level.DEBUG : Level.WARN)
                            .log("expired tuples could not be removed, trying again: {}",
                                    isSpace ? e.getMessage() : e.toString());
                    isReported |= !isQuiet;
                    LockSupport.parkNanos(LONGEST_WAIT);
                }
            }
        }
    }

    @Override
    public void close() {
        isClosed = true;
        LockSupport.unpark(thread);
    }

    /**
     * Waits until the sweep that was running when this was closed has ended. Such a sweep may open the files of the
     * space and make some of them anew. The wait lasts five seconds at most, because a caller that alone may change the
     * space holds up the sweep.
     */
    void awaitEnd() {
        synchronized (this) {
            if (!isStarted || thread.equals(Thread.currentThread())) {
                return;
            }
        }
        try {
            thread.join(LONGEST_END);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
