// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool.work;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.state.Periodic;
import org.treehaul.schedulers.pool.Pool;
import org.treehaul.schedulers.pool.PresentWorker;
import org.treehaul.schedulers.pool.TransferOffer;
import org.treehaul.tuplespace.Lease;
import org.treehaul.tuplespace.store.SpaceException;

/**
 * Shows in the space that a worker is there and what it works on, renews the lease of its transaction, and stops its
 * work when the transfer is withdrawn or the space has not answered for most of the lease: from then on others must be
 * able to rely on the worker being gone. Thread-safe; closing ends the threads.
 */
final class Presence implements AutoCloseable {

    private static final Duration MOST_INTERVAL = Duration.ofSeconds(5);
    private static final Duration MOST_SILENCE = Duration.ofSeconds(1);
    private static final int LOOKS = 6;

    private final Pool pool;
    private final Duration lease;
    private final Periodic looks;
    // A look may wait for a server that is lost, and must not keep the work from being stopped.
    private final Periodic silence;

    // All guarded by this.
    private PresentWorker worker;
    private @Nullable Lease own;
    private @Nullable Lease ofTransaction;
    private @Nullable TransferOffer offer;
    private @Nullable Cancellation work;
    private String stopped = "";
    private String trouble = "";
    private long renewedAt = System.nanoTime();

    Presence(Pool pool, PresentWorker worker, Duration lease) {
        this.pool = pool;
        this.worker = worker;
        this.lease = lease;
        Duration interval = lease.dividedBy(LOOKS);
        this.looks = Periodic.of("treehaul-pool", interval.compareTo(MOST_INTERVAL) > 0 ? MOST_INTERVAL : interval,
                this::look);
        interval = lease.dividedBy(2 * LOOKS);
        this.silence = Periodic.of("treehaul-pool-silence",
                interval.compareTo(MOST_SILENCE) > 0 ? MOST_SILENCE : interval, this::endSilence);
    }

    Presence start() {
        looks.start();
        silence.start();
        return this;
    }

    /** Shows that the worker waits. */
    void idle() {
        synchronized (this) {
            work = null;
            offer = null;
            ofTransaction = null;
        }
        show(worker.at("", 0, Instant.now()));
    }

    /**
     * Shows that the worker begins with a transfer.
     *
     * @param stop is cancelled when it has to stop
     */
    void begin(TransferOffer at, Cancellation stop) {
        show(worker.at(at.transfer(), at.generation(), Instant.now()));
        synchronized (this) {
            offer = at;
            work = stop;
            stopped = "";
        }
    }

    private void show(PresentWorker as) {
        if (worker.transfer().equals(as.transfer()) && worker.generation() == as.generation() && hasLease()) {
            return;
        }
        Lease granted = pool.present(as, lease);
        synchronized (this) {
            worker = as;
            own = granted;
            renewedAt = System.nanoTime();
        }
    }

    /** Returns whether the worker shows that it works on a transfer. */
    synchronized boolean isAt(TransferOffer other) {
        return worker.transfer().equals(other.transfer()) && worker.generation() == other.generation();
    }

    private synchronized boolean hasLease() {
        return own != null;
    }

    /** Renews the lease of a transaction from now on, in the place of the last one. */
    synchronized void renew(@Nullable Lease transaction) {
        ofTransaction = transaction;
    }

    /** Returns why the work was stopped, if it was. */
    synchronized Optional<String> whyStopped() {
        return stopped.isEmpty() ? Optional.empty() : Optional.of(stopped);
    }

    private void look() {
        Lease mine;
        Lease transaction;
        TransferOffer current;
        synchronized (this) {
            mine = own;
            transaction = ofTransaction;
            current = offer;
        }
        try {
            if (mine != null) {
                renew(mine, transaction);
            }
            if (current != null && !pool.isOffered(current.transfer(), current.generation())) {
                stop(current, "the transfer was resumed, cancelled or finished");
            }
        } catch (SpaceException e) {
            synchronized (this) {
                trouble = ": " + e.getMessage();
            }
        }
    }

    private synchronized void endSilence() {
        long silent = System.nanoTime() - renewedAt;
        TransferOffer current = offer;
        if (current != null && silent > lease.multipliedBy(2).dividedBy(3).toNanos()) {
            stop(current, "the pool has not answered for too long" + trouble);
        }
    }

    private void renew(Lease mine, @Nullable Lease transaction) {
        long before = System.nanoTime();
        try {
            mine.renew(lease);
        } catch (SpaceException e) {
            if (e.reason() != SpaceException.Reason.UNKNOWN_LEASE) {
                throw e;
            }
            Lease granted = pool.present(current(), lease);
            synchronized (this) {
                own = granted;
            }
        }
        synchronized (this) {
            renewedAt = before;
            trouble = "";
        }
        if (transaction != null) {
            try {
                transaction.renew(lease);
            } catch (SpaceException e) {
                // The transaction has just ended, or the commit will report its end; the journals record the work that is done.
                if (e.reason() != SpaceException.Reason.UNKNOWN_LEASE) {
                    throw e;
                }
            }
        }
    }

    private synchronized PresentWorker current() {
        return worker;
    }

    private synchronized void stop(TransferOffer of, String why) {
        Cancellation running = work;
        if (of.equals(offer) && running != null && !running.isCancelled()) {
            stopped = why;
            running.cancel();
        }
    }

    @Override
    public void close() {
        silence.close();
        looks.close();
        try {
            pool.leave(worker.name());
        } catch (SpaceException e) {
            // Its lease ends.
        }
    }
}
