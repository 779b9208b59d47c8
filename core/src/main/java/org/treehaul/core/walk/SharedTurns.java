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
    private final AtomicInteger taken = new AtomicInteger();
    private final AtomicInteger staying = new AtomicInteger();
    private final AtomicLong permits = new AtomicLong();
    private volatile boolean limited = true;
    private volatile int wanted;
    private volatile Runnable atRest = () -> {
    };

    void atRest(Runnable action) {
        atRest = action;
    }

    /** Begins a turn: {@link #end} must follow. */
    void begin() {
        inHand.incrementAndGet();
    }

    /** Returns whether there is a permit for a unit in this turn. If it is not used, {@link #giveBack} must follow. */
    boolean mayBegin() {
        return !limited || permits.decrementAndGet() >= 0;
    }

    /** Gives back what {@link #mayBegin} took, whatever that returned. */
    void giveBack() {
        if (limited) {
            permits.incrementAndGet();
        }
    }

    /** Counts work that was found in this turn, until {@link #done}. */
    void took() {
        taken.incrementAndGet();
    }

    /** Ends a turn in which work was done. */
    void done() {
        taken.decrementAndGet();
        end();
    }

    /** Ends a turn. */
    void end() {
        inHand.decrementAndGet();
    }

    void open() {
        limited = false;
    }

    boolean isLimited() {
        return limited;
    }

    void permit(long more) {
        permits.addAndGet(more);
    }

    boolean isOpen() {
        return !limited || permits.get() > 0;
    }

    /** Returns how much work was taken and is not done. Turns that find nothing do not count here, unlike in hand. */
    int taken() {
        return taken.get();
    }

    boolean isBusy() {
        return inHand.get() > 0;
    }

    /** Counts something that stays here: work that is no unit, or what a worker waits for. */
    void stay(int more) {
        staying.addAndGet(more);
    }

    int staying() {
        return staying.get();
    }

    /**
     * Returns whether nothing is in hand and nothing can be begun.
     *
     * @param outstanding how many things are not done
     * @param hasOwn whether there is work that needs no permit
     */
    boolean isResting(long outstanding, boolean hasOwn) {
        // One is that which keeps the walk from ending. What is in hand is looked at last: a turn begins before a permit
        // is taken, or work.
        boolean hasNothing = outstanding == 1 || !isOpen() && !hasOwn;
        return hasNothing && inHand.get() == 0;
    }

    void lookForRest(long outstanding, boolean hasOwn) {
        if ((outstanding == 1 || limited) && isResting(outstanding, hasOwn)) {
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
