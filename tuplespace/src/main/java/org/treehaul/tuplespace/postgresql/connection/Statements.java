// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql.connection;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.postgresql.core.BaseConnection;
import org.postgresql.util.HostSpec;

/** A connection that runs statements. The driver keeps those prepared that are repeated. For one thread at a time. */
public final class Statements implements AutoCloseable {
    /** Rows that the driver reads at a time within a transaction. */
    private static final int FETCH = 1000;
    /** One major version in the numbers of versions of the server. */
    private static final int MAJOR = 10_000;

    private final Connection connection;
    private final @Nullable SilentServers watched;
    private final SilentServers.Host host;
    private final boolean isBorrowed;
    /** When it began to wait for the server at the latest, as System.nanoTime has it; 0 if it does not wait. */
    private volatile long since;
    /** The opening of the transaction, until it is sent. */
    private @Nullable Opening opening;

    /**
     * Two queries that precede the statements of a transaction.
     *
     * @param reader reads the first row of the second one
     */
    public record Opening(String sql, List<? extends @Nullable Object> parameters, Row<?> reader) {}

    /**
     * Makes statements run over a connection.
     *
     * @param watched ends the connection when its server is lost; null for one that the kernel ends
     * @param isBorrowed whether it is in use until it is closed; otherwise it waits for the server now and then
     */
    Statements(Connection connection, @Nullable SilentServers watched, boolean isBorrowed) throws SQLException {
        this.connection = connection;
        this.watched = watched;
        this.isBorrowed = isBorrowed;
        HostSpec server = connection.unwrap(BaseConnection.class).getQueryExecutor().getHostSpec();
        host = new SilentServers.Host(server.getHost(), server.getPort());
        since = isBorrowed ? now() : 0;
        if (watched != null) {
            watched.add(this);
        }
    }

    private static long now() {
        return System.nanoTime() | 1;
    }

    /** Returns the major version of the server, without an exchange with it. */
    public int serverVersion() throws SQLException {
        return connection.unwrap(BaseConnection.class).getQueryExecutor().getServerVersionNum() / MAJOR;
    }

    SilentServers.Host host() {
        return host;
    }

    /** Returns for how many nanoseconds the connection may have waited for the server. */
    long waits(long now) {
        long start = since;
        return start == 0 ? 0 : now - start;
    }

    private void begins() {
        if (!isBorrowed) {
            since = now();
        }
    }

    private void ends() {
        if (!isBorrowed) {
            since = 0;
        }
    }

    /** Reads a row. */
    @FunctionalInterface
    public interface Row<R> {
        @Nullable R read(ResultSet row) throws SQLException;
    }

    /** Prepares a statement with its parameters; the caller closes it. */
    public PreparedStatement prepare(String sql, List<? extends @Nullable Object> parameters) throws SQLException {
        open();
        return prepare(sql, parameters, FETCH);
    }

