// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * The steps of threads that share a commit. A thread adds its step, then waits for the lock under which the store is
 * changed; with the lock, it runs the steps of all others too. No step is lost: it is run, or ends with a failure. Each
 * thread adds one step at a time, so the queue is no longer than the number of threads.
 *
 * @param <S> the class of the steps
 */
public final class GroupQueue<S extends GroupedStep<?>> {
    /** Limit of the steps that share a commit; more would delay the first of them. */
    private static final int GROUP = 500;

    private final Queue<S> queue = new ConcurrentLinkedQueue<>();
    /**
     * Steps that left the queue and are not done. It never grows: a step for which there is no memory would be lost,
     * and its thread would wait for ever. Guarded by the lock.
     */
    private final List<S> group = new ArrayList<>(GROUP);
    private final Consumer<? super List<S>> runner;

    /** @param runner runs steps until each of them is done; must not keep the list */
    public GroupQueue(Consumer<? super List<S>> runner) {
        this.runner = runner;
    }

    /** Adds a step; from any thread. */
    public void add(S step) {
        queue.add(step);
    }

    /** Returns the step that waits for the longest time, null if none does; from any thread. */
    public @Nullable S first() {
        return queue.peek();
    }

    /** Runs the steps that wait, also those of other threads, until this one is done. Called while the lock is held. */
    public void runUntilDone(S own) {
        while (!own.isDone()) {
            try {
                runSome();
            } catch (RuntimeException | Error e) {
                // Otherwise it waits in the queue, and another thread would run it.
                if (own.isDone()) {
                    throw e;
                }
            }
        }
    }

    /**
     * Takes back a step that this thread has added, because no thread could be started to run it. If another thread
     * runs it already, waits until it is done.
     *
     * @return whether it was taken back; otherwise it was run
     */
    public boolean withdraw(S own) {
        if (queue.remove(own)) {
            // A thread that begins after all must not look for it in vain, with the lock.
            own.abandon(new IllegalStateException("taken back"));
            return true;
        }
        boolean wasInterrupted = false;
        while (!own.isDone()) {
            LockSupport.park(this);
            wasInterrupted |= Thread.interrupted();
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
        return false;
    }

    private void runSome() {
        try {
            for (S next = queue.poll(); next != null; next = group.size() < GROUP ? queue.poll() : null) {
                group.add(next);
            }
            runner.accept(group);
        } catch (RuntimeException | Error e) {
            // By number: an iterator takes memory, of which there may be none.
            for (int i = 0; i < group.size(); i++) {
                group.get(i).abandon(e);
            }
            throw e;
        } finally {
            group.clear();
        }
    }
}
