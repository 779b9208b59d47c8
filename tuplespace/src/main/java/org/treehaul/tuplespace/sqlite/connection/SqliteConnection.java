// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite.connection;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteConnection;
import org.sqlite.SQLiteLimits;
import org.treehaul.tuplespace.sql.Canonical;
import org.treehaul.tuplespace.tuple.Bytes;
import org.treehaul.tuplespace.tuple.Kind;

/** A connection with its prepared statements. For one thread at a time. */
public final class SqliteConnection implements AutoCloseable {
    /** Limit of cached statements. Templates rarely have more shapes; each statement takes some kilobytes. */
    private static final int STATEMENTS = 200;
    /** Statements with long lists of values are hardly ever repeated, so they are not cached. */
    private static final int LONG_STATEMENT = 2000;

    private static final long INTERVAL = 1_000_000;

    final SQLiteConnection driver;
    /** The status that the file must keep, when no lock protects it from changes by others; else null. */
    private final @Nullable FileStamp stamp;
    private long checked;
    private final Map<String, PreparedStatement> statements = new LinkedHashMap<>(16, 0.75f, true);

    SqliteConnection(SQLiteConnection driver, @Nullable FileStamp stamp) {
        this.driver = driver;
        this.stamp = stamp;
    }

    /** Returns the connection that reads a row. Only its own statements may be closed. */
    public static SqliteConnection of(ResultSet row) throws SQLException {
        return new SqliteConnection((SQLiteConnection) row.getStatement().getConnection(), null);
    }

    /** Throws BUSY when an unprotected file was changed: data read before may then be wrong. */
    public void checkUnchanged() {
        if (stamp != null) {
            stamp.check();
        }
    }

    /** Calls {@link #checkUnchanged}, unless that was just done. */
    public void checkNowAndThen() {
        if (stamp != null && System.nanoTime() - checked > INTERVAL) {
            stamp.check();
            checked = System.nanoTime();
        }
    }

    @FunctionalInterface
    public interface Row<R> {
        @Nullable R read(ResultSet row) throws SQLException;
    }

    /** Prepares a statement that the caller closes. */
    public PreparedStatement prepareOwn(String sql) throws SQLException {
        return driver.prepareStatement(sql);
    }

    /** Prepares a statement with its parameters; the caller closes it. */
    public PreparedStatement prepareOwn(String sql, List<? extends @Nullable Object> parameters) throws SQLException {
        PreparedStatement statement = prepareOwn(sql);
        try {
            for (int i = 0; i < parameters.size(); i++) {
                bind(statement, i + 1, parameters.get(i));
            }
            return statement;
        } catch (SQLException | RuntimeException e) {
            statement.close();
            throw e;
        }
    }

    public PreparedStatement prepare(String sql) throws SQLException {
        PreparedStatement known = statements.get(sql);
        if (known != null) {
            return known;
        }
        if (statements.size() >= STATEMENTS) {
            // The least recently used statement: the others may be in use.
            Iterator<PreparedStatement> eldest = statements.values().iterator();
            eldest.next().close();
            eldest.remove();
        }
        PreparedStatement statement = driver.prepareStatement(sql);
        statements.put(sql, statement);
        return statement;
    }

    /** Closes all statements: the driver has closed a batch that failed. */
    public void clear() throws SQLException {
        SQLException failure = null;
        for (PreparedStatement statement : statements.values()) {
            try {
                statement.close();
            } catch (SQLException e) {
                failure = failure == null ? e : failure;
            }
        }
        statements.clear();
        if (failure != null) {
            throw failure;
        }
    }

    private PreparedStatement prepare(String sql, List<? extends @Nullable Object> parameters) throws SQLException {
        PreparedStatement statement = prepare(sql);
        for (int i = 0; i < parameters.size(); i++) {
            bind(statement, i + 1, parameters.get(i));
        }
        return statement;
    }

    private void drop(String sql) throws SQLException {
        if (sql.length() > LONG_STATEMENT) {
            forget(sql);
        }
    }

    private void forget(String sql) throws SQLException {
        PreparedStatement statement = statements.remove(sql);
        if (statement != null) {
            statement.close();
        }
    }

    /** The driver has closed the statement, which works again when it is prepared anew. */
    private SQLException failed(String sql, SQLException e) {
        try {
            forget(sql);
        } catch (SQLException second) {
            e.addSuppressed(second);
        }
        return JavaTest.own(e);
    }

