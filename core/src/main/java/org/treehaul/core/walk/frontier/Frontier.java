// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.frontier;

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
 * The waiting work of a walk: one stack per worker, newest work first. Only its worker pushes to a stack. The walk
 * therefore goes deep before it goes wide, and little work waits. An idle worker steals the oldest work of another,
 * which is the nearest to the root and so the largest.
 *
 * <p>
 * The subdirectories of the directories that are open on the way down bound the waiting work: each takes about its
 * name's length plus one byte, because siblings are packed together.
 *
 * <p>
 * Safe for any number of threads. The walk is over when no work waits and none is in progress.
 *
 * @param <W> the type of a unit of work
 */
public final class Frontier<W extends Frontier.Work<W>> {

    /** One task, or several packed together. Changed only under the lock of the stack that holds it. */
    public interface Work<W> {
        /** Returns the number of tasks. */
        int units();

        /** Takes one task out; returns this object itself when it holds only one. */
        W takeOne();

        /** Takes about half of the tasks out; called only when there are two or more. */
        W takeHalf();

        /** Returns whether the work can be given to another rank. */
        default boolean isPortable() {
            return false;
        }

        /** Takes the given number of tasks out; called only on portable work that holds more than that. */
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

    // Set before the first worker begins, when ranks share the work. Work that is not portable then waits in a queue of
    // its own: it cannot be given away, and it needs no permit because it is a part of a unit that was begun.
    private @Nullable PermitGate permitGate;
    private final ConcurrentLinkedDeque<W> own = new ConcurrentLinkedDeque<>();

    /**
     * Creates a frontier of one process.
     *
     * @param workers number of workers, 1 or more
     * @param active number of workers that may take work at first
     */
    @SuppressWarnings({"unchecked", "rawtypes"})
    public Frontier(int workers, int active) {
        stacks = new ArrayDeque[workers];
        for (int i = 0; i < workers; i++) {
            stacks[i] = new ArrayDeque<>();
        }
        this.active = active;
    }

    /**
     * Returns a frontier whose work other ranks share, with all its workers active. No unit may begin before
     * {@link #open} or {@link #permit}.
     */
    public static <W extends Work<W>> Frontier<W> shared(int workers) {
        Frontier<W> frontier = new Frontier<>(workers, workers);
        frontier.share(new PermitGate());
        return frontier;
    }

    /** Pushes work onto a worker's stack. The work counts as outstanding until {@link #done}. */
    public void push(int worker, W work) {
        outstanding.addAndGet(work.units());
        if (permitGate == null || work.isPortable()) {
            put(worker, work);
        } else {
            permitGate.stay(1);
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

    /** Reports that a task that was taken is done. All work that it created must have been pushed before. */
    public void done() {
        if (outstanding.decrementAndGet() == 0) {
            signal();
        }
        if (permitGate != null) {
            permitGate.done();
            permitGate.lookForRest(outstanding.get(), !own.isEmpty());
        }
    }

    /** Prevents the end of the walk until {@link #release}. */
    public void hold() {
        outstanding.incrementAndGet();
        if (permitGate != null) {
            permitGate.stay(1);
        }
    }

    /** Ends a {@link #hold}. */
    public void release() {
        if (permitGate != null) {
            permitGate.stay(-1);
        }
        if (outstanding.decrementAndGet() == 0) {
            signal();
        }
        if (permitGate != null) {
            permitGate.lookForRest(outstanding.get(), !own.isEmpty());
        }
    }

    /** Takes work like {@link #take}, but returns null instead of waiting. */
    public @Nullable W poll(int worker) {
        return stopped || worker >= active ? null : permitGate == null ? find(worker) : findInTurn(worker, permitGate);
    }

    /**
     * Takes the newest work of this worker, else the oldest of another worker, else waits for work.
     *
     * @return work, or null when the walk is over or was stopped
     */
    public @Nullable W take(int worker) throws InterruptedException {
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

    private @Nullable W findInTurn(int worker, PermitGate shared) {
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

    // Moves the victim's oldest work as a whole. If the victim has nothing else, each of the two gets about half of it.
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

    // The loop is in take(). The condition is checked under the lock under which signals are sent.
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
            // Incremented before the last check: a push after that check sees this worker and signals.
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
        if (permitGate != null && !permitGate.isOpen()) {
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

    /** Returns whether a worker's stack has work. */
    public boolean hasWaiting(int worker) {
        synchronized (stacks[worker]) {
            return !stacks[worker].isEmpty();
        }
    }

    /** Returns the number of idle workers. If it is not zero, the other workers divide their work in progress. */
    public int idle() {
        return permitGate == null ? idle.get() : idle.get() + permitGate.wanted();
    }

    /** Returns whether ranks share the work and each unit needs a permit from another rank before it may begin. */
    public boolean isLimited() {
        return permitGate != null && permitGate.isLimited();
    }

    /** Makes this frontier's work a part of the work that ranks share. Called before the first worker begins. */
    public void share(PermitGate shared) {
        permitGate = shared;
        outstanding.incrementAndGet();
    }

    /**
     * Takes work out for another rank, the oldest of each stack in turn. The work counts as outstanding until
     * {@link #gone}.
     *
     * @param units the largest number of tasks to take
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

    /** Puts back work that was taken out but not given away. */
    public void putBack(W work) {
        synchronized (stacks[0]) {
            stacks[0].addFirst(work);
        }
        signal();
    }

    /** Reports that this number of tasks now belongs to another rank. */
    public void gone(long units) {
        outstanding.addAndGet(-units);
    }

    /** Reports that no more work will come from other ranks. */
    public void unshare() {
        if (outstanding.decrementAndGet() == 0) {
            signal();
        }
    }

    /** Returns whether no shared work is in progress and none can begin. */
    public boolean isResting() {
        return shared().isResting(outstanding.get(), !own.isEmpty());
    }

    /** Returns the approximate number of waiting units that ranks share. */
    public long waiting() {
        // Workers that only look for work must not be counted: the work that they might take could then appear to be
        // missing forever.
        return Math.max(0, outstanding.get() - 1 - shared().taken() - shared().staying());
    }

    /** Returns whether a unit is in progress. */
    public boolean isBusy() {
        return shared().isBusy();
    }

    /** Lets units begin without a permit from now on. */
    public void open() {
        shared().open();
        signal();
    }

    /** Permits this number of further units to begin. */
    public void permit(long units) {
        shared().permit(units);
        signal();
    }

    /** Sets whether another rank found nothing to take. While it is set, {@link #idle} returns one more. */
    public void setWanted(boolean some) {
        shared().setWanted(some);
    }

    private PermitGate shared() {
        return Objects.requireNonNull(permitGate, "no ranks share this frontier");
    }

    /** Returns the number of tasks that are not done, waiting or in progress. */
    public long outstanding() {
        return outstanding.get();
    }

    /** Sets how many workers may take work. The others wait, and active workers can steal from their stacks. */
    public void activate(int workers) {
        active = workers;
        signal();
    }

    /** Returns how many workers may take work. */
    public int active() {
        return active;
    }

    /** Ends the walk: {@link #take} returns null to every worker. Waiting work is dropped. */
    public void stop() {
        stopped = true;
        signal();
    }

    boolean isOver() {
        return stopped || outstanding.get() == 0;
    }

    // Wakes all workers, because a single one might be inactive.
    private void signal() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
