// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.store.Attempt;
import org.treehaul.tuplespace.store.Change;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.Store;

/**
 * The pending reads and takes, in the order in which they began.
 * <p>
 * No wake-up is lost, and no operation overtakes another: a waiter joins in the same exclusive section of the store in
 * which its attempt failed, and each commit serves the waiters in its own section, before any other attempt. That
 * section guards all state.
 */
final class Waiters {
    private final Store store;
    private final Set<Waiter<?>> waiting = new LinkedHashSet<>();
    /** For each change that was not considered yet, the waiters to be served. */
    private final Queue<Predicate<Waiter<?>>> due = new ArrayDeque<>();
    private boolean isServing;
    private @Nullable SpaceException ended;
    private volatile boolean isAny;

    Waiters(Store store) {
        this.store = store;
    }

    boolean isAny() {
        return isAny;
    }

    /** Serves a waiter at once, or queues it; fails it when the space is closed and nothing would serve it any more. */
    void enter(Waiter<?> waiter) {
        store.exclusively(() -> {
            if (ended != null) {
                waiter.fail(ended);
                return true;
            }
            // Changes that the store reports within the attempt are served when this waiter has joined the others.
            boolean wasServing = isServing;
            isServing = true;
            try {
                if (!serve(waiter)) {
                    waiting.add(waiter);
                    changed();
                }
            } finally {
                isServing = wasServing;
                serveDue();
            }
            return true;
        });
    }

    private boolean leave(Waiter<?> waiter) {
        boolean wasWaiting = waiting.remove(waiter);
        changed();
        return wasWaiting;
    }

    private void changed() {
        if (isAny == waiting.isEmpty()) {
            isAny = !waiting.isEmpty();
            store.interestChanged();
        }
    }

    /** Removes a waiter from the queue; returns false when it is not queued. */
    boolean withdraw(Waiter<?> waiter) {
        try {
            return store.exclusively(() -> leave(waiter));
        } catch (SpaceException closed) {
            return false;
        }
    }

    /** Makes one last attempt for a waiter that timed out, and reports whether a match is held or there is none. */
    <T> void giveUp(Waiter<T> waiter) {
        store.exclusively(() -> {
            if (leave(waiter)) {
                try {
                    waiter.finish(switch (waiter.request.attempt().get()) {
                        case Attempt.Hit<T>(T tuple) -> new Result.Found<>(tuple);
                        case Attempt.Held<T>() -> new Result.Locked<>();
                        case Attempt.Miss<T>() -> new Result.Empty<>();
                    });
                } catch (RuntimeException | Error e) {
                    waiter.fail(e);
                }
            }
            return true;
        });
    }

    /** Makes one attempt; returns whether the waiter is finished. */
    private <T> boolean serve(Waiter<T> waiter) {
        try {
            switch (waiter.request.attempt().get()) {
                case Attempt.Hit<T>(T tuple) -> waiter.finish(new Result.Found<>(tuple));
                case Attempt.Miss<T>() when waiter.request.isIfExists() -> waiter.finish(new Result.Empty<>());
                case Attempt.Miss<T>() -> {
                    return false;
                }
                case Attempt.Held<T>() -> {
                    return false;
                }
            }
        } catch (SpaceException e) {
            waiter.fail(e);
        }
        return true;
    }

    void changed(List<Change> changes) {
        // Skips changes inside a transaction: the thread that makes them serves the transaction's own waiters.
        serve(waiter -> changes.stream()
                .anyMatch(change -> change.transaction() == Store.NONE
                        && (waiter.request.isIfExists()
                                || change.kind() != EventKind.TAKEN && change.kind() != EventKind.EXPIRED)
                        && waiter.request.template().matches(change.tuple())));
    }

    void serveAll() {
        serve(waiter -> true);
    }

    /** Serves the waiters of a transaction. */
    void serve(long transaction) {
        serve(waiter -> waiter.request.transaction() == transaction);
    }

    /** Serves the waiters of all transactions, so that those of one that has ended fail. */
    void serveTransactions() {
        serve(waiter -> waiter.request.transaction() != Store.NONE);
    }

    private void serve(Predicate<Waiter<?>> which) {
        due.add(which);
        serveDue();
    }

    /**
     * Serves the waiters unless an attempt is being made: a store may report changes within it, and its waiter would
     * take a second tuple.
     */
    private void serveDue() {
        if (isServing) {
            return;
        }
        isServing = true;
        try {
            for (Predicate<Waiter<?>> which = due.poll(); which != null; which = due.poll()) {
                for (Waiter<?> waiter : new ArrayList<>(waiting)) {
                    if (waiting.contains(waiter) && isOver(waiter, which)) {
                        leave(waiter);
                    }
                }
            }
        } finally {
            isServing = false;
        }
    }

    /** The predicate of a template may fail: then only its waiter does, and not the thread that made the change. */
    private boolean isOver(Waiter<?> waiter, Predicate<Waiter<?>> which) {
        try {
            return which.test(waiter) && serve(waiter);
        } catch (RuntimeException | Error e) {
            waiter.fail(e);
            return true;
        }
    }

    /** Fails all waiters, and those that arrive before the store is closed. */
    void failAll(SpaceException failure) {
        ended = failure;
        List<Waiter<?>> all = new ArrayList<>(waiting);
        waiting.clear();
        all.forEach(waiter -> waiter.fail(failure));
    }
}
