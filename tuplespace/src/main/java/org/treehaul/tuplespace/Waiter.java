// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.tuple.Template;

/**
 * A pending read or take. Completing the future from outside, by cancel or a timeout for example, first withdraws the
 * request, and has no effect when a tuple was already found: so no tuple is taken without a recipient.
 */
final class Waiter<T> extends CompletableFuture<Result<T>> {
    final Template<T> template;
    final boolean isTake;
    final boolean isIfExists;
    final long transaction;
    private final Waiters waiters;
    /** Completes the future, so that dependent stages do not run under the store's lock; null if there are none. */
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
