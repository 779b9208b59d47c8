// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite.connection;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;

import org.treehaul.tuplespace.store.SpaceException;

/** A pool of read-only connections; the write-ahead log lets them read while the writer writes. */
public final class Readers implements AutoCloseable {
    /** Limit of idle connections; threads beyond it open and close their own each time. */
    private static final int IDLE = 8;

    private final Path file;
    private final boolean isToRead;
    private final Deque<SqliteConnection> idle = new ArrayDeque<>();
    private boolean isClosed;

    public Readers(Path file, boolean isToRead) {
        this.file = file;
        this.isToRead = isToRead;
    }

    public SqliteConnection borrow() {
        synchronized (this) {
            if (isClosed) {
                throw new SpaceException(SpaceException.Reason.CLOSED, "the space is closed");
            }
            SqliteConnection connection = idle.poll();
            if (connection != null) {
                return connection;
            }
        }
        return isToRead ? Connections.openToRead(file) : Connections.open(file);
    }

    public void giveBack(SqliteConnection connection) throws SQLException {
        synchronized (this) {
            if (!isClosed && idle.size() < IDLE) {
                idle.push(connection);
                return;
            }
        }
        connection.close();
    }

    @FunctionalInterface
    public interface Reading<R> {
        public R read(SqliteConnection connection) throws SQLException;
    }

    public <R> R read(Reading<R> reading) {
        SqliteConnection connection = borrow();
        try {
            R result = reading.read(connection);
            connection.checkUnchanged();
            giveBack(connection);
            return result;
        } catch (SQLException e) {
            discard(connection, e);
            connection.checkUnchanged();
            throw Errors.of(file, e);
        } catch (RuntimeException | Error e) {
            discard(connection, e);
            connection.checkUnchanged();
            throw e;
        }
    }

    /** Closes a connection after a failure, which may have left a statement or transaction open. */
    public static void discard(SqliteConnection connection, Throwable reason) {
        try {
            connection.close();
        } catch (SQLException e) {
            reason.addSuppressed(e);
        }
    }

    @Override
    public void close() throws SQLException {
        synchronized (this) {
            isClosed = true;
        }
        for (SqliteConnection connection = idle.poll(); connection != null; connection = idle.poll()) {
            connection.close();
        }
    }
}
