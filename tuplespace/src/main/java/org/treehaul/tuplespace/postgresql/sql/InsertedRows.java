// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql.sql;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

import org.treehaul.tuplespace.postgresql.connection.Statements;
import org.treehaul.tuplespace.postgresql.connection.Values;
import org.treehaul.tuplespace.store.Store;

/** Inserts tuples with a statement for each, many in one exchange with the server. For one thread at a time. */
public final class InsertedRows implements TupleInput {
    /** Statements that are sent at once. */
    private static final int PORTION = 1000;

    private final Table table;
    private final PreparedStatement statement;
    private int waiting;

    public InsertedRows(Table table, Statements connection) throws SQLException {
        this.table = table;
        statement = connection.prepare(table.insert(), List.of());
    }

    @Override
    public void add(long id, long expiresAt, long transaction, Record tuple) throws SQLException {
        int at = 0;
        statement.setLong(++at, id);
        Values.bind(statement, ++at, transaction == Store.NONE ? null : (Object) transaction);
        Values.bind(statement, ++at, expiresAt == Store.NEVER ? null : (Object) expiresAt);
        for (Object value : table.type().canonical(tuple)) {
            Values.bind(statement, ++at, value);
        }
        statement.addBatch();
        if (++waiting == PORTION) {
            finish();
        }
    }

    @Override
    public void finish() throws SQLException {
        statement.executeBatch();
        waiting = 0;
    }

    @Override
    public void close() throws SQLException {
        statement.close();
    }
}
