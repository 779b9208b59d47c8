// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.sqlite.connection.SqliteConnection;
import org.treehaul.tuplespace.sqlite.sql.Checksum;
import org.treehaul.tuplespace.sqlite.sql.Names;
import org.treehaul.tuplespace.sqlite.sql.Table;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.store.RecordClasses;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.Stored;

/**
 * Transactions that span several of SQLite. A row represents each, and tuples contain the number of the transaction
 * that wrote or took them. So no transaction outlives its lease, whichever process dies. All methods run within a step
 * of the {@link Writer}.
 */
final class Transactions {
    private static final String FREE = " AND " + Names.ID + " NOT IN (SELECT tuple FROM " + Names.READS + ")";
    private static final String LIVE = " AND (" + Names.EXPIRES + " IS NULL OR " + Names.EXPIRES + " > ?)";

    private final SqliteTransaction current;
    private final SqliteConnection connection;

    Transactions(SqliteTransaction current) {
        this.current = current;
        connection = current.connection;
    }

    long begin(long expiresAt) throws SQLException {
        long id = current.nextId();
        connection.update("INSERT INTO " + Names.TRANSACTIONS + " VALUES (?, ?)", id, expiresAt);
        current.reloadLeases();
        return id;
    }

    /**
     * Returns whether a transaction is live; the current SQLite transaction began by ending those past their leases.
     */
    boolean isLive(long transaction) throws SQLException {
        return connection.number("SELECT EXISTS (SELECT 1 FROM " + Names.TRANSACTIONS + " WHERE id = ?)",
                transaction) == 1;
    }

    void check(long transaction) throws SQLException {
        if (!isLive(transaction)) {
            throw new SpaceException(Reason.TRANSACTION_ENDED, "the transaction has ended");
        }
    }

    boolean renew(long transaction, long expiresAt) throws SQLException {
        boolean isLive = connection.update(
                "UPDATE " + Names.TRANSACTIONS + " SET expires = ? WHERE id = ? AND expires > ?", expiresAt,
                transaction, current.now()) == 1;
        current.reloadLeases();
        return isLive;
    }

    /**
     * Ends a transaction; returns false when it has ended. One whose lease has ended since the SQLite transaction began
     * is undone: an earlier step of that may have taken what it held.
     */
    boolean end(long transaction, boolean isCommit) throws SQLException {
        String delete = "DELETE FROM " + Names.TRANSACTIONS + " WHERE id = ?";
        boolean isLive = connection.update(delete + " AND expires > ?", transaction, current.now()) == 1;
        if (!isLive && connection.update(delete, transaction) == 0) {
            return false;
        }
        List<Long> read = new ArrayList<>();
        connection.each("SELECT tuple FROM " + Names.READS + " WHERE tx = ?", List.of(transaction),
                row -> read.add(row.getLong(1)));
        if (!read.isEmpty()) {
            connection.update("DELETE FROM " + Names.READS + " WHERE tx = ?", transaction);
        }
        for (Map.Entry<String, String> one : current.tables.all().entrySet()) {
            String table = one.getValue();
            Table watched = current.isWatched(Store.NONE) ? find(one.getKey()) : null;
            String taken = Names.TAKER + " = ?";
            String written = Names.WRITER + " = ?";
            if (isCommit && isLive) {
                note(watched, taken, transaction, EventKind.TAKEN);
                connection.update("DELETE FROM " + table + " WHERE " + taken, transaction);
                note(watched, written, transaction, EventKind.WRITTEN);
                connection.update("UPDATE " + table + " SET " + Checksum.clear(Names.WRITER) + " WHERE " + written,
                        transaction);
                noteRead(watched, read);
            } else {
                // First, while tuples that the transaction also took are still marked, so that each is reported once.
                noteRead(watched, read);
                note(watched, taken + FREE + LIVE, List.of(transaction, current.now()), EventKind.VISIBLE, Store.NONE);
                connection.update("UPDATE " + table + " SET " + Checksum.clear(Names.TAKER) + " WHERE " + taken,
                        transaction);
                connection.update("DELETE FROM " + table + " WHERE " + written, transaction);
            }
        }
        current.reloadLeases();
        return isLive;
    }

    /**
     * Reports tuples that a transaction has read as available: to all, or to the only transaction that still reads
     * them.
     */
    private void noteRead(@Nullable Table watched, List<Long> read) throws SQLException {
        if (watched != null) {
            for (long tuple : read) {
                String here = Names.ID + " = ? AND " + Names.TAKER + " IS NULL" + LIVE;
                List<Long> parameters = List.of(tuple, current.now());
                note(watched, here + FREE, parameters, EventKind.AVAILABLE, Store.NONE);
                List<Long> readers = new ArrayList<>();
                connection.each("SELECT tx FROM " + Names.READS + " WHERE tuple = ? LIMIT 2", List.of(tuple),
                        row -> readers.add(row.getLong(1)));
                if (readers.size() == 1 && current.isWatched(readers.getFirst())) {
                    note(watched, here, parameters, EventKind.AVAILABLE, readers.getFirst());
                }
            }
        }
    }

    /** Returns a table by class name; null if the record class is absent here, so that no registration can match it. */
    @Nullable Table find(String type) throws SQLException {
        try {
            return current.tables.toRead(connection, RecordClasses.find(type), current::table);
        } catch (SpaceException unknown) {
            return null;
        }
    }

    private void note(@Nullable Table table, String where, long parameter, EventKind kind) throws SQLException {
        note(table, where, List.of(parameter), kind, Store.NONE);
    }

    void note(@Nullable Table table, String where, List<Long> parameters, EventKind kind, long transaction)
            throws SQLException {
        if (table != null) {
            List<Stored<Record>> rows = new ArrayList<>();
            connection.each("SELECT " + table.columns() + " FROM " + table.from() + " WHERE " + where, parameters,
                    row -> {
                        Stored<Record> found = table.readIfWhole(row);
                        return found != null && rows.add(found);
                    });
            for (Stored<Record> row : rows) {
                current.note(kind, table.type(), row.tuple(), transaction);
            }
        }
    }
}
