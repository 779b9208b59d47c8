// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async;

import org.jspecify.annotations.Nullable;

/** Receives the outcome of an operation, once. */
@FunctionalInterface
public interface IoCallback<T> {

    /**
     * Takes the outcome. Runs on a thread that carries out operations, so it must be short, and must not wait for one:
     * synchronous calls throw {@link IllegalStateException} there. For an operation that is refused or has nothing to
     * do (a closed file, a negative offset, too many operations in a callback) it runs on the calling thread, before
     * the call returns. An exception that it throws goes to the thread's handler of uncaught exceptions, and the thread
     * continues.
     *
     * @param value the result; null for a failure, and for an operation without a result
     * @param failure null if the operation succeeded
     */
    void done(@Nullable T value, @Nullable AsyncFileException failure);
}
