// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.postgresql.connection.Statements;
import org.treehaul.tuplespace.postgresql.connection.Values;
import org.treehaul.tuplespace.postgresql.sql.Names;
import org.treehaul.tuplespace.postgresql.sql.Place;
import org.treehaul.tuplespace.postgresql.sql.Table;
import org.treehaul.tuplespace.postgresql.sql.Where;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.Stored;
import org.treehaul.tuplespace.tuple.Kind;

/** Selects, locks and takes rows of a table. All methods run within a step of the {@link Writer}. */
final class Takes {
    /** Tuples are locked in portions of this number. */
    private static final int PORTION = 1000;
    /** A tuple that another process changes at this moment is left out. */
    static final String SKIPPING = " FOR UPDATE SKIP LOCKED";
    /** Waits for the other process, and looks at the tuple again. */
    static final String WAITING = " FOR UPDATE";

    private final Writer writer;

    Takes(Writer writer) {
        this.writer = writer;
    }

    /** Returns the first row that matches and, if asked, can be locked. */
    static @Nullable Stored<Record> first(Statements connection, Place place, Where where, String locking)
            throws SQLException {
        List<Stored<Record>> found = select(connection, place, where, 1, locking);
        return found.isEmpty() ? null : found.getFirst();
    }

    /** Returns rows that match and, if asked, can be locked. */
    private static List<Stored<Record>> select(Statements connection, Place place, Where where, long max,
            String locking) throws SQLException {
        Table table = place.table();
        List<Stored<Record>> found = new ArrayList<>();
        if (place.isExact()) {
            connection.each(select(place, where, max, locking), where.parameters(), max,
                    row -> found.add(table.read(row)));
            return found;
        }
        String from = "SELECT " + table.columns() + " FROM " + table.name() + " WHERE " + where.sql();
        Predicate<Object> test = place.test();
        List<Long> matching = new ArrayList<>();
        long[] tried = {0};
        connection.eachWhile(from, where.parameters(), row -> {
            Stored<Record> stored = table.read(row);
            if (test.test(stored.tuple())) {
                if (locking.isEmpty()) {
                    found.add(stored);
                } else {
                    matching.add(stored.id());
                }
            }
            // Others may have changed some of them, so rows are locked in growing portions until they are enough.
            if (matching.size() >= Math.min(PORTION, Math.max(max - found.size(), tried[0]))) {
                tried[0] += matching.size();
                lock(connection, table, where, matching, max - found.size(), locking,
                        locked -> found.add(table.read(locked)));
            }
            return found.size() < max;
        });
        lock(connection, table, where, matching, max - found.size(), locking, locked -> found.add(table.read(locked)));
        return found;
    }

    /** Returns the statement that selects rows of a place, if it has conditions for the server only. */
    static String select(Place place, Where where, long max, String locking) {
        Table table = place.table();
        return "SELECT " + table.columns() + " FROM " + table.name() + " WHERE " + where.sql() + " LIMIT " + max
                + locking;
    }

    /**
     * Locks rows with these numbers, up to {@code max}, that still meet the conditions, and reads them; forgets the
     * numbers.
     */
    private static void lock(Statements connection, Table table, Where where, List<Long> ids, long max, String locking,
            Statements.Row<?> reader) throws SQLException {
        if (ids.isEmpty()) {
            return;
        }
        List<@Nullable Object> parameters = new ArrayList<>(where.parameters());
        parameters.add(new Values.Several(Kind.INTEGER, List.copyOf(ids)));
        ids.clear();
        connection.each("SELECT " + table.columns() + " FROM " + table.name() + " WHERE " + where.sql() + " AND "
                + Names.ID + " = ANY(?) LIMIT " + max + locking, parameters, reader);
    }

    /** Takes up to {@code max} tuples of a place. */
    List<Stored<Record>> take(Statements connection, Place place, long max, long transaction, String locking)
            throws SQLException {
        Where where = Where.toTake(place, transaction, writer.clock.sql());
        Table table = place.table();
        List<Stored<Record>> found;
        if (transaction == Store.NONE && place.isExact()) {
            found = new ArrayList<>();
            connection.each("DELETE FROM " + table.name() + " WHERE " + Names.ID + " = ANY(ARRAY(SELECT " + Names.ID
                    + " FROM " + table.name() + " WHERE " + where.sql() + " LIMIT " + max + locking + ")) RETURNING "
                    + table.columns(), where.parameters(), max, row -> found.add(table.read(row)));
        } else {
            found = select(connection, place, where, max, locking);
            takeLocked(connection, table, found.stream().map(Stored::id).toList(), transaction);
        }
        noteTaken(connection, table, found, transaction);
        return found;
    }

    private static void takeLocked(Statements connection, Table table, List<Long> locked, long transaction)
            throws SQLException {
        if (!locked.isEmpty()) {
            Values.Several ids = new Values.Several(Kind.INTEGER, locked);
            // Only this transaction has ever seen a tuple that it has written.
            connection.update("DELETE FROM " + table.name() + " WHERE " + Names.ID + " = ANY(?)"
                    + (transaction == Store.NONE ? "" : " AND " + Names.WRITER + " IS NOT NULL"), ids);
            if (transaction != Store.NONE) {
                connection.update(
                        "UPDATE " + table.name() + " SET " + Names.TAKER + " = ? WHERE " + Names.ID + " = ANY(?)",
                        transaction, ids);
            }
        }
    }

    private void noteTaken(Statements connection, Table table, List<Stored<Record>> taken, long transaction)
            throws SQLException {
        for (Stored<Record> stored : taken) {
            writer.log.note(connection, EventKind.TAKEN, table.type(), stored.tuple(), stored.owner(), transaction);
        }
    }

    /**
     * Takes all tuples of a place in portions, in one pass over its rows, and returns their number. A row that is no
     * tuple is taken too, unless a predicate has to test it: a member of a shared space may write any values.
     */
    long takeEach(Statements connection, Place place, long transaction) throws SQLException {
        Where where = Where.toTake(place, transaction, writer.clock.sql());
        Table table = place.table();
        Predicate<Object> test = place.test();
        List<Long> matching = new ArrayList<>();
        long[] count = {0};
        connection.eachWhile("SELECT " + (place.isExact() ? Names.ID : table.columns()) + " FROM " + table.name()
                + " WHERE " + where.sql(), where.parameters(), row -> {
                    if (place.isExact() || test.test(table.read(row).tuple())) {
                        matching.add(row.getLong(1));
                    }
                    if (matching.size() == PORTION) {
                        count[0] += takeMatching(connection, table, where, matching, transaction);
                    }
                    return true;
                });
        return count[0] + takeMatching(connection, table, where, matching, transaction);
    }

    /** Takes rows with these numbers that still meet the conditions, and forgets the numbers. */
    private long takeMatching(Statements connection, Table table, Where where, List<Long> ids, long transaction)
            throws SQLException {
        List<Long> locked = new ArrayList<>();
        List<Stored<Record>> whole = new ArrayList<>();
        lock(connection, table, where, ids, PORTION, WAITING, row -> {
            locked.add(row.getLong(1));
            Stored<Record> stored = table.readIfWhole(row);
            return stored != null && whole.add(stored);
        });
        takeLocked(connection, table, locked, transaction);
        noteTaken(connection, table, whole, transaction);
        return locked.size();
    }
}
