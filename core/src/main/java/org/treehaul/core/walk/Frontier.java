// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

/**
 * The work of a walk that waits: for each worker a stack that it alone pushes to, newest first, so that a walk goes
 * deep before it goes wide and what waits stays small. A worker that runs dry steals the oldest work of another, which
 * is the nearest to the root and so the largest.
 *
 * <p>
 * What waits is bounded by the subdirectories of the directories that are open on the way down: about a name's length
 * plus one byte for each, as siblings wait packed together.
 *
 * <p>
 * Safe for any number of threads. The walk is over when no work waits and none is in hand.
 *
 * @param <W> what a unit of work is
 */
public final class Frontier<W extends Frontier.Work<W>> {

    /** One thing to do, or several packed together. Changed only under the lock of the stack that it is on. */
    public interface Work<W> {
        /** Returns the number of things to do. */
        int units();

        /** Takes one thing out; this itself when it is just one. */
        W takeOne();

        /** Takes about half of the things out; called only when there are two or more. */
        W takeHalf();

        /** Returns whether it can be given to another rank. */
        default boolean isPortable() {
            return false;
        }

        /** Takes so many things out; called only of portable work, and when there are more. */
        default W take(int units) {
            throw new IllegalStateException("not portable");
        }
    }

    private final ArrayDeque<W>[] stacks;
    private final AtomicLong outstanding = new AtomicLong();
    private final AtomicInteger idle = new AtomicInteger();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private volatile boolean stopped;
    private volatile int active;

    // Set before the first worker begins, when ranks share the work. What is no unit then waits by itself: it cannot be
    // given away, and needs no permit, as it is a part of a unit that was begun.
    private @Nullable SharedTurns turns;
    private final ConcurrentLinkedDeque<W> own = new ConcurrentLinkedDeque<>();

    @SuppressWarnings({"unchecked", "rawtypes"})
    Frontier(int workers, int active) {
        stacks = new ArrayDeque[workers];
        for (int i = 0; i < workers; i++) {
            stacks[i] = new ArrayDeque<>();
        }
        this.active = active;
    }

    /**
     * Returns a frontier of which other ranks take a part, with all its workers active. Nothing may be begun before
     * {@link #open} or {@link #permit}.
     */
    public static <W extends Work<W>> Frontier<W> shared(int workers) {
        Frontier<W> frontier = new Frontier<>(workers, workers);
        frontier.share(new SharedTurns());
        return frontier;
    }

    /** Adds work that no {@link #done} was called for yet, on top of a worker's stack. */
    public void push(int worker, W work) {
        outstanding.addAndGet(work.units());
        if (turns == null || work.isPortable()) {
            put(worker, work);
        } else {
            turns.stay(1);
            own.addLast(work);
            if (idle.get() > 0) {
                signal();
            }
        }
    }

    private void put(int worker, W work) {
        ArrayDeque<W> stack = stacks[worker];
        synchronized (stack) {
            stack.addLast(work);
        }
        if (idle.get() > 0) {
            signal();
        }
    }

    /** Says that one thing that was taken is done. What it led to must have been pushed before. */
    public void done() {
        if (outstanding.decrementAndGet() == 0) {
            signal();
        }
        if (turns != null) {
            turns.done();
            turns.lookForRest(outstanding.get(), !own.isEmpty());
        }
    }

    /** Keeps the walk from being over until {@link #release}. */
    void hold() {
        outstanding.incrementAndGet();
        if (turns != null) {
            turns.stay(1);
        }
    }

    /** Ends what {@link #hold} began. */
    void release() {
        if (turns != null) {
            turns.stay(-1);
        }
        if (outstanding.decrementAndGet() == 0) {
            signal();
        }
        if (turns != null) {
            turns.lookForRest(outstanding.get(), !own.isEmpty());
        }
    }

    /** Takes work as {@link #take} does, but returns null instead of waiting. */
    public @Nullable W poll(int worker) {
        return stopped || worker >= active ? null : turns == null ? find(worker) : findInTurn(worker, turns);
    }

    /**
     * Takes work: the newest of the worker's own, else the oldest of another's, else waits for some.
     *
     * @return work, or null when the walk is over or was stopped
     */
    @Nullable W take(int worker) throws InterruptedException {
        while (!stopped) {
            W work = poll(worker);
            if (work != null) {
                return work;
            }
            if (outstanding.get() == 0) {
                return null;
            }
            await(worker);
        }
        return null;
    }

    private @Nullable W find(int worker) {
        W work = pop(stacks[worker]);
        for (int i = 1; work == null && i < stacks.length; i++) {
            work = steal(stacks[(worker + i) % stacks.length], worker);
        }
        return work;
    }

    private @Nullable W findInTurn(int worker, SharedTurns shared) {
        shared.begin();
        W work = own.pollLast();
        if (work != null) {
            shared.took();
            shared.stay(-1);
            return work;
        }
        work = shared.mayBegin() ? find(worker) : null;
        if (work != null) {
            shared.took();
        } else {
            shared.giveBack();
            shared.end();
            shared.lookForRest(outstanding.get(), !own.isEmpty());
        }
        return work;
    }