    /** Returns the value read from the first row, or null if there is no row. */
    public <R> @Nullable R first(String sql, List<? extends @Nullable Object> parameters, Row<R> reader)
            throws SQLException {
        try (ResultSet rows = prepare(sql, parameters).executeQuery()) {
            return rows.next() ? reader.read(rows) : null;
        } catch (SQLException e) {
            throw failed(sql, e);
        } finally {
            drop(sql);
        }
    }

    /** Calls the reader for each row. */
    public void each(String sql, List<? extends @Nullable Object> parameters, Row<?> reader) throws SQLException {
        try (ResultSet rows = prepare(sql, parameters).executeQuery()) {
            while (rows.next()) {
                reader.read(rows);
            }
        } catch (SQLException e) {
            throw failed(sql, e);
        } finally {
            drop(sql);
        }
    }

    /**
     * Calls the reader for each row, unless a value would have more bytes than a limit.
     *
     * @return false if a value would; the reader may have been called for the rows before it
     */
    public boolean eachWithin(int mostBytes, String sql, List<? extends @Nullable Object> parameters, Row<?> reader)
            throws SQLException {
        driver.setLimit(SQLiteLimits.SQLITE_LIMIT_LENGTH, mostBytes);
        try {
            each(sql, parameters, reader);
            return true;
        } catch (SQLException e) {
            if (Errors.code(e) == Errors.TOOBIG) {
                return false;
            }
            throw e;
        } finally {
            // More than SQLite allows: it takes the largest limit, which is the default.
            driver.setLimit(SQLiteLimits.SQLITE_LIMIT_LENGTH, Integer.MAX_VALUE);
        }
    }

    /** Calls the reader for each row until it returns false; returns whether it never did. */
    public boolean eachWhile(String sql, List<? extends @Nullable Object> parameters, Row<Boolean> reader)
            throws SQLException {
        try (ResultSet rows = prepare(sql, parameters).executeQuery()) {
            boolean isMore = true;
            while (isMore && rows.next()) {
                isMore = Boolean.TRUE.equals(reader.read(rows));
            }
            return isMore;
        } catch (SQLException e) {
            throw failed(sql, e);
        } finally {
            drop(sql);
        }
    }

    /** Returns the number of rows that the statement changed. */
    public long update(String sql, @Nullable Object... parameters) throws SQLException {
        return update(sql, Arrays.asList(parameters));
    }

    public long update(String sql, List<? extends @Nullable Object> parameters) throws SQLException {
        try {
            return prepare(sql, parameters).executeUpdate();
        } catch (SQLException e) {
            throw failed(sql, e);
        } finally {
            drop(sql);
        }
    }

    /** Runs a statement once, without caching it. */
    public void run(String sql, List<? extends @Nullable Object> parameters) throws SQLException {
        try (PreparedStatement statement = prepareOwn(sql, parameters)) {
            statement.execute();
        }
    }

    /** Runs a statement once, without caching it. */
    public void run(String sql) throws SQLException {
        try (Statement statement = driver.createStatement()) {
            statement.execute(sql);
        }
    }

    public long number(String sql, @Nullable Object... parameters) throws SQLException {
        Long number = first(sql, Arrays.asList(parameters), row -> row.getLong(1));
        return number == null ? 0 : number;
    }

    /** Reads a number that may be NULL. */
    public static @Nullable Long number(ResultSet row) throws SQLException {
        return (Long) Canonical.read(row, 1, Kind.INTEGER);
    }

    public static void bind(PreparedStatement statement, int index, @Nullable Object canonical) throws SQLException {
        switch (canonical) {
            case null -> statement.setNull(index, 0);
            case Long integer -> statement.setLong(index, integer);
            case Double real -> statement.setDouble(index, real);
            case String text -> statement.setString(index, text);
            case Bytes bytes -> statement.setBytes(index, bytes.array());
            default -> throw new IllegalArgumentException("not a canonical value: " + canonical.getClass());
        }
    }

    /** Runs work that fails at once, as BUSY, when another process locks the file. */
    public <R> R withoutWaiting(Step<R> work) throws SQLException {
        int usual = driver.getBusyTimeout();
        driver.setBusyTimeout(0);
        try {
            return work.run();
        } finally {
            driver.setBusyTimeout(usual);
        }
    }

    @Override
    public void close() throws SQLException {
        try {
            clear();
        } finally {
            // After any failure the connection may hold a lock.
            driver.close();
        }
    }
}
