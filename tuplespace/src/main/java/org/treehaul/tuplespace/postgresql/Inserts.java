// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.postgresql.connection.Statements;
import org.treehaul.tuplespace.postgresql.sql.CopyText;
import org.treehaul.tuplespace.postgresql.sql.InsertedRows;
import org.treehaul.tuplespace.postgresql.sql.Table;
import org.treehaul.tuplespace.postgresql.sql.TupleInput;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.tuple.TupleType;

/** Inserts tuples within steps of the {@link Writer}: a single one by a statement, several by a copy. */
final class Inserts {
    private final Writer writer;

    Inserts(Writer writer) {
        this.writer = writer;
    }

    /** Inserts tuples within a step, and returns their numbers. */
    long[] all(Statements connection, List<? extends Record> tuples, long[] expiresAt, long transaction)
            throws SQLException {
        long[] ids;
        if (tuples.size() == 1) {
            Long id = one(connection, null, tuples.getFirst(), expiresAt[0], transaction);
            ids = new long[]{id == null ? 0 : id};
        } else {
            ids = copy(connection, tuples, expiresAt, transaction);
        }
        note(connection, tuples, transaction);
        return ids;
    }

    /** Inserts a tuple within a step if a query has a row, and returns its number; null if there is no row. */
    @Nullable Long ifAny(Statements connection, Writer.Statement guard, Record tuple, long expiresAt) throws SQLException {
        Long id = one(connection, guard, tuple, expiresAt, Store.NONE);
        if (id != null) {
            note(connection, List.of(tuple), Store.NONE);
        }
        return id;
    }

    /**
     * Inserts a tuple by {@link Writer#atOnce} if a query has a row, and returns its number; null if there is no row.
     *
     * @param guard has the condition {@link Writer#undisturbed}
     */
    @Nullable Long atOnce(Table table, Writer.Statement guard, Record tuple, long expiresAt) {
        return writer.atOnce(insert(table, guard, tuple, expiresAt, Store.NONE), row -> row.getLong(1), connection -> {
            note(connection, List.of(tuple), Store.NONE);
            return true;
        });
    }

    private void note(Statements connection, List<? extends Record> tuples, long transaction) throws SQLException {
        writer.log.touch();
        if (writer.log.isWatched(transaction)) {
            for (Record tuple : tuples) {
                TupleType<?> type = TupleType.of(tuple);
                writer.log.note(connection, EventKind.WRITTEN, type, type.copyOf(tuple), null, transaction);
            }
        }
    }

    private @Nullable Long one(Statements connection, Writer.@Nullable Statement guard, Record tuple, long expiresAt,
            long transaction) throws SQLException {
        Writer.Statement insert = insert(writer.tables.toWrite(connection, TupleType.of(tuple)), guard, tuple,
                expiresAt, transaction);
        return connection.first(insert.sql(), insert.parameters(), row -> row.getLong(1));
    }

    private Writer.Statement insert(Table table, Writer.@Nullable Statement guard, Record tuple, long expiresAt,
            long transaction) {
        List<@Nullable Object> parameters = new ArrayList<>();
        if (guard != null) {
            parameters.addAll(guard.parameters());
        }
        parameters.add(transaction == Store.NONE ? null : (Object) transaction);
        boolean isLeased = expiresAt != Store.NEVER;
        if (isLeased) {
            parameters.add(writer.clock.left(expiresAt));
        }
        for (Object value : table.type().canonical(tuple)) {
            parameters.add(value);
        }
        String ids = writer.names.ids();
        String now = writer.clock.sql();
        return new Writer.Statement(
                guard == null ? table.insert(ids, now, isLeased) : table.insertIf(guard.sql(), ids, now, isLeased),
                parameters);
    }

    private long[] copy(Statements connection, List<? extends Record> tuples, long[] expiresAt, long transaction)
            throws SQLException {
        long[] ids = new long[tuples.size()];
        long[] now = {0};
        int[] count = {0};
        connection.each("SELECT nextval(?::regclass), " + writer.clock.sql() + " FROM generate_series(1, ?)",
                List.of(writer.names.ids(), (long) ids.length), row -> {
                    now[0] = row.getLong(2);
                    ids[count[0]++] = row.getLong(1);
                    return true;
                });
        Map<Class<?>, List<Integer>> types = new LinkedHashMap<>();
        for (int i = 0; i < ids.length; i++) {
            types.computeIfAbsent(tuples.get(i).getClass(), type -> new ArrayList<>()).add(i);
        }
        for (List<Integer> same : types.values()) {
            Table table = writer.tables.toWrite(connection, TupleType.of(tuples.get(same.getFirst())));
            // The server does not copy into tables with row level security.
            try (TupleInput input = writer.access.isApart()
                    ? new InsertedRows(table, connection)
                    : CopyText.into(table, connection)) {
                for (int i : same) {
                    long end = expiresAt[i] == Store.NEVER ? Store.NEVER : now[0] + writer.clock.left(expiresAt[i]);
                    input.add(ids[i], end, transaction, tuples.get(i));
                }
                input.finish();
            }
        }
        return ids;
    }
}
