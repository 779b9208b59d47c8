// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.treehaul.tuplespace.postgresql.connection.Pool;
import org.treehaul.tuplespace.postgresql.connection.ServerErrors;
import org.treehaul.tuplespace.postgresql.connection.Statements;
import org.treehaul.tuplespace.postgresql.connection.Values;
import org.treehaul.tuplespace.postgresql.sql.Names;
import org.treehaul.tuplespace.store.Inspection;
import org.treehaul.tuplespace.store.RecordClasses;
import org.treehaul.tuplespace.store.RecordClasses.Kept;

/**
 * Reads a whole space: finds what the server cannot read, and what is left of a schema that was restored in part or
 * changed by other programs. Each table is read as of one moment.
 */
final class PostgresInspector {
    private final Pool pool;
    private final Names names;
    private final List<String> problems = new ArrayList<>();
    private long tuples;

    PostgresInspector(Pool pool, Names names) {
        this.pool = pool;
        this.names = names;
    }

    Inspection run() {
        Map<String, List<Kept>> types = new HashMap<>();
        pool.read(connection -> {
            connection.each("SELECT name, components FROM " + names.types(), List.of(),
                    row -> types.put(row.getString(1), RecordClasses.parse(row.getString(2))));
            connection.each(
                    "SELECT relname FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid"
                            + " WHERE relnamespace = to_regnamespace(?)::oid AND NOT indisvalid",
                    List.of(Names.quote(names.schema())), row -> problems.add("index " + row.getString(1)
                            + " was not made completely: drop it, and open the space again"));
            return true;
        });
        types.forEach((type, kept) -> pool.read(connection -> {
            if (hasColumns(connection, type, kept)) {
                read(connection, type, kept);
            }
            return true;
        }));
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

    private void read(Statements connection, String type, List<Kept> kept) throws SQLException {
        StringBuilder columns = new StringBuilder(Names.ID);
        kept.forEach(one -> columns.append(", ").append(Names.column(one.name())));
        String table = names.table(type);
        String held = " IS NOT NULL AND %s NOT IN (SELECT id FROM " + names.transactions() + ")";
        try {
            connection.atOneMoment(own -> {
                long[] last = {0};
                own.each("SELECT " + columns + " FROM " + table, List.of(), row -> {
                    for (int i = 0; i < kept.size(); i++) {
                        Values.read(row, 2 + i, kept.get(i).kind());
                    }
                    last[0] = Math.max(last[0], row.getLong(1));
                    return tuples++;
                });
                long lost = 0;
                for (String mark : List.of(Names.WRITER, Names.TAKER)) {
                    lost += own.number("SELECT count(*) FROM " + table + " WHERE " + mark + String.format(held, mark));
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
