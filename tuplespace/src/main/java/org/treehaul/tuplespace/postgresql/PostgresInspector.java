// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.postgresql.connection.Pool;
import org.treehaul.tuplespace.postgresql.connection.ServerErrors;
import org.treehaul.tuplespace.postgresql.connection.Statements;
import org.treehaul.tuplespace.postgresql.connection.Values;
import org.treehaul.tuplespace.postgresql.sql.Names;
import org.treehaul.tuplespace.sql.Canonical;
import org.treehaul.tuplespace.store.Inspection;
import org.treehaul.tuplespace.store.RecordClasses;
import org.treehaul.tuplespace.store.RecordClasses.Kept;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.tuple.TupleType;

/**
 * Reads a whole space: finds what the server cannot read, and what is left of a schema that was restored in part or
 * changed by other programs, also rows that are no tuples of their record class. Each table is read as of one moment.
 */
final class PostgresInspector {
    /** Limit of the tuples that are named because they cannot be decoded. */
    private static final int MOST = 100;

    private final Pool pool;
    private final Names names;
    private final List<String> problems = new ArrayList<>();
    private long tuples;
    private long undecodable;

    PostgresInspector(Pool pool, Names names) {
        this.pool = pool;
        this.names = names;
    }

    Inspection run() {
        Map<String, List<Kept>> types = new HashMap<>();
        pool.readOnce(connection -> {
            connection.each("SELECT name, components FROM " + names.types(), List.of(),
                    row -> types.put(row.getString(1), RecordClasses.parse(row.getString(2))));
            connection.each(
                    "SELECT relname FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid"
                            + " WHERE relnamespace = to_regnamespace(?)::oid AND NOT indisvalid",
                    List.of(Names.quote(names.schema())), row -> problems.add("index " + row.getString(1)
                            + " was not made completely: drop it, and open the space again"));
            return true;
        });
        types.forEach((type, kept) -> pool.readOnce(connection -> {
            if (hasColumns(connection, type, kept)) {
                read(connection, type, kept);
            }
            return true;
        }));
        if (undecodable > MOST) {
            problems.add("and " + (undecodable - MOST) + " more");
        }
        // The server compares its pages with checksums if it has them; tuples have none of their own.
        return new Inspection(tuples, 0, problems);
    }

    private boolean hasColumns(Statements connection, String type, List<Kept> kept) throws SQLException {
        Map<String, String> columns = new HashMap<>();
        connection.each(
                "SELECT attname, format_type(atttypid, NULL) FROM pg_attribute"
                        + " WHERE attrelid = to_regclass(?) AND attnum > 0 AND NOT attisdropped",
                List.of(names.table(type)), row -> columns.put(Names.quote(row.getString(1)), row.getString(2)));
        if (columns.isEmpty()) {
            problems.add("there is no table for " + type);
            return false;
        }
        int before = problems.size();
        for (Kept one : kept) {
            String found = columns.get(Names.column(one.name()));
            if (!Values.type(one.kind()).equals(found)) {
                problems.add("component " + one.name() + " of " + type + " is "
                        + (found == null ? "missing" : found + " instead of " + Values.type(one.kind())));
            }
        }
        return problems.size() == before;
    }

    /** Returns the record class of a table; null if it is absent here or of another version, which are no damage. */
    private static @Nullable TupleType<?> find(String type, List<Kept> kept) {
        try {
            TupleType<?> found = RecordClasses.find(type);
            return RecordClasses.fits(found, kept) ? found : null;
        } catch (SpaceException e) {
            return null;
        }
    }

    private void decode(TupleType<?> type, long id, @Nullable Object[] values) {
        try {
            Canonical.tuple(type, id, values);
        } catch (IllegalArgumentException e) {
            undecodable++;
            if (undecodable <= MOST) {
                problems.add(String.valueOf(e.getMessage()));
            }
        }
    }

    private void read(Statements connection, String type, List<Kept> kept) throws SQLException {
        StringBuilder columns = new StringBuilder(Names.ID);
        kept.forEach(one -> columns.append(", ").append(Names.column(one.name())));
        String table = names.table(type);
        TupleType<?> known = find(type, kept);
        List<Integer> places = known == null ? List.of() : RecordClasses.places(known, kept);
        String dead = " NOT IN (SELECT id FROM " + names.transactions() + ")";
        try {
            connection.atOneMoment(own -> {
                long[] last = {0};
                own.each("SELECT " + columns + " FROM " + table, List.of(), row -> {
                    @Nullable Object[] values = new @Nullable Object[kept.size()];
                    for (int i = 0; i < values.length; i++) {
                        values[i] = Values.read(row, 2 + i, kept.get(i).kind());
                    }
                    long id = row.getLong(1);
                    if (known != null) {
                        decode(known, id, RecordClasses.fit(known, places, values));
                    }
                    last[0] = Math.max(last[0], id);
                    return tuples++;
                });
                long lost = 0;
                for (String mark : List.of(Names.WRITER, Names.TAKER)) {
                    lost += own.number(
                            "SELECT count(*) FROM " + table + " WHERE " + mark + " IS NOT NULL AND " + mark + dead);
                }
                if (lost > 0) {
                    problems.add("transactions that do not exist hold " + lost + " of the tuples of " + type);
                }
                if (last[0] > own.number("SELECT last_value FROM " + names.ids())) {
                    problems.add("tuple " + last[0] + " of " + type
                            + " has a number that will be given again: restore the sequences too");
                }
                return true;
            });
        } catch (SQLException e) {
            if (ServerErrors.isConnection(e) || ServerErrors.isDenied(e)) {
                throw e;
            }
            problems.add(type + ": " + e.getMessage());
        }
    }
}
