// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.tuple.Template;

/**
 * Somebody's wish for a tuple. However the future is completed from outside, by cancel or a timeout among others, that
 * first withdraws the wish, and does nothing where a tuple has been found already: so no tuple is taken for nobody.
 */
final class Waiter<T> extends CompletableFuture<Result<T>> {
    final Template<T> template;
    final boolean isTake;
    final boolean isIfExists;
    final long transaction;
    private final Waiters waiters;
    /** Where it is completed, so that what depends on it does not run under the lock; none where nothing does. */
    private final @Nullable Executor executor;

    Waiter(Waiters waiters, Template<T> template, boolean isTake, boolean isIfExists, long transaction,
            @Nullable Executor executor) {
        this.waiters = waiters;
        this.template = template;
        this.isTake = isTake;
        this.isIfExists = isIfExists;
        this.transaction = transaction;
        this.executor = executor;
    }

    void finish(Result<T> result) {
        if (executor == null) {
            super.complete(result);
        } else {
            executor.execute(() -> super.complete(result));
        }
    }

    void fail(RuntimeException failure) {
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
    public boolean complete(Result<T> value) {
        return waiters.withdraw(this) && super.complete(value);
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
        return waiters.withdraw(this) && super.completeExceptionally(failure);
    }
}
