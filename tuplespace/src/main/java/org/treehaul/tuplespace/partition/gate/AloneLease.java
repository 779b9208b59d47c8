// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition.gate;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.treehaul.tuplespace.store.SpaceException;

/**
 * Renews the transaction of a thread that keeps all other threads from changing the space, until the transaction ends.
 * The sweep cannot renew it, because it waits for that thread as the others do. The first such transaction starts the
 * thread that renews. Thread-safe.
 */
public final class AloneLease implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AloneLease.class);

    private final Duration interval;
    private final Runnable renewal;
    private final Thread thread = Thread.ofPlatform().daemon().name("tuplespace-alone").unstarted(this::run);
    // Guarded by this.
    private boolean isStarted;
    private volatile boolean isClosed;

    /**
     * Creates the renewal.
     *
     * @param renewal renews the transaction, if there is one
     */
    public AloneLease(Duration interval, Runnable renewal) {
        this.interval = interval;
        this.renewal = renewal;
    }

    /** Starts the thread that renews, unless it was started before. */
    public synchronized void start() {
        if (!isStarted && !isClosed) {
            isStarted = true;
            thread.start();
        }
    }

    private void run() {
        while (!isClosed) {
            LockSupport.parkNanos(this, interval.toNanos());
            if (!isClosed) {
                try {
                    renewal.run();
                } catch (SpaceException e) {
                    LOG.debug("a transaction was not renewed: {}", e.toString());
                }
            }
        }
    }

    /** Ends the thread, which may still be renewing when this returns. */
    @Override
    public synchronized void close() {
        isClosed = true;
        LockSupport.unpark(thread);
    }
}
