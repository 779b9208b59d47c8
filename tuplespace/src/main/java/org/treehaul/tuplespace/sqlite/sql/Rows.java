// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite.sql;

import java.nio.file.Path;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.sql.TupleRows;
import org.treehaul.tuplespace.sqlite.connection.Errors;
import org.treehaul.tuplespace.sqlite.connection.JavaTest;
import org.treehaul.tuplespace.sqlite.connection.SqliteConnection;
import org.treehaul.tuplespace.store.Stored;

/**
 * The rows of several tables as of one moment, read on demand: within one transaction of a connection of its own, or
 * from a temporary copy if such a transaction would block writers.
 */
public final class Rows extends TupleRows {
    private static final AtomicLong COPIES = new AtomicLong();

    /**
     * The rows of one table.
     *
     * @param where has the parameters of the query; closed afterwards
     * @param selection what follows WHERE in the query
     */
    public record Part(Table table, Where where, String selection) {}

    /** Ends the transaction. */
    public interface End {
        public void run() throws SQLException;
    }

    private final Path file;
    private final SqliteConnection connection;
    private final List<Part> parts;
    private final List<String> copies = new ArrayList<>();
    private final End atEnd;
    private int part = -1;

    /**
     * @param isCopy whether the rows are copied first
     * @param isTransactionOver whether the transaction ends after that, before the first row is read
     */
    public Rows(Path file, SqliteConnection connection, List<Part> parts, boolean isCopy, boolean isTransactionOver,
            End atEnd) throws SQLException {
        this.file = file;
        this.connection = connection;
        this.parts = parts;
        this.atEnd = atEnd;
        if (isCopy) {
            for (Part one : parts) {
                String copy = "temp.copy" + COPIES.incrementAndGet();
                connection.run("CREATE TEMP TABLE " + copy.substring(5) + " AS SELECT " + one.table().columns()
                        + " FROM " + one.table().from() + " WHERE " + one.selection(), one.where().parameters());
                copies.add(copy);
            }
            if (isTransactionOver) {
                connection.run("COMMIT");
            }
        }
        advance();
    }

    @Override
    protected @Nullable PreparedStatement nextTable() throws SQLException {
        if (++part >= parts.size()) {
            connection.checkUnchanged();
            return null;
        }
        if (!copies.isEmpty()) {
            return connection.prepareOwn("SELECT * FROM " + copies.get(part) + " ORDER BY rowid", List.of());
        }
        Part one = parts.get(part);
        return connection.prepareOwn(
                "SELECT " + one.table().columns() + " FROM " + one.table().from() + " WHERE " + one.selection(),
                one.where().parameters());
    }

    @Override
    protected Stored<Record> read(ResultSet row) throws SQLException {
        Stored<Record> found = parts.get(part).table().read(row);
        connection.checkNowAndThen();
        return found;
    }

    @Override
    protected void end() throws SQLException {
        try {
            for (String copy : copies) {
                connection.run("DROP TABLE " + copy);
            }
        } finally {
            try {
                atEnd.run();
            } finally {
                parts.forEach(one -> one.where().close());
            }
        }
    }

    @Override
    protected RuntimeException failure(SQLException e) {
        return Errors.of(file, JavaTest.own(e));
    }
}
