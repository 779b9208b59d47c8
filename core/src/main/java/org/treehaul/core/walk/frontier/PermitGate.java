// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.frontier;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the directories and parts of listings in progress in a shared frontier and, while permits are required, admits
 * no more than the granted permits. A turn counts as in progress from before the search for work until the work is
 * done, so that no unit can be between waiting and in progress and appear to be neither. At first no unit may begin.
 */
public final class PermitGate {

    private final AtomicInteger turns = new AtomicInteger();
    private final AtomicInteger taken = new AtomicInteger();
    private final AtomicInteger staying = new AtomicInteger();
    private final AtomicLong permits = new AtomicLong();
    private volatile boolean limited = true;
    private volatile int wanted;
    private volatile Runnable atRest = () -> {
    };

    /**
     * Sets the action to run whenever a turn ends, on the thread that ends it, and nothing is in progress or can begin.
     */
    public void atRest(Runnable action) {
        atRest = action;
    }

    /** Begins a turn; {@link #end} or {@link #done} must follow. */
    void begin() {
        turns.incrementAndGet();
    }

    /** Returns whether a unit may begin in this turn. If none is begun, {@link #giveBack} must follow. */
    boolean mayBegin() {
        return !limited || permits.decrementAndGet() >= 0;
    }

    /** Returns the permit that {@link #mayBegin} took, whichever result it gave. */
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
        turns.decrementAndGet();
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

    /**
     * Returns how much work was taken and is not done. Unlike {@link #isBusy}, this does not count turns that find
     * nothing.
     */
    int taken() {
        return taken.get();
    }

    boolean isBusy() {
        return turns.get() > 0;
    }

    /** Counts something that cannot leave this rank: work that is not a unit, or an event that a worker waits for. */
    void stay(int more) {
        staying.addAndGet(more);
    }

    int staying() {
        return staying.get();
    }

    /**
     * Returns whether nothing is in progress and nothing can begin.
     *
     * @param outstanding number of tasks that are not done
     * @param hasOwn whether there is work that needs no permit
     */
    boolean isResting(long outstanding, boolean hasOwn) {
        // One task is the placeholder that keeps the walk from ending. The turns are checked last: a turn begins before
        // a permit or work is taken.
        boolean hasNothing = outstanding == 1 || !isOpen() && !hasOwn;
        return hasNothing && turns.get() == 0;
    }

    void lookForRest(long outstanding, boolean hasOwn) {
        if ((outstanding == 1 || limited) && isResting(outstanding, hasOwn)) {
            atRest.run();
        }
    }

    /** Returns 1 while another rank waits for a part of the work in progress. */
    int wanted() {
        return wanted;
    }

    void setWanted(boolean some) {
        wanted = some ? 1 : 0;
    }
}
