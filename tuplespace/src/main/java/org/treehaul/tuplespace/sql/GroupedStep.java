// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sql;

import java.sql.SQLException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.store.SpaceException;

/**
 * A step that the thread that makes it waits for, and another one may run. Only the thread that holds the lock under
 * which the store is changed calls its methods, but {@link #isDone} and {@link #outcome} are for the waiting thread.
 *
 * @param <R> the class of its result
 */
public abstract class GroupedStep<R> {
    private final Thread waiter = Thread.currentThread();
    /** Finds the record classes of the step, whichever thread runs it. */
    private final ClassLoader loader = waiter.getContextClassLoader();
    private @Nullable R result;
    private @Nullable Throwable failure;
    private volatile boolean isDone;

    /** The work of a step. */
    @FunctionalInterface
    protected interface Work<R> {
        R run() throws SQLException;
    }

    /** Does the work, with the class loader of the waiting thread, and keeps the result. */
    protected final void perform(Work<R> work) throws SQLException {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            result = work.run();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    /** Notes why it failed, null if it did not; it is not done before {@link #done} is called. */
    public final void failed(@Nullable Throwable reason) {
        failure = reason;
    }

    /** Returns why it failed, null if it did not. */
    public final @Nullable Throwable failure() {
        return failure;
    }

    /** Ends it, and wakes the thread that waits. */
    public final void done() {
        isDone = true;
        LockSupport.unpark(waiter);
    }

    /** Ends it with a failure, unless it is done. */
    final void abandon(Throwable reason) {
        if (!isDone) {
            failure = reason;
            done();
        }
    }

    public final boolean isDone() {
        return isDone;
    }

    /** Returns the thread that waits. */
    public final Thread waiter() {
        return waiter;
    }

    /**
     * Returns the result of a step that is done.
     *
     * @param errors converts an error of the database
     * @throws RuntimeException a new one, with the stack of this thread, if the step failed
     */
    @SuppressWarnings("NullAway") // a step that is done has the result that its type says
    protected final R outcome(Function<SQLException, ? extends RuntimeException> errors) {
        return switch (failure) {
            case null -> result;
            case SQLException e -> throw errors.apply(e);
            case SpaceException e -> throw new SpaceException(e.reason(), String.valueOf(e.getMessage()), e);
            case IllegalArgumentException e -> throw new IllegalArgumentException(e.getMessage(), e);
            case Error e -> throw e;
            case Throwable e -> throw new IllegalStateException(e.getMessage(), e);
        };
    }
}
