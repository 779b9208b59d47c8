// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sql;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Iterator;
import java.util.NoSuchElementException;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.store.Stored;

/**
 * The rows of several tables, read on demand. A subclass calls {@link #advance} at the end of its constructor. For one
 * thread at a time.
 */
public abstract class TupleRows implements Iterator<Stored<Record>>, AutoCloseable {
    private @Nullable PreparedStatement statement;
    private @Nullable ResultSet rows;
    private @Nullable Stored<Record> next;
    private boolean isClosed;

    /** Returns the statement for the rows of the next table; null after the last one. It is closed here. */
    protected abstract @Nullable PreparedStatement nextTable() throws SQLException;

    /** Returns the tuple of a row; null if it does not match. */
    protected abstract @Nullable Stored<Record> read(ResultSet row) throws SQLException;

    /** Ends the transaction in which the rows were read. Called once. */
    protected abstract void end() throws SQLException;

    /** Converts an error of the database. */
    protected abstract RuntimeException failure(SQLException e);

    /** Reads the next tuple that matches. */
    protected final void advance() throws SQLException {
        next = null;
        while (next == null) {
            ResultSet current = rows;
            if (current != null && current.next()) {
                next = read(current);
                continue;
            }
            closeRows();
            statement = nextTable();
            if (statement == null) {
                // A caller that has read everything may forget to close, which would keep the connection.
                close();
                return;
            }
            rows = statement.executeQuery();
        }
    }

    private void closeRows() throws SQLException {
        if (rows != null) {
            rows.close();
            rows = null;
        }
        if (statement != null) {
            statement.close();
            statement = null;
        }
    }

    @Override
    public final boolean hasNext() {
        return next != null;
    }

    @Override
    public Stored<Record> next() {
        Stored<Record> found = next;
        if (found == null) {
            throw new NoSuchElementException();
        }
        try {
            advance();
        } catch (SQLException e) {
            throw failure(e);
        }
        return found;
    }

    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        next = null;
        try {
            try {
                closeRows();
            } finally {
                end();
            }
        } catch (SQLException e) {
            throw failure(e);
        }
    }
}
