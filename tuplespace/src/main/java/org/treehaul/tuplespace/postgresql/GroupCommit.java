// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql;

import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.postgresql.connection.ServerErrors;
import org.treehaul.tuplespace.postgresql.connection.Statements;
import org.treehaul.tuplespace.postgresql.connection.Step;
import org.treehaul.tuplespace.sql.GroupQueue;
import org.treehaul.tuplespace.sql.GroupedStep;
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
    /** Seconds after which the thread that works for virtual ones ends, if there are none. */
    private static final long IDLE = 10;

    private final Writer writer;
    private final GroupQueue<Pending<?>> queue = new GroupQueue<>(this::perform);
    /**
     * Runs the steps of virtual threads: the interrupt of a virtual thread closes its connection, and a commit has an
     * unknown outcome then. At most one task waits for each of these threads.
     */
    private final ThreadPoolExecutor leader = new ThreadPoolExecutor(1, 1, IDLE, TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(), Thread.ofPlatform().daemon().name("tuplespace-commit").factory());

    GroupCommit(Writer writer) {
        this.writer = writer;
        leader.allowCoreThreadTimeOut(true);
    }

    private static final class Pending<R> extends GroupedStep<R> {
        private final Step<R> step;
        private final boolean isQuiet;

        Pending(Step<R> step, boolean isQuiet) {
            this.step = step;
            this.isQuiet = isQuiet;
        }

        void run(Writer writer, Statements connection) throws SQLException {
            perform(() -> writer.run(step, connection, isQuiet));
        }

        R outcome(Writer of) {
            return outcome(e -> ServerErrors.of(of.server(), e));
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
        if (Thread.currentThread().isVirtual()) {
            leadByAnother(own);
        } else {
            Statements.uninterrupted(() -> lead(own));
        }
        return own.outcome(writer);
    }

    private void leadByAnother(Pending<?> own) {
        CompletableFuture<?> leading;
        try {
            leading = CompletableFuture.runAsync(() -> lead(own), leader);
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            // No thread can be started. In the queue, the step would run later although its caller believes that it failed.
            if (queue.withdraw(own)) {
                writer.checkOpen();
                throw e;
            }
            return;
        }
        try {
            leading.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw new IllegalStateException(e.getCause());
        }
    }

    private boolean lead(Pending<?> own) {
        writer.lock.lock();
        try {
            queue.runUntilDone(own);
            return true;
        } finally {
            writer.lock.unlock();
        }
    }

    private void perform(List<Pending<?>> group) {
        Throwable failure = commit(group);
        boolean isUnknown = failure instanceof UnknownOutcome;
        boolean isRepeated = failure != null && !isUnknown && group.size() > 1;
        for (int i = 0; i < group.size(); i++) {
            Pending<?> one = group.get(i);
            // One step failed, and none was done; running each alone shows which one.
            Throwable reason = isRepeated ? commit(List.of(one)) : failure;
            one.failed(reason instanceof UnknownOutcome unknown ? unknown.getCause() : reason);
            one.done();
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

    /** Ends the thread, after the space was closed. */
    void close() {
        leader.shutdown();
    }

    /** The commit may have happened, so the steps must not run again. */
    private static final class UnknownOutcome extends Exception {
        private static final long serialVersionUID = 1;

        UnknownOutcome(SpaceException cause) {
            super(cause);
        }
    }
}
