// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql.connection;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** A connection that runs statements. The driver keeps those prepared that are repeated. For one thread at a time. */
public final class Statements implements AutoCloseable {
    /** Rows that the driver reads at a time within a transaction. */
    private static final int FETCH = 1000;

    private final Connection connection;

    Statements(Connection connection) {
        this.connection = connection;
    }

    /** Reads a row. */
    @FunctionalInterface
    public interface Row<R> {
        @Nullable R read(ResultSet row) throws SQLException;
    }

    /** Prepares a statement with its parameters; the caller closes it. */
    public PreparedStatement prepare(String sql, List<? extends @Nullable Object> parameters) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        try {
            statement.setFetchSize(FETCH);
            for (int i = 0; i < parameters.size(); i++) {
                Values.bind(statement, i + 1, parameters.get(i));
            }
            return statement;
        } catch (SQLException | RuntimeException e) {
            statement.close();
            throw e;
        }
    }

    /** Returns the value read from the first row, or null if there is no row. */
    public <R> @Nullable R first(String sql, List<? extends @Nullable Object> parameters, Row<R> reader)
            throws SQLException {
        try (PreparedStatement statement = prepare(sql, parameters); ResultSet rows = statement.executeQuery()) {
            return rows.next() ? reader.read(rows) : null;
        }
    }

    /** Calls the reader for each row. */
    public void each(String sql, List<? extends @Nullable Object> parameters, Row<?> reader) throws SQLException {
        try (PreparedStatement statement = prepare(sql, parameters); ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                reader.read(rows);
            }
        }
    }

    /** Runs two queries in one exchange with the server, and reads the first row of the second. */
    public <R> @Nullable R second(String sql, List<? extends @Nullable Object> parameters, Row<R> reader)
            throws SQLException {
        try (PreparedStatement statement = prepare(sql, parameters)) {
            statement.execute();
            statement.getMoreResults();
            try (ResultSet rows = statement.getResultSet()) {
                return rows.next() ? reader.read(rows) : null;
            }
        }
    }

    /** Returns the number of rows that the statement changed. */
    public long update(String sql, @Nullable Object... parameters) throws SQLException {
        return update(sql, Arrays.asList(parameters));
    }

    /** Returns the number of rows that the statement changed. */
    public long update(String sql, List<? extends @Nullable Object> parameters) throws SQLException {
        try (PreparedStatement statement = prepare(sql, parameters)) {
            return statement.executeLargeUpdate();
        }
    }

    /** Runs a statement without parameters. */
    public void run(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Returns the number in the first row, 0 if there is none. */
    public long number(String sql, @Nullable Object... parameters) throws SQLException {
        Long number = first(sql, Arrays.asList(parameters), row -> row.getLong(1));
        return number == null ? 0 : number;
    }

    /** Begins to copy rows into a table; no other statement may run until the caller finishes or closes it. */
    public TableCopy copyInto(String table, String columns) throws SQLException {
        return new TableCopy(driver().getCopyAPI().copyIn("COPY " + table + "(" + columns + ") FROM STDIN"));
    }

    private PGConnection driver() throws SQLException {
        return connection.unwrap(PGConnection.class);
    }

    /** Returns whether a notification has come, after waiting for one for this number of milliseconds at most. */
    public boolean isNotified(int millis) throws SQLException {
        PGNotification[] found = driver().getNotifications(millis);
        return found != null && found.length > 0;
    }

    /** Begins a transaction that reads the state of one moment. */
    public void beginToRead() throws SQLException {
        connection.setAutoCommit(false);
        run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY");
    }

    /** Begins a transaction together with its first statement. */
    public void begin() throws SQLException {
        connection.setAutoCommit(false);
    }

    public void commit() throws SQLException {
        connection.commit();
        connection.setAutoCommit(true);
    }

    /** Rolls the transaction back. A connection on which that fails is useless, and the pool replaces it. */
    public void rollback(Throwable reason) {
        try {
            connection.rollback();
            connection.setAutoCommit(true);
        } catch (SQLException e) {
            reason.addSuppressed(e);
        }
    }

    /** Ends the connection at once, from any thread. */
    public void abort() throws SQLException {
        connection.abort(Runnable::run);
    }

    /** Gives the connection back to its pool. */
    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
