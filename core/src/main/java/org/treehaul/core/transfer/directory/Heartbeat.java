// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.directory;

import java.io.IOException;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.treehaul.core.state.Periodic;

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
    private final Periodic beating;
    private final Periodic watching;

    public Heartbeat(Lease lease, Timing timing, Lease.Look look) {
        this.lease = lease;
        this.look = look;
        this.beating = Periodic.of("treehaul-beat", Durations.part(timing.heartbeat(), SOONER), timing::heartbeat,
                this::beat);
        this.watching = Periodic.of("treehaul-watch", Durations.part(timing.takeover(), 16), lease::isGood);
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
        }
    }

    @Override
    public void close() {
        watching.close();
        beating.close();
    }
}
