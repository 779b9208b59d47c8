// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Whose turn it is in a frontier that ranks share: counts what is in hand, and lets no more be begun than was
 * permitted, where that is limited. What is in hand counts from before it is looked for until it is done, so that
 * nothing can be between waiting and being in hand and seem to be neither. At first nothing may be begun.
 */
final class SharedTurns {

    private final AtomicInteger inHand = new AtomicInteger();
    private final AtomicLong permits = new AtomicLong();
    private volatile boolean limited = true;
    private volatile int wanted;
    private volatile Runnable atRest = () -> {
    };

    void atRest(Runnable action) {
        atRest = action;
    }

    /** Begins a turn; returns whether there is a permit. Either way {@link #end} or {@link #giveBack} must follow. */
    boolean begin() {
        inHand.incrementAndGet();
        return !limited || permits.decrementAndGet() >= 0;
    }

    /** Ends a turn in which there was no permit, or nothing to do. */
    void giveBack() {
        if (limited) {
            permits.incrementAndGet();
        }
        inHand.decrementAndGet();
    }

    /** Ends a turn. */
    void end() {
        inHand.decrementAndGet();
    }

    void open() {
        limited = false;
    }

    void permit(long more) {
        permits.addAndGet(more);
    }

    boolean isOpen() {
        return !limited || permits.get() > 0;
    }

    int inHand() {
        return inHand.get();
    }

    boolean isBusy() {
        return inHand.get() > 0;
    }

    /** Returns whether nothing is in hand and nothing can be begun, when so many things are not done. */
    boolean isResting(long outstanding) {
        // One is that which keeps the walk from ending.
        return inHand.get() == 0 && (outstanding == 1 || !isOpen());
    }

    void lookForRest(long outstanding) {
        if ((outstanding == 1 || limited) && isResting(outstanding)) {
            atRest.run();
        }
    }

    /** Returns 1 while another rank waits for a part of what is in hand. */
    int wanted() {
        return wanted;
    }

    void want(boolean some) {
        wanted = some ? 1 : 0;
    }
}
