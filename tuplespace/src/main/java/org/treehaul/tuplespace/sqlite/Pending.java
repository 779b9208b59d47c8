// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.sqlite.connection.Errors;
import org.treehaul.tuplespace.sqlite.connection.Step;
import org.treehaul.tuplespace.store.SpaceException;

/** A step that a thread passes to the {@link Writer} and waits for. */
final class Pending<R> {
    private final Step<R> step;
    /** Whether the step may add tuples. */
    final boolean isAdding;
    /** Whether its changes are no events. */
    final boolean isQuiet;
    private @Nullable R result;
    @Nullable Throwable failure;
    final Thread waiter = Thread.currentThread();
    /** Finds the record classes of the step, whichever thread runs it. */
    private final ClassLoader loader = waiter.getContextClassLoader();
    volatile boolean isDone;

    Pending(Step<R> step, boolean isAdding, boolean isQuiet) {
        this.step = step;
        this.isAdding = isAdding;
        this.isQuiet = isQuiet;
    }

    void done() {
        isDone = true;
        LockSupport.unpark(waiter);
    }

    void run(SqliteTransaction current) throws SQLException {
        failure = null;
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            result = current.run(step, isQuiet);
        } catch (SpaceException | IllegalArgumentException refused) {
            failure = refused;
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    @SuppressWarnings("NullAway") // a step that is done has the result that its type says
    R outcome(Path file) {
        return switch (failure) {
            case null -> result;
            case SQLException e -> throw Errors.of(file, e);
            // A new exception, with the stack of the requesting thread.
            case SpaceException e -> throw new SpaceException(e.reason(), String.valueOf(e.getMessage()), e);
            case Error e -> throw e;
            case Throwable e -> throw new IllegalArgumentException(e.getMessage(), e);
        };
    }
}
