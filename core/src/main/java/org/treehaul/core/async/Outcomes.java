// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.async.backend.IoThread;

/** Futures over callbacks. */
final class Outcomes {

    private Outcomes() {}

    /** Returns the future of an operation that is begun with a callback. */
    static <T> CompletableFuture<T> future(Consumer<IoCallback<T>> begin) {
        Outcome<T> future = new Outcome<>();
        begin.accept(future);
        return future;
    }

    /**
     * Begins an operation and waits for its outcome. An interrupt of the thread is kept for later, because the kernel
     * carries out the operation in any case.
     *
     * @throws IllegalStateException on a thread that carries out operations; nothing was begun
     */
    static <T> T await(Consumer<IoCallback<T>> begin) throws AsyncFileException {
        if (IoThread.isCurrent()) {
            throw new IllegalStateException("a callback must not wait for an operation");
        }
        CompletableFuture<T> future = future(begin);
        try {
            return future.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof AsyncFileException failure) {
                throw failure;
            }
            throw e;
        }
    }

    private static final class Outcome<T> extends CompletableFuture<T> implements IoCallback<T> {
        @Override
        @SuppressWarnings("NullAway") // operations without a result complete with null
        public void done(@Nullable T value, @Nullable AsyncFileException failure) {
            if (failure != null) {
                completeExceptionally(failure);
            } else {
                complete(value);
            }
        }
    }
}