    private @Nullable W pop(ArrayDeque<W> stack) {
        synchronized (stack) {
            W top = stack.peekLast();
            if (top == null) {
                return null;
            }
            if (top.units() == 1) {
                stack.removeLast();
            }
            return top.takeOne();
        }
    }

    // The victim's oldest work goes over whole, unless it is all the victim has: then both get about half.
    private @Nullable W steal(ArrayDeque<W> victim, int thief) {
        W loot;
        synchronized (victim) {
            W oldest = victim.peekFirst();
            if (oldest == null) {
                return null;
            }
            if (victim.size() == 1 && oldest.units() > 1) {
                loot = oldest.takeHalf();
            } else {
                loot = victim.removeFirst();
            }
        }
        if (loot.units() == 1) {
            return loot.takeOne();
        }
        W one = loot.takeOne();
        put(thief, loot);
        return one;
    }

    // take() is the loop around it. What is waited for is looked at under the lock that the signals are given under.
    @SuppressWarnings("WaitNotInLoop")
    private void await(int worker) throws InterruptedException {
        lock.lock();
        try {
            if (isOver()) {
                return;
            }
            if (worker >= active) {
                changed.await();
                return;
            }
            // Announced before the last look: a push after that look sees this worker and signals.
            idle.incrementAndGet();
            try {
                if (!hasWork()) {
                    changed.await();
                }
            } finally {
                idle.decrementAndGet();
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean hasWork() {
        if (!own.isEmpty()) {
            return true;
        }
        if (turns != null && !turns.isOpen()) {
            return false;
        }
        for (ArrayDeque<W> stack : stacks) {
            synchronized (stack) {
                if (!stack.isEmpty()) {
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * Returns the number of workers that have nothing to do: the cue for the others to divide what they have in hand.
     */
    public int idle() {
        return turns == null ? idle.get() : idle.get() + turns.wanted();
    }

    /** Returns whether ranks share the work and no more of it may be begun than another rank permits. */
    public boolean isLimited() {
        return turns != null && turns.isLimited();
    }

    /** Makes the work of this frontier a part of what ranks share. Called before the first worker begins. */
    void share(SharedTurns shared) {
        turns = shared;
        outstanding.incrementAndGet();
    }

    /**
     * Takes work out for another rank, the oldest of each stack by turns. It counts as outstanding until {@link #gone}.
     *
     * @param units how many things at most
     */
    public List<W> takeOldest(long units) {
        List<W> taken = new ArrayList<>();
        long left = units;
        boolean found = true;
        while (left > 0 && found) {
            found = false;
            for (int i = 0; i < stacks.length && left > 0; i++) {
                W work = takeOldest(stacks[i], left);
                if (work != null) {
                    taken.add(work);
                    left -= work.units();
                    found = true;
                }
            }
        }
        return taken;
    }

    private @Nullable W takeOldest(ArrayDeque<W> stack, long most) {
        synchronized (stack) {
            W oldest = stack.peekFirst();
            if (oldest == null || !oldest.isPortable()) {
                return null;
            }
            if (oldest.units() <= most) {
                return stack.removeFirst();
            }
            return oldest.take((int) most);
        }
    }

    /** Puts work back that was taken out and not given away. */
    public void putBack(W work) {
        synchronized (stacks[0]) {
            stacks[0].addFirst(work);
        }
        signal();
    }

    /** Says that so many things are another rank's now. */
    public void gone(long units) {
        outstanding.addAndGet(-units);
    }

    /** Says that nothing more will come from other ranks. */
    void unshare() {
        if (outstanding.decrementAndGet() == 0) {
            signal();
        }
    }

    /** Returns whether nothing is in hand of what ranks share, and nothing can be begun. */
    public boolean isResting() {
        return shared().isResting(outstanding.get(), !own.isEmpty());
    }

    /** Returns about how many units wait that ranks share. */
    public long waiting() {
        // Those who only look for work must not count: what they might take could seem not to be there, for good.
        return Math.max(0, outstanding.get() - 1 - shared().taken() - shared().staying());
    }

    /** Returns whether a unit is in hand. */
    public boolean isBusy() {
        return shared().isBusy();
    }

    /** Lets units be begun without a permit from now on. */
    public void open() {
        shared().open();
        signal();
    }

    /** Lets so many more units be begun. */
    public void permit(long units) {
        shared().permit(units);
        signal();
    }

    /** Says whether another rank found nothing to take, which makes {@link #idle} one more. */
    public void want(boolean some) {
        shared().want(some);
    }

    private SharedTurns shared() {
        return Objects.requireNonNull(turns, "no ranks share this");
    }

    /** Returns how many things there are that are not done, in hand or waiting. */
    public long outstanding() {
        return outstanding.get();
    }

    /** Sets how many workers may take work; the others wait, and what is on their stacks can be stolen. */
    void activate(int workers) {
        active = workers;
        signal();
    }

    int active() {
        return active;
    }

    /** Ends the walk: {@link #take} returns null to every worker. What waits is dropped. */
    void stop() {
        stopped = true;
        signal();
    }

    boolean isStopped() {
        return stopped;
    }

    boolean isOver() {
        return stopped || outstanding.get() == 0;
    }

    // All, as the one that wakes might be one that is not active.
    private void signal() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
