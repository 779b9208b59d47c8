// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.directory;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EventListener;

/**
 * The right of an attempt to work. It lasts for a limited time after each successful check of the state directory, and
 * ends for good if it is not renewed in time or is revoked. The attempt then starts no more work; it may complete or
 * undo work in progress for half that time again. Thread-safe.
 */
public final class Lease {

    /** Reason why an attempt must stop. */
    public enum Loss {
        /** A newer generation exists. */
        SUPERSEDED,
        /** Another attempt claimed the batch. */
        TAKEN_OVER,
        /** No successful check for too long: another attempt may claim the batch at any moment. */
        LAPSED,
        /** The state directory cannot be written. */
        BROKEN
    }

    private final long nanos;
    private final Supplier<Moment> clock;
    private final Cancellation work;
    private final AtomicReference<Loss> loss = new AtomicReference<>();
    private volatile Moment lastGood;
    private volatile boolean isShut;

    /** A timestamp on two clocks: the monotonic clock stops during suspend, the wall clock may be adjusted. */
    public record Moment(long nanos, long millis) {
        public static Moment now() {
            return new Moment(System.nanoTime(), System.currentTimeMillis());
        }
    }

    /**
     * Creates a lease.
     *
     * @param length how long it lasts after a successful check
     * @param work is cancelled when the lease ends
     * @param since a moment before the claim was made: others count from when they see the claim
     */
    public Lease(Duration length, Cancellation work, Moment since) {
        this(length, work, since, Moment::now);
    }

    public Lease(Duration length, Cancellation work, Moment since, Supplier<Moment> clock) {
        this.nanos = length.toNanos();
        this.work = work;
        this.clock = clock;
        this.lastGood = since;
    }

    /**
     * Performs a check and, if it succeeds, renews the lease from the moment before it.
     *
     * @throws IOException if the check fails; the lease is not renewed then
     */
    void renew(Look look) throws IOException {
        Moment before = clock.get();
        Optional<Loss> found = look.look();
        if (found.isPresent()) {
            end(found.get());
        } else if (isGood()) {
            lastGood = before;
        }
    }

    /** A check for events that end the lease. */
    public interface Look {
        Optional<Loss> look() throws IOException;
    }

    /** Returns whether the attempt may continue; ends the lease if it has lapsed. */
    public boolean isGood() {
        if (loss.get() != null) {
            return false;
        }
        if (isOver(nanos)) {
            end(Loss.LAPSED);
            return false;
        }
        return true;
    }

    private boolean isOver(long time) {
        Moment last = lastGood;
        Moment now = clock.get();
        return now.nanos - last.nanos >= time || (now.millis - last.millis) * 1_000_000 >= time;
    }

    /**
     * Returns whether the attempt may modify anything: true as long as no other attempt can have started on the same
     * batch. Once false, it stays false.
     */
    public boolean mayWrite() {
        if (isShut || loss.get() == Loss.TAKEN_OVER || isOver(nanos + nanos / 2)) {
            isShut = true;
            end(Loss.LAPSED);
            return false;
        }
        return true;
    }

    /**
     * Returns a listener that passes on events only while the lease is good: after its loss all calls fail because of
     * the loss.
     */
    public EventListener whileGood(EventListener listener) {
        return event -> {
            if (isGood()) {
                listener.onEvent(event);
            }
        };
    }

    void end(Loss why) {
        loss.compareAndSet(null, why);
        work.cancel();
    }

    /** Returns the reason why the lease ended, if it has. */
    public Optional<Loss> loss() {
        return Optional.ofNullable(loss.get());
    }
}
