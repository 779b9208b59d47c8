// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite.sql;

import java.nio.file.Path;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.sqlite.connection.Errors;
import org.treehaul.tuplespace.sqlite.connection.JavaTest;
import org.treehaul.tuplespace.sqlite.connection.SqliteConnection;
import org.treehaul.tuplespace.store.Stored;

/**
 * The rows of several tables as of one moment, read on demand: within one transaction of a connection of its own, or
 * from a temporary copy if such a transaction would block writers.
 */
public final class Rows implements Iterator<Stored<Record>>, AutoCloseable {
    private static final AtomicLong COPIES = new AtomicLong();

    /** The rows of one table: the conditions, to be closed afterwards, and the rest of the query. */
    public record Part(Table table, Where where, String tail) {}

    private final Path file;
    private final SqliteConnection connection;
    private final List<Part> parts;
    private final List<String> copies = new ArrayList<>();
    private final AutoCloseable atEnd;
    private int part = -1;
    private @Nullable PreparedStatement statement;
    private @Nullable ResultSet rows;
    private @Nullable Stored<Record> next;
    private boolean isClosed;

    /**
     * @param isCopy whether the rows are copied first
     * @param isTransactionOver whether the transaction ends after that, before the first row is read
     */
    public Rows(Path file, SqliteConnection connection, List<Part> parts, boolean isCopy, boolean isTransactionOver,
            AutoCloseable atEnd) throws SQLException {
        this.file = file;
        this.connection = connection;
        this.parts = parts;
        this.atEnd = atEnd;
        if (isCopy) {
            for (Part one : parts) {
                String copy = "temp.copy" + COPIES.incrementAndGet();
                connection.run(
                        "CREATE TEMP TABLE " + copy.substring(5) + " AS SELECT " + one.table().columns() + " FROM "
                                + one.table().name() + " WHERE " + one.where().sql() + one.tail(),
                        one.where().parameters());
                copies.add(copy);
            }
            if (isTransactionOver) {
                connection.run("COMMIT");
            }
        }
        advance();
    }

    private void advance() throws SQLException {
        next = null;
        while (next == null) {
            ResultSet current = rows;
            if (current != null && current.next()) {
                next = parts.get(part).table().read(current);
                connection.checkNowAndThen();
                return;
            }
            closeRows();
            if (++part >= parts.size()) {
                connection.checkUnchanged();
                // A caller that has read everything may forget to close, which would keep the connection.
                close();
                return;
            }
            Part one = parts.get(part);
            boolean isCopied = !copies.isEmpty();
            PreparedStatement opened = connection.prepareOwn(isCopied
                    ? "SELECT * FROM " + copies.get(part) + " ORDER BY rowid"
                    : "SELECT " + one.table().columns() + " FROM " + one.table().name() + " WHERE " + one.where().sql()
                            + one.tail());
            statement = opened;
            for (int i = 0; !isCopied && i < one.where().parameters().size(); i++) {
                SqliteConnection.bind(opened, i + 1, one.where().parameters().get(i));
            }
            rows = opened.executeQuery();
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
    public boolean hasNext() {
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
            throw Errors.of(file, JavaTest.own(e));
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
        try (atEnd) {
            closeRows();
            for (String copy : copies) {
                connection.run("DROP TABLE " + copy);
            }
        } catch (SQLException e) {
            throw Errors.of(file, e);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        } finally {
            parts.forEach(one -> one.where().close());
        }
    }
}
