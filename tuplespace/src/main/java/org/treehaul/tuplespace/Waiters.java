// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.store.Attempt;
import org.treehaul.tuplespace.store.Change;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.Store;

/**
 * Those who wait, in the order in which they came.
 * <p>
 * No wake-up is lost, and nobody gets ahead: a waiter joins within the same exclusive section of the store in which its
 * attempt failed, and each commit serves the waiters within its own, before anybody else's attempt. All state is
 * guarded by that section.
 */
final class Waiters {
    private final Store store;
    private final Set<Waiter<?>> waiting = new LinkedHashSet<>();
    private @Nullable SpaceException ended;
    private volatile boolean isAny;

    Waiters(Store store) {
        this.store = store;
    }

    boolean isAny() {
        return isAny;
    }

    /** Serves a waiter at once, or lets it wait; fails it where nobody would serve it any more. */
    void enter(Waiter<?> waiter) {
        store.exclusively(() -> {
            if (ended != null) {
                waiter.fail(ended);
            } else if (!serve(waiter)) {
                waiting.add(waiter);
                changed();
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

    /** Lets a waiter wait no longer; false when it does not wait. */
    boolean withdraw(Waiter<?> waiter) {
        try {
            return store.exclusively(() -> leave(waiter));
        } catch (SpaceException closed) {
            return false;
        }
    }

    /** One last attempt of a waiter whose time is over, which tells apart what it could not get. */
    <T> void giveUp(Waiter<T> waiter) {
        store.exclusively(() -> {
            if (leave(waiter)) {
                try {
                    waiter.finish(switch (store.attempt(waiter.template, waiter.isTake, waiter.transaction)) {
                        case Attempt.Hit<T>(T tuple) -> new Result.Found<>(tuple);
                        case Attempt.Held<T>() -> new Result.Locked<>();
                        case Attempt.Miss<T>() -> new Result.Empty<>();
                    });
                } catch (SpaceException e) {
                    waiter.fail(e);
                }
            }
            return true;
        });
    }

    /** Tells whether the waiter needs to wait no longer. */
    private <T> boolean serve(Waiter<T> waiter) {
        try {
            switch (store.attempt(waiter.template, waiter.isTake, waiter.transaction)) {
                case Attempt.Hit<T>(T tuple) -> waiter.finish(new Result.Found<>(tuple));
                case Attempt.Miss<T>() when waiter.isIfExists -> waiter.finish(new Result.Empty<>());
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
        serve(waiter -> changes.stream()
                .anyMatch(change -> (waiter.isIfExists
                        || change.kind() != EventKind.TAKEN && change.kind() != EventKind.EXPIRED)
                        && waiter.template.matches(change.tuple())));
    }

    void serveAll() {
        serve(waiter -> true);
    }

    /** Serves those who wait in a transaction. */
    void serve(long transaction) {
        serve(waiter -> waiter.transaction == transaction);
    }

    /** A transaction that has ended leaves nobody waiting in it. */
    void serveTransactions() {
        serve(waiter -> waiter.transaction != Store.NONE);
    }

    private void serve(Predicate<Waiter<?>> which) {
        if (!waiting.isEmpty()) {
            for (Waiter<?> waiter : new ArrayList<>(waiting)) {
                if (which.test(waiter) && waiting.contains(waiter) && serve(waiter)) {
                    leave(waiter);
                }
            }
        }
    }

    /** Fails all who wait, and whoever comes until the store is closed, too. */
    void failAll(SpaceException failure) {
        ended = failure;
        List<Waiter<?>> all = new ArrayList<>(waiting);
        waiting.clear();
        all.forEach(waiter -> waiter.fail(failure));
    }
}
