// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.directory;

import java.io.IOException;
import java.time.Duration;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a lease alive. One thread periodically checks for events that end it; a second thread watches the clock,
 * because the first may hang in a check. Closing ends both threads.
 */
public final class Heartbeat implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Heartbeat.class);

    // The first beat comes after this fraction of the interval: until then no progress is visible.
    private static final int SOONER = 10;

    private final Lease lease;
    private final Lease.Look look;
    private final Pause pause = new Pause();
    private final Thread beating;
    private final Thread watching;

    public Heartbeat(Lease lease, Timing timing, Lease.Look look) {
        this.lease = lease;
        this.look = look;
        this.beating = thread("beat", timing.heartbeat().dividedBy(SOONER), timing.heartbeat(), this::beat);
        this.watching = thread("watch", timing.takeover().dividedBy(16), timing.takeover().dividedBy(16),
                lease::isGood);
    }

    private Thread thread(String name, Duration first, Duration every, Runnable action) {
        return Thread.ofPlatform().daemon().name("treehaul-" + name).unstarted(() -> {
            for (boolean goesOn = pause.sleep(first); goesOn; goesOn = pause.sleep(every)) {
                action.run();
            }
        });
    }

    /** Starts both threads. */
    public void start() {
        beating.start();
        watching.start();
    }

    private void beat() {
        try {
            lease.renew(look);
        } catch (IOException e) {
            // A failed beat does not end the lease: the next one may succeed, and otherwise the lease lapses.
            LOG.warn("cannot write the heartbeat: {}", StateDirectory.reason(e));
        } catch (RuntimeException e) {
            // Even a programming error is not worth losing hours of work.
            LOG.warn("no heartbeat", e);
        }
    }

    @Override
    public void close() {
        pause.end();
        try {
            beating.join();
            watching.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
