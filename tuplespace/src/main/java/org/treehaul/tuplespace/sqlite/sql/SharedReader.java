// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite.sql;

import java.sql.SQLException;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.sql.Canonical;
import org.treehaul.tuplespace.sqlite.connection.SqliteConnection;
import org.treehaul.tuplespace.tuple.Condition;
import org.treehaul.tuplespace.tuple.Kind;

/**
 * Finds the shared values of a component by the numbers in rows, and remembers some: rows that follow each other mostly
 * have the same value, so that a join would look it up again for each row. For one thread, while it reads one state of
 * the file.
 */
public final class SharedReader {
    /** Directories whose entries a walk by several threads may have written in turn, and more. */
    private static final int KNOWN = 64;
    /** Values that are looked at to judge all of them: a lookup takes some microseconds. */
    private static final int SAMPLES = 64;

    private final SqliteConnection connection;
    private final String find;
    private final Kind kind;
    private final long[] numbers = new long[KNOWN];
    private final @Nullable Object[] values = new @Nullable Object[KNOWN];

    /** Starts with no value known. */
    public SharedReader(SqliteConnection connection, Table table, String component) {
        this.connection = connection;
        find = "SELECT " + Names.VALUE + " FROM " + table.layout().values(component) + " WHERE " + Names.NUMBER
                + " = ?";
        kind = table.type().component(component).kind();
    }

    /** Returns whether about a quarter of the shared values, or more, meet a condition on their component. */
    public static boolean areManyMet(SqliteConnection connection, Table table, Condition condition)
            throws SQLException {
        String values = table.layout().values(condition.component());
        Kind kind = table.type().component(condition.component()).kind();
        long last = connection.number("SELECT max(" + Names.NUMBER + ") FROM " + values);
        int met = 0;
        for (int i = 0; i < SAMPLES; i++) {
            Object value = connection.first(
                    "SELECT " + Names.VALUE + " FROM " + values + " WHERE " + Names.NUMBER + " >= ? ORDER BY "
                            + Names.NUMBER + " LIMIT 1",
                    List.of(1 + last * i / SAMPLES), row -> Canonical.read(row, 1, kind));
            met += condition.isMetBy(value) ? 1 : 0;
        }
        return met * 4 >= SAMPLES;
    }

    /** Returns the canonical value with a number; null if there is none, or the number is 0. */
    public @Nullable Object value(long number) throws SQLException {
        int at = (int) (number % KNOWN);
        if (numbers[at] != number) {
            values[at] = connection.first(find, List.of(number), row -> Canonical.read(row, 1, kind));
            numbers[at] = number;
        }
        return values[at];
    }
}
