// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.postgresql.connection.ServerErrors;
import org.treehaul.tuplespace.postgresql.connection.Statements;
import org.treehaul.tuplespace.postgresql.connection.Step;
import org.treehaul.tuplespace.store.SpaceException;

/**
 * Lets steps of several threads share a commit, for which the server syncs its disk: a thread adds its step to a queue,
 * then waits for the lock of the {@link Writer}. The first one to get it runs the whole queue in one transaction; the
 * others find their steps done. So a group consists of the steps that arrived during the commit before it.
 * <p>
 * Only for steps that wait for no row of another process: the locks of all of them are held until the commit, so
 * processes that wait for each other's rows would meet deadlocks.
 */
final class GroupCommit {
    /** Limit of the steps that share a commit; more would delay the first of them. */
    private static final int GROUP = 500;

    private final Writer writer;
    private final Queue<Pending<?>> queue = new ConcurrentLinkedQueue<>();

    GroupCommit(Writer writer) {
        this.writer = writer;
    }

    /** A step that a thread waits for. Guarded by the lock of the writer once it is in the queue. */
    private static final class Pending<R> {
        private final Step<R> step;
        private final boolean isQuiet;
        /** Finds the record classes of the step, whichever thread runs it. */
        private final ClassLoader loader = Thread.currentThread().getContextClassLoader();
        private @Nullable R result;
        private @Nullable Throwable failure;
        private boolean isDone;

        Pending(Step<R> step, boolean isQuiet) {
            this.step = step;
            this.isQuiet = isQuiet;
        }

        void run(Writer writer, Statements connection) throws SQLException {
            Thread thread = Thread.currentThread();
            ClassLoader before = thread.getContextClassLoader();
            thread.setContextClassLoader(loader);
            try {
                result = writer.run(step, connection, isQuiet);
            } finally {
                thread.setContextClassLoader(before);
            }
        }

        void end(@Nullable Throwable reason) {
            failure = reason;
            isDone = true;
        }

        @SuppressWarnings("NullAway") // a step that is done has the result that its type says
        R outcome(Writer of) {
            return switch (failure) {
                case null -> result;
                case SQLException e -> throw ServerErrors.of(of.server(), e);
                // New exceptions, with the stack of this thread.
                case SpaceException e -> throw new SpaceException(e.reason(), String.valueOf(e.getMessage()), e);
                case IllegalArgumentException e -> throw new IllegalArgumentException(e.getMessage(), e);
                case Error e -> throw e;
                case Throwable e -> throw new IllegalStateException(e.getMessage(), e);
            };
        }
    }

    /** Runs a step, whose changes are committed when it returns, together with those of other threads. */
    <R> R run(Step<R> step) {
        writer.checkChangeable();
        if (writer.lock.isHeldByCurrentThread()) {
            // No step of another thread may run in between: an operation that is about to wait would miss its change.
            return writer.run(step);
        }
        Pending<R> own = new Pending<>(step, writer.quiet.hasThis());
        queue.add(own);
        return Statements.uninterrupted(() -> {
            writer.lock.lock();
            try {
                while (!own.isDone) {
                    perform(next());
                }
                return own.outcome(writer);
            } finally {
                writer.lock.unlock();
            }
        });
    }

    private List<Pending<?>> next() {
        List<Pending<?>> group = new ArrayList<>();
        for (Pending<?> one = queue.poll(); one != null; one = group.size() < GROUP ? queue.poll() : null) {
            group.add(one);
        }
        return group;
    }

    private void perform(List<Pending<?>> group) {
        Throwable failure = commit(group);
        boolean isUnknown = failure instanceof UnknownOutcome;
        for (Pending<?> one : group) {
            // One step failed, and none was done; running each alone shows which one.
            boolean isRepeated = failure != null && !isUnknown && group.size() > 1;
            Throwable reason = isRepeated ? commit(List.of(one)) : failure;
            one.end(reason instanceof UnknownOutcome unknown ? unknown.getCause() : reason);
        }
        writer.log.publish();
    }

    /** Runs steps in one transaction; returns why that failed, null if they are committed. */
    // An Error also belongs to the thread of the step: a class that cannot be initialized, or too little memory.
    private @Nullable Throwable commit(List<Pending<?>> group) {
        boolean[] isRun = {false};
        try {
            writer.checkOpen();
            writer.repeated(connection -> {
                isRun[0] = false;
                for (Pending<?> one : group) {
                    one.run(writer, connection);
                }
                isRun[0] = true;
                return true;
            }, false);
            return null;
        } catch (SpaceException e) {
            // After the steps, only a connection that breaks during the commit causes a SpaceException.
            return isRun[0] ? new UnknownOutcome(e) : e;
        } catch (Throwable e) {
            return e;
        }
    }

    /** The commit may have happened, so the steps must not run again. */
    private static final class UnknownOutcome extends Exception {
        private static final long serialVersionUID = 1;

        UnknownOutcome(SpaceException cause) {
            super(cause);
        }
    }
}
