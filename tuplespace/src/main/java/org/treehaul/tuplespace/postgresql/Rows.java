// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.postgresql.connection.ServerAddress;
import org.treehaul.tuplespace.postgresql.connection.ServerErrors;
import org.treehaul.tuplespace.postgresql.connection.Statements;
import org.treehaul.tuplespace.postgresql.sql.Place;
import org.treehaul.tuplespace.postgresql.sql.Where;
import org.treehaul.tuplespace.store.Stored;

/** The rows of several tables, read on demand within one transaction of a connection of its own. */
final class Rows implements Iterator<Stored<Record>>, AutoCloseable {

    /** The rows of one table: the conditions, and the rest of the query. */
    record Part(Place place, Where where, String tail) {}

    /** Ends the transaction. */
    interface End {
        void run() throws SQLException;
    }

    private final ServerAddress server;
    private final Statements connection;
    private final Iterator<Part> parts;
    private final End end;
    private @Nullable PreparedStatement statement;
    private @Nullable ResultSet rows;
    private @Nullable Place place;
    private @Nullable Predicate<Object> test;
    private @Nullable Stored<Record> next;
    private boolean isClosed;

    Rows(ServerAddress server, Statements connection, List<Part> parts, End end) throws SQLException {
        this.server = server;
        this.connection = connection;
        this.parts = parts.iterator();
        this.end = end;
        advance();
    }

    private void advance() throws SQLException {
        next = null;
        while (next == null) {
            ResultSet current = rows;
            Place here = place;
            if (current != null && here != null && current.next()) {
                Stored<Record> found = here.table().read(current);
                next = test == null || test.test(found.tuple()) ? found : null;
                continue;
            }
            closeRows();
            if (!parts.hasNext()) {
                // A caller that has read everything may forget to close, which would keep the connection.
                close();
                return;
            }
            Part part = parts.next();
            place = part.place();
            test = part.place().isExact() ? null : part.place().test();
            statement = connection.prepare("SELECT " + part.place().table().columns() + " FROM "
                    + part.place().table().name() + " WHERE " + part.where().sql() + part.tail(),
                    part.where().parameters());
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
            throw ServerErrors.of(server, e);
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
                end.run();
            }
        } catch (SQLException e) {
            throw ServerErrors.of(server, e);
        }
    }
}