    /**
     * Prepares a statement.
     *
     * @param fetch rows that the driver reads at a time; 0 for all, which takes fewer messages
     */
    private PreparedStatement prepare(String sql, List<? extends @Nullable Object> parameters, int fetch)
            throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        try {
            statement.setFetchSize(fetch);
            for (int i = 0; i < parameters.size(); i++) {
                Values.bind(statement, i + 1, parameters.get(i));
            }
            return statement;
        } catch (SQLException | RuntimeException e) {
            statement.close();
            throw e;
        }
    }

    /** Runs a statement, in the same exchange with the server as the opening if that was not sent yet. */
    private PreparedStatement executed(String sql, List<? extends @Nullable Object> parameters, int fetch)
            throws SQLException {
        Opening first = opening;
        opening = null;
        List<@Nullable Object> all = new ArrayList<>(first == null ? List.of() : first.parameters());
        all.addAll(parameters);
        PreparedStatement statement = prepare(first == null ? sql : first.sql() + "; " + sql, all, fetch);
        boolean isDone = false;
        try {
            statement.execute();
            if (first != null) {
                second(statement, first.reader());
                statement.getMoreResults();
            }
            isDone = true;
            return statement;
        } finally {
            if (!isDone) {
                statement.close();
            }
        }
    }

    /** Reads the first row of the second result. */
    private static <R> @Nullable R second(PreparedStatement executed, Row<R> reader) throws SQLException {
        executed.getMoreResults();
        try (ResultSet rows = executed.getResultSet()) {
            return rows.next() ? reader.read(rows) : null;
        }
    }

    /** Sends the opening of the transaction by itself, unless it was sent. */
    public void open() throws SQLException {
        Opening first = opening;
        if (first != null) {
            opening = null;
            second(first.sql(), first.parameters(), first.reader());
        }
    }

    /** Returns the value read from the first row, or null if there is no row. For statements with few rows. */
    public <R> @Nullable R first(String sql, List<? extends @Nullable Object> parameters, Row<R> reader)
            throws SQLException {
        begins();
        try (PreparedStatement statement = executed(sql, parameters, 0); ResultSet rows = statement.getResultSet()) {
            return rows.next() ? reader.read(rows) : null;
        } finally {
            ends();
        }
    }

    /** Calls the reader for each row. */
    public void each(String sql, List<? extends @Nullable Object> parameters, Row<?> reader) throws SQLException {
        each(sql, parameters, Long.MAX_VALUE, reader);
    }

    /**
     * Calls the reader for each row.
     *
     * @param most limit of the number of rows
     */
    public void each(String sql, List<? extends @Nullable Object> parameters, long most, Row<?> reader)
            throws SQLException {
        try (PreparedStatement statement = executed(sql, parameters, most > FETCH ? FETCH : 0);
                ResultSet rows = statement.getResultSet()) {
            while (rows.next()) {
                reader.read(rows);
            }
        }
    }

    /**
     * Calls the reader for each row until it returns false. Within a transaction, few rows more than those are read,
     * and the reader may run other statements.
     */
    public void eachWhile(String sql, List<? extends @Nullable Object> parameters, Row<Boolean> reader)
            throws SQLException {
        try (PreparedStatement statement = prepare(sql, parameters); ResultSet rows = statement.executeQuery()) {
            while (rows.next() && Boolean.TRUE.equals(reader.read(rows))) {
                // The reader does the work.
            }
        }
    }

    /**
     * Runs a query and a statement in one exchange with the server, in a transaction of their own unless one has begun,
     * and reads the first row of the second.
     */
    public <R> @Nullable R second(String sql, List<? extends @Nullable Object> parameters, Row<R> reader)
            throws SQLException {
        try (PreparedStatement statement = executed(sql, parameters, 0)) {
            return second(statement, reader);
        }
    }

    /** Returns the number of rows that the statement changed. */
    public long update(String sql, @Nullable Object... parameters) throws SQLException {
        return update(sql, Arrays.asList(parameters));
    }

    /** Returns the number of rows that the statement changed. */
    public long update(String sql, List<? extends @Nullable Object> parameters) throws SQLException {
        begins();
        try (PreparedStatement statement = executed(sql, parameters, 0)) {
            return statement.getLargeUpdateCount();
        } finally {
            ends();
        }
    }

    /** Runs a statement without parameters. */
    public void run(String sql) throws SQLException {
        open();
        begins();
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } finally {
            ends();
        }
    }

    /** Returns the number in the first row, 0 if there is none. */
    public long number(String sql, @Nullable Object... parameters) throws SQLException {
        Long number = first(sql, Arrays.asList(parameters), row -> row.getLong(1));
        return number == null ? 0 : number;
    }

    /** Begins to copy rows into a table; no other statement may run until the caller finishes or closes it. */
    public TableCopy copyInto(String table, String columns) throws SQLException {
        open();
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

    /** Reads the state of one moment with several statements, none of which loads all its rows into memory. */
    public <R> R atOneMoment(Step<R> reading) throws SQLException {
        beginToRead();
        try {
            R found = reading.run(this);
            commit();
            return found;
        } catch (SQLException | RuntimeException | Error e) {
            rollback(e);
            throw e;
        }
    }

    /** Begins a transaction together with its first statement. */
    public void begin() throws SQLException {
        connection.setAutoCommit(false);
    }

    /**
     * Begins a transaction together with its first statement.
     *
     * @param first sent before that, in the same exchange with the server; not at all if there is no statement
     */
    public void begin(Opening first) throws SQLException {
        begin();
        opening = first;
    }

    public void commit() throws SQLException {
        opening = null;
        connection.commit();
        connection.setAutoCommit(true);
    }

    /** Rolls the transaction back. A connection on which that fails is useless, and the pool replaces it. */
    public void rollback(Throwable reason) {
        opening = null;
        try {
            connection.rollback();
            connection.setAutoCommit(true);
        } catch (SQLException e) {
            reason.addSuppressed(e);
        }
    }

    /**
     * Does work with a connection while the interrupt of this thread is put off: the driver closes the connection of a
     * virtual thread that is interrupted.
     */
    public static <R> R uninterrupted(Supplier<R> work) {
        boolean wasInterrupted = Thread.interrupted();
        try {
            return work.get();
        } finally {
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Ends the connection at once, from any thread. */
    public void abort() throws SQLException {
        try {
            connection.abort(Runnable::run);
        } finally {
            forget();
        }
    }

    private void forget() {
        if (watched != null) {
            watched.remove(this);
        }
    }

    /** Gives the connection back to its pool. */
    @Override
    public void close() throws SQLException {
        try {
            connection.close();
        } finally {
            forget();
        }
    }
}
