// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.postgresql.connection.Statements;
import org.treehaul.tuplespace.postgresql.sql.Names;
import org.treehaul.tuplespace.postgresql.sql.Table;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.store.RecordClasses;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.Stored;
import org.treehaul.tuplespace.tuple.TupleType;

/**
 * Transactions that span several of the server. A row represents each, and tuples contain the number of the transaction
 * that wrote, took or read them. So no transaction outlives its lease or the connection of its process, whichever
 * process dies. All methods run within a step of the writer.
 */
final class Transactions {
    private final Writer writer;
    private final Names names;

    Transactions(Writer writer) {
        this.writer = writer;
        names = writer.names;
    }

    long begin(Statements connection, long client, long expiresAt) throws SQLException {
        return connection.number("INSERT INTO " + names.transactions() + " VALUES (nextval(?::regclass), ?, "
                + writer.clock.sql() + " + ?) RETURNING id", names.ids(), client, writer.clock.left(expiresAt));
    }

    /** Throws TRANSACTION_ENDED if the transaction has ended, else keeps other processes from ending it now. */
    void check(Statements connection, long transaction) throws SQLException {
        if (connection.first("SELECT 1 FROM " + names.transactions() + " WHERE id = ? FOR KEY SHARE",
                List.of(transaction), row -> true) == null) {
            throw new SpaceException(Reason.TRANSACTION_ENDED, "the transaction has ended");
        }
    }

    boolean renew(Statements connection, long transaction, long expiresAt) throws SQLException {
        return connection.update(
                "UPDATE " + names.transactions() + " SET expires = " + writer.clock.sql() + " + ? WHERE id = ?",
                writer.clock.left(expiresAt), transaction) == 1;
    }

    /** Keeps a transaction although its lease or its process ends. */
    boolean prepare(Statements connection, long transaction) throws SQLException {
        return connection.update("UPDATE " + names.transactions() + " SET client = 0, expires = " + writer.clock.sql()
                + " + ? WHERE id = ?", writer.clock.left(Store.NEVER), transaction) == 1;
    }

    /** Ends the transactions that are past their ends. */
    void endDue(Statements connection) throws SQLException {
        rollBack(connection, "expires <= " + writer.clock.sql(), List.of());
    }

    /** Rolls back the transactions that meet a condition. */
    void rollBack(Statements connection, String where, List<Object> parameters) throws SQLException {
        List<Long> ended = new ArrayList<>();
        connection.each("DELETE FROM " + names.transactions() + " WHERE " + where + " RETURNING id", parameters,
                row -> ended.add(row.getLong(1)));
        for (long transaction : ended) {
            settle(connection, transaction, false);
        }
    }

    boolean end(Statements connection, long transaction, boolean isCommit) throws SQLException {
        if (connection.update("DELETE FROM " + names.transactions() + " WHERE id = ?", transaction) == 0) {
            return false;
        }
        settle(connection, transaction, isCommit);
        return true;
    }

    private void settle(Statements connection, long transaction, boolean isCommit) throws SQLException {
        writer.log.touch();
        boolean isWatched = writer.log.isWatched(Store.NONE);
        for (String type : writer.types(connection)) {
            Table table = isWatched ? find(connection, type) : null;
            String name = names.table(type);
            String taken = Names.TAKER + " = ?";
            String written = Names.WRITER + " = ?";
            // First, while tuples that the transaction also took are still marked, so that each is reported once.
            release(connection, table, name,
                    "SET " + Names.READERS + " = nullif(array_remove(" + Names.READERS + ", ?), '{}') WHERE ? = ANY("
                            + Names.READERS + ") AND " + Names.READERS + " IS NOT NULL",
                    List.of(transaction, transaction), EventKind.AVAILABLE);
            if (isCommit) {
                change(connection, table, "DELETE FROM " + name + " WHERE " + taken, transaction, EventKind.TAKEN);
                change(connection, table, "UPDATE " + name + " SET " + Names.WRITER + " = NULL WHERE " + written,
                        transaction, EventKind.WRITTEN);
            } else {
                release(connection, table, name, "SET " + Names.TAKER + " = NULL WHERE " + taken, List.of(transaction),
                        EventKind.VISIBLE);
                connection.update("DELETE FROM " + name + " WHERE " + written, transaction);
            }
        }
    }

    /** Changes rows, and reports them to all. */
    private void change(Statements connection, @Nullable Table table, String sql, long parameter, EventKind kind)
            throws SQLException {
        change(connection, table, sql, List.of(parameter), kind);
    }

    /** Changes rows, and reports them to all if a table is given. Returns the number of rows. */
    long change(Statements connection, @Nullable Table table, String sql, List<?> parameters, EventKind kind)
            throws SQLException {
        if (table == null) {
            return connection.update(sql, parameters);
        }
        List<Stored<Record>> rows = new ArrayList<>();
        long[] count = {0};
        connection.each(sql + " RETURNING " + table.columns(), parameters, row -> {
            count[0]++;
            Stored<Record> changed = table.readIfWhole(row);
            return changed != null && rows.add(changed);
        });
        for (Stored<Record> row : rows) {
            note(connection, kind, table, row, Store.NONE);
        }
        return count[0];
    }

    private record Released(Stored<Record> row, boolean isGone, List<Long> readers) {}

    /**
     * Removes marks, and reports the tuples that can now be taken: to all, or to the only transaction that still reads
     * them.
     */
    private void release(Statements connection, @Nullable Table table, String name, String change,
            List<Object> parameters, EventKind kind) throws SQLException {
        String sql = "UPDATE " + name + " " + change;
        if (table == null) {
            connection.update(sql, parameters);
            return;
        }
        List<Released> rows = new ArrayList<>();
        int next = table.next();
        String isGone = Names.TAKER + " IS NOT NULL OR " + Names.EXPIRES + " <= " + writer.clock.sql();
        connection.each(sql + " RETURNING " + table.columns() + ", " + isGone + ", cardinality(" + Names.READERS + "), "
                + Names.READERS + "[1]", parameters, row -> {
                    List<Long> readers = new ArrayList<>();
                    for (int i = row.getInt(next + 1); i > 0; i--) {
                        readers.add(row.getLong(next + 2));
                    }
                    Stored<Record> released = table.readIfWhole(row);
                    return released != null && rows.add(new Released(released, row.getBoolean(next), readers));
                });
        for (Released row : rows) {
            if (!row.isGone() && row.readers().isEmpty()) {
                note(connection, kind, table, row.row(), Store.NONE);
            } else if (!row.isGone() && row.readers().size() == 1) {
                note(connection, kind, table, row.row(), row.readers().getFirst());
            }
        }
    }

    private void note(Statements connection, EventKind kind, Table table, Stored<Record> row, long transaction)
            throws SQLException {
        writer.log.note(connection, kind, table.type(), row.tuple(), row.owner(), transaction);
    }

    /** Returns a table by class name; null if the record class is absent here, so that no registration can match it. */
    @Nullable Table find(Statements connection, String type) throws SQLException {
        try {
            TupleType<?> found = RecordClasses.find(type);
            return writer.tableToRead(connection, found, true);
        } catch (SpaceException unknown) {
            return null;
        }
    }
}
