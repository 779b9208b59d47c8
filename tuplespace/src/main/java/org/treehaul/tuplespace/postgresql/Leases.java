// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.treehaul.tuplespace.postgresql.connection.Statements;
import org.treehaul.tuplespace.postgresql.connection.Values;
import org.treehaul.tuplespace.postgresql.sql.Names;
import org.treehaul.tuplespace.postgresql.sql.Table;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.tuple.Kind;

/** Changes the leases of tuples, by their numbers. All methods run within a step of the {@link Writer}. */
final class Leases {
    private final Writer writer;
    private final Transactions transactions;

    Leases(Writer writer, Transactions transactions) {
        this.writer = writer;
        this.transactions = transactions;
    }

    private String live(String ids) {
        return " WHERE " + Names.ID + " = " + ids + " AND (" + Names.EXPIRES + " IS NULL OR " + Names.EXPIRES + " > "
                + writer.clock.sql() + ")";
    }

    private static Values.Several integers(long[] values) {
        return new Values.Several(Kind.INTEGER, Arrays.stream(values).boxed().toList());
    }

    boolean renew(Statements connection, long tuple, long expiresAt) throws SQLException {
        for (String type : writer.types(connection)) {
            String set = "UPDATE " + writer.names.table(type) + " SET " + Names.EXPIRES + " = ";
            long renewed = expiresAt == Store.NEVER
                    ? connection.update(set + "NULL" + live("?"), tuple)
                    : connection.update(set + writer.clock.sql() + " + ?" + live("?"), writer.clock.left(expiresAt),
                            tuple);
            if (renewed == 1) {
                return true;
            }
        }
        return false;
    }

    /** Returns the numbers of those that there are. */
    long[] renewAll(Statements connection, long[] tuples, long[] expiresAt) throws SQLException {
        long[] rest = Arrays.stream(expiresAt)
                .map(end -> end == Store.NEVER ? Store.NEVER : writer.clock.left(end))
                .toArray();
        List<Long> renewed = new ArrayList<>();
        for (String type : writer.types(connection)) {
            connection.each("UPDATE " + writer.names.table(type) + " SET " + Names.EXPIRES + " = CASE WHEN n.rest = "
                    + Store.NEVER + " THEN NULL ELSE " + writer.clock.sql()
                    + " + n.rest END FROM unnest(?, ?) AS n(id, rest)" + live("n.id") + " RETURNING " + Names.ID,
                    List.of(integers(tuples), integers(rest)), row -> renewed.add(row.getLong(1)));
        }
        return renewed.stream().mapToLong(Long::longValue).toArray();
    }

    /** Returns how many of the tuples there were. */
    long cancelAll(Statements connection, long[] tuples) throws SQLException {
        long count = 0;
        for (String type : writer.types(connection)) {
            if (count < tuples.length) {
                count += expire(connection, type, live("ANY(?)"), List.of(integers(tuples)));
            }
        }
        return count;
    }

    /** Removes the tuples whose leases have ended. */
    void endDue(Statements connection) throws SQLException {
        for (String type : writer.types(connection)) {
            expire(connection, type, " WHERE " + Names.EXPIRES + " <= " + writer.clock.sql(), List.of());
        }
    }

    /** Removes tuples, and reports those that were visible. */
    private long expire(Statements connection, String type, String where, List<?> parameters) throws SQLException {
        Table table = writer.log.isWatched(Store.NONE) ? transactions.find(connection, type) : null;
        String delete = "DELETE FROM " + writer.names.table(type) + where + " AND " + Names.WRITER;
        long count = transactions.change(connection, table, delete + " IS NULL", parameters, EventKind.EXPIRED)
                + connection.update(delete + " IS NOT NULL", parameters);
        if (count > 0) {
            writer.log.touch();
        }
        return count;
    }
}
