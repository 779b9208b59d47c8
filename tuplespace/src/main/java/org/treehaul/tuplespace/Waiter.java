// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.store.Attempt;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.tuple.Template;

/**
 * A pending read or take. Completing the future from outside, by cancel or a timeout for example, first withdraws the
 * request, and has no effect when a tuple was already found: so no tuple is taken without a recipient.
 */
final class Waiter<R> extends CompletableFuture<Result<R>> {
    final Request<R> request;
    private final Waiters waiters;
    /** Completes the future, so that dependent stages do not run under the store's lock; null if there are none. */
    private final @Nullable Executor executor;

    /**
     * A read or take, which can be attempted again and again until it succeeds.
     *
     * @param template selects the tuples that a new attempt may find
     * @param isIfExists whether the request ends when no tuple matches
     * @param transaction the transaction in which it is made, or {@link Store#NONE}
     * @param attempt makes one attempt
     * @param <R> a tuple, or a list of tuples
     */
    record Request<R>(Template<?> template, boolean isIfExists, long transaction, Supplier<Attempt<R>> attempt) {}

    Waiter(Waiters waiters, Request<R> request, @Nullable Executor executor) {
        this.waiters = waiters;
        this.request = request;
        this.executor = executor;
    }

    void finish(Result<R> result) {
        if (executor == null) {
            super.complete(result);
        } else {
            executor.execute(() -> super.complete(result));
        }
    }

    void fail(Throwable failure) {
        if (executor == null) {
            super.completeExceptionally(failure);
        } else {
            executor.execute(() -> super.completeExceptionally(failure));
        }
    }

    @Override
    public boolean cancel(boolean mayInterrupt) {
        return waiters.withdraw(this) && super.cancel(mayInterrupt);
    }

    @Override
    public boolean complete(Result<R> value) {
        return waiters.withdraw(this) && super.complete(value);
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
        return waiters.withdraw(this) && super.completeExceptionally(failure);
    }
}
