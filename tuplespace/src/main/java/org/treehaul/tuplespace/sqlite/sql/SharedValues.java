// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite.sql;

import java.sql.SQLException;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.sqlite.connection.SqliteConnection;

/**
 * Replaces shared values by their numbers while tuples are added to a table, within a transaction in which nothing is
 * removed: tuples that follow each other often have the same value, whose number it remembers. For one thread at a
 * time.
 */
public final class SharedValues {
    private final SqliteConnection connection;
    private final List<Values> shared;

    /** Starts with no value known. */
    public SharedValues(SqliteConnection connection, Table table) {
        this.connection = connection;
        Layout layout = table.layout();
        // A component that the record class has lost is absent in new tuples.
        shared = layout.shared()
                .stream()
                .filter(table.type()::has)
                .map(component -> new Values(table.type().indexOf(component), layout.values(component)))
                .toList();
    }

    /** Replaces the shared ones of a tuple's canonical values. */
    void replace(@Nullable Object[] values) throws SQLException {
        for (int i = 0; i < shared.size(); i++) {
            Values one = shared.get(i);
            Object value = values[one.place];
            if (value != null) {
                values[one.place] = one.number(value);
            }
        }
    }

    /** The values of one component. */
    private final class Values {
        private final int place;
        private final String table;
        private final String find;
        private final String insert;
        private @Nullable Object last;
        private long number;
        /** The highest number in the table; negative if unknown. */
        private long highest = -1;
        /** Whether the last value that was not known here was new in the table: then the next probably is, too. */
        private boolean isFilling;

        Values(int place, String table) {
            this.place = place;
            this.table = table;
            find = "SELECT " + Names.NUMBER + " FROM " + table + " WHERE " + Names.VALUE + " = ?";
            insert = "INSERT INTO " + table + " VALUES (?, ?) ON CONFLICT (" + Names.VALUE + ") DO NOTHING";
        }

        long number(Object value) throws SQLException {
            if (!value.equals(last)) {
                long found = isFilling ? add(value) : find(value);
                if (found == 0) {
                    isFilling = !isFilling;
                    found = isFilling ? add(value) : find(value);
                }
                number = found;
                last = value;
            }
            return number;
        }

        /** Returns the number of a value; 0 if the table does not have it. */
        private long find(Object value) throws SQLException {
            return connection.number(find, value);
        }

        /** Adds a value and returns its number, at least 1; returns 0 if the table has it already. */
        private long add(Object value) throws SQLException {
            if (highest < 0) {
                highest = connection.number("SELECT max(" + Names.NUMBER + ") FROM " + table);
            }
            if (connection.update(insert, highest + 1, value) == 0) {
                return 0;
            }
            return ++highest;
        }
    }
}
