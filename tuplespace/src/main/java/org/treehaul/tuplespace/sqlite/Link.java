// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite;

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
import org.treehaul.tuplespace.tuple.Bytes;
import org.treehaul.tuplespace.tuple.Kind;

/** A connection with the statements that were prepared on it. For one thread at a time. */
final class Link implements AutoCloseable {
    /** Templates of many shapes are rare; each statement takes some kilobytes. */
    private static final int STATEMENTS = 200;
    /** Long lists of values make statements that hardly come again. */
    private static final int LONG_STATEMENT = 2000;

    private static final long INTERVAL = 1_000_000;

    final SQLiteConnection connection;
    /** The file as it has to stay, where no lock keeps others from changing it. */
    private final @Nullable FileStamp stamp;
    private long checked;
    private final Map<String, PreparedStatement> statements = new LinkedHashMap<>(16, 0.75f, true);

    Link(SQLiteConnection connection) {
        this(connection, null);
    }

    Link(SQLiteConnection connection, @Nullable FileStamp stamp) {
        this.connection = connection;
        this.stamp = stamp;
    }

    /** Throws BUSY when the file was changed that nothing keeps from being changed: what was read may be wrong. */
    void checkUnchanged() {
        if (stamp != null) {
            stamp.check();
        }
    }

    /** As {@link #checkUnchanged}, unless it has just been done. */
    void checkNowAndThen() {
        if (stamp != null && System.nanoTime() - checked > INTERVAL) {
            stamp.check();
            checked = System.nanoTime();
        }
    }

    /** A statement and its parameters, which are canonical values. */
    record Query(String sql, List<@Nullable Object> parameters) {}

    /** Reads a row. */
    @FunctionalInterface
    interface Row<R> {
        @Nullable R read(ResultSet row) throws SQLException;
    }

    PreparedStatement prepare(String sql) throws SQLException {
        PreparedStatement known = statements.get(sql);
        if (known != null) {
            return known;
        }
        if (statements.size() >= STATEMENTS) {
            // The one that was not used for the longest time: others may be in use.
            Iterator<PreparedStatement> eldest = statements.values().iterator();
            eldest.next().close();
            eldest.remove();
        }
        PreparedStatement statement = connection.prepareStatement(sql);
        statements.put(sql, statement);
        return statement;
    }

    /** Forgets all statements: the driver has closed the one that failed. */
    void clear() throws SQLException {
        for (PreparedStatement statement : statements.values()) {
            statement.close();
        }
        statements.clear();
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
            PreparedStatement statement = statements.remove(sql);
            if (statement != null) {
                statement.close();
            }
        }
    }

    /** Returns what the first row says, or null where there is none. */
    <R> @Nullable R first(String sql, List<? extends @Nullable Object> parameters, Row<R> reader) throws SQLException {
        try (ResultSet rows = prepare(sql, parameters).executeQuery()) {
            return rows.next() ? reader.read(rows) : null;
        } catch (SQLException e) {
            throw JavaTest.own(e);
        } finally {
            drop(sql);
        }
    }

    /** Does something with each row. */
    void each(String sql, List<? extends @Nullable Object> parameters, Row<?> reader) throws SQLException {
        try (ResultSet rows = prepare(sql, parameters).executeQuery()) {
            while (rows.next()) {
                reader.read(rows);
            }
        } catch (SQLException e) {
            throw JavaTest.own(e);
        } finally {
            drop(sql);
        }
    }

    /** Returns how many rows it changed. */
    long update(String sql, @Nullable Object... parameters) throws SQLException {
        return update(sql, Arrays.asList(parameters));
    }

    long update(String sql, List<? extends @Nullable Object> parameters) throws SQLException {
        try {
            return prepare(sql, parameters).executeUpdate();
        } catch (SQLException e) {
            throw JavaTest.own(e);
        } finally {
            drop(sql);
        }
    }

    /** Runs a statement once. */
    void run(String sql, List<? extends @Nullable Object> parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.size(); i++) {
                bind(statement, i + 1, parameters.get(i));
            }
            statement.execute();
        }
    }

    /** Runs a statement once. */
    void run(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    long number(String sql, @Nullable Object... parameters) throws SQLException {
        Long number = first(sql, Arrays.asList(parameters), row -> row.getLong(1));
        return number == null ? 0 : number;
    }

    /** Reads a number that may be absent. */
    static @Nullable Long number(ResultSet row) throws SQLException {
        return (Long) read(row, 1, Kind.INTEGER);
    }

    static void bind(PreparedStatement statement, int index, @Nullable Object canonical) throws SQLException {
        switch (canonical) {
            case null -> statement.setNull(index, 0);
            case Long integer -> statement.setLong(index, integer);
            case Double real -> statement.setDouble(index, real);
            case String text -> statement.setString(index, text);
            case Bytes bytes -> statement.setBytes(index, bytes.toArray());
            default -> throw new IllegalArgumentException("no canonical value: " + canonical.getClass());
        }
    }

    static @Nullable Object read(ResultSet row, int index, Kind kind) throws SQLException {
        return switch (kind) {
            case INTEGER -> {
                long integer = row.getLong(index);
                yield integer == 0 && row.wasNull() ? null : (Object) integer;
            }
            case REAL -> {
                double real = row.getDouble(index);
                yield real == 0 && row.wasNull() ? null : (Object) real;
            }
            case TEXT -> row.getString(index);
            case BLOB -> {
                byte[] bytes = row.getBytes(index);
                yield bytes == null ? null : Bytes.of(bytes);
            }
        };
    }

    /** Does something that fails at once, as BUSY, where another process keeps the file. */
    <R> R withoutWaiting(Writer.Step<R> work) throws SQLException {
        int usual = connection.getBusyTimeout();
        connection.setBusyTimeout(0);
        try {
            return work.run();
        } finally {
            connection.setBusyTimeout(usual);
        }
    }

    @Override
    public void close() throws SQLException {
        clear();
        connection.close();
    }
}
