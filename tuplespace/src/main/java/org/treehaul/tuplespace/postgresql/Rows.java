// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Iterator;
import java.util.List;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.postgresql.connection.ServerAddress;
import org.treehaul.tuplespace.postgresql.connection.ServerErrors;
import org.treehaul.tuplespace.postgresql.connection.Statements;
import org.treehaul.tuplespace.postgresql.sql.Place;
import org.treehaul.tuplespace.postgresql.sql.Table;
import org.treehaul.tuplespace.postgresql.sql.Where;
import org.treehaul.tuplespace.sql.TupleRows;
import org.treehaul.tuplespace.store.Stored;

/** The rows of several tables, read on demand within one transaction of a connection of its own. */
final class Rows extends TupleRows {

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
    private @Nullable Table table;
    private @Nullable Predicate<Object> test;

    Rows(ServerAddress server, Statements connection, List<Part> parts, End end) throws SQLException {
        this.server = server;
        this.connection = connection;
        this.parts = parts.iterator();
        this.end = end;
        advance();
    }

    @Override
    protected @Nullable PreparedStatement nextTable() throws SQLException {
        if (!parts.hasNext()) {
            return null;
        }
        Part part = parts.next();
        Place place = part.place();
        table = place.table();
        test = place.isExact() ? null : place.test();
        return connection.prepare("SELECT " + place.table().columns() + " FROM " + place.table().name() + " WHERE "
                + part.where().sql() + part.tail(), part.where().parameters());
    }

    @Override
    @SuppressWarnings("NullAway") // the row is of the statement that nextTable returned
    protected @Nullable Stored<Record> read(ResultSet row) throws SQLException {
        Stored<Record> found = table.read(row);
        return test == null || test.test(found.tuple()) ? found : null;
    }

    @Override
    public Stored<Record> next() {
        return Statements.uninterrupted(super::next);
    }

    @Override
    protected void end() throws SQLException {
        end.run();
    }

    @Override
    protected RuntimeException failure(SQLException e) {
        return ServerErrors.of(server, e);
    }

    @Override
    public void close() {
        Statements.uninterrupted(() -> {
            super.close();
            return true;
        });
    }
}
