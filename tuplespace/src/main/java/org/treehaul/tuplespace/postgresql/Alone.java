// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql;

import java.sql.SQLException;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.postgresql.connection.ServerErrors;
import org.treehaul.tuplespace.postgresql.connection.Statements;
import org.treehaul.tuplespace.postgresql.connection.Step;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;

/**
 * A transaction of one thread that is also one of the server: until it ends, it holds the lock of the {@link Writer}
 * and locks the changes of other processes out. The server rolls it back when its connection ends.
 */
final class Alone {
    private final Writer writer;

    // Guarded by the lock of the writer.
    private @Nullable Statements connection;
    private boolean isBroken;

    Alone(Writer writer) {
        this.writer = writer;
    }

    boolean isOpen() {
        return connection != null;
    }

    /** Returns whether this thread owns the open transaction. */
    boolean isOwn() {
        return isOpen() && writer.lock.isHeldByCurrentThread();
    }

    /** Begins a transaction of this thread, which lasts until {@link #end}. */
    void begin() {
        writer.checkChangeable();
        Statements.uninterrupted(() -> {
            beginUninterrupted();
            return true;
        });
    }

    private void beginUninterrupted() {
        writer.lock.lock();
        boolean isBegun = false;
        try {
            writer.checkOpen();
            if (isOpen()) {
                throw new IllegalStateException("atomically(...) within atomically(...)");
            }
            connection = writer.begunAlone();
            isBroken = false;
            isBegun = true;
        } catch (SQLException e) {
            throw ServerErrors.of(writer.server(), e);
        } finally {
            if (!isBegun) {
                writer.lock.unlock();
            }
        }
    }

    <R> R run(Step<R> step) {
        Statements own = connection;
        if (own == null || !writer.lock.isHeldByCurrentThread() || isBroken) {
            throw new SpaceException(Reason.TRANSACTION_ENDED,
                    "this transaction belongs to another thread, has ended, or failed before");
        }
        return Statements.uninterrupted(() -> {
            try {
                return writer.run(step, own);
            } catch (SQLException e) {
                // The server refuses everything else in this transaction.
                isBroken = true;
                throw ServerErrors.of(writer.server(), e);
            } catch (Error e) {
                isBroken = true;
                throw e;
            }
        });
    }

    boolean end(boolean isCommit) {
        return Statements.uninterrupted(() -> endUninterrupted(isCommit));
    }

    private boolean endUninterrupted(boolean isCommit) {
        Statements own = connection;
        if (own == null || !writer.lock.isHeldByCurrentThread()) {
            return false;
        }
        try {
            if (isCommit && isBroken) {
                throw new SpaceException(Reason.TRANSACTION_ENDED, "an operation failed before, so nothing was done");
            }
            connection = null;
            if (isCommit) {
                writer.commit(own, 0);
            } else {
                writer.undo(own, 0, null);
            }
            writer.publish();
            return true;
        } catch (SQLException e) {
            throw ServerErrors.of(writer.server(), e);
        } finally {
            if (connection != null) {
                connection = null;
                writer.undo(own, 0, null);
            }
            writer.lock.unlock();
        }
    }

    /** Rolls back a transaction within which the space is closed. */
    void leave() {
        Statements own = connection;
        if (own != null) {
            connection = null;
            writer.undo(own, 0, null);
            writer.lock.unlock();
        }
    }
}
