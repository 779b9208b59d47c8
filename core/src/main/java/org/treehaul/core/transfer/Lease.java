// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import org.treehaul.core.event.EventListener;
import org.treehaul.core.walk.Cancellation;

/**
 * The right of an attempt to work. It lasts for a while after each good look at the state directory, and ends for good
 * when it was not renewed in time or was taken away. Then no more is begun; what is in hand may be ended, or withdrawn,
 * for half as long again. Safe for any number of threads.
 */
final class Lease {

    /** Why an attempt may not go on. */
    enum Loss {
        /** There is a newer generation. */
        SUPERSEDED,
        /** Another attempt claimed the batch. */
        TAKEN_OVER,
        /** No good look for too long: another attempt may claim the batch at any moment. */
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

    /** One moment by two clocks: the one stands still while a machine sleeps, the other may be set. */
    record Moment(long nanos, long millis) {
        static Moment now() {
            return new Moment(System.nanoTime(), System.currentTimeMillis());
        }
    }

    /**
     * Makes a lease.
     *
     * @param length how long it lasts after a good look
     * @param work is cancelled when it ends
     * @param since before the claim was made: others count from when they see it
     */
    Lease(Duration length, Cancellation work, Moment since) {
        this(length, work, since, Moment::now);
    }

    Lease(Duration length, Cancellation work, Moment since, Supplier<Moment> clock) {
        this.nanos = length.toNanos();
        this.work = work;
        this.clock = clock;
        this.lastGood = since;
    }

    /**
     * Does a look, and renews from the moment before it when it was good.
     *
     * @throws IOException when it failed: nothing is renewed
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

    /** A look at what could end the lease. */
    interface Look {
        Optional<Loss> look() throws IOException;
    }

    /** Returns whether the attempt may go on; ends the lease when it lapsed. */
    boolean isGood() {
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
     * Returns whether the attempt may change anything: as long as nobody else can have begun with the same. Once false,
     * always false.
     */
    boolean mayWrite() {
        if (isShut || loss.get() == Loss.TAKEN_OVER || isOver(nanos + nanos / 2)) {
            isShut = true;
            end(Loss.LAPSED);
            return false;
        }
        return true;
    }

    /**
     * Returns a listener that passes on what happens while the attempt may write: later all calls fail, by its loss.
     */
    EventListener whileGood(EventListener listener) {
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

    /** Returns why it ended, if it did. */
    Optional<Loss> loss() {
        return Optional.ofNullable(loss.get());
    }
}
