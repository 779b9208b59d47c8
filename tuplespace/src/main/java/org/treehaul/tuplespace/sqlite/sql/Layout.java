// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite.sql;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.treehaul.tuplespace.sqlite.connection.SqliteConnection;
import org.treehaul.tuplespace.store.StoreOptions;
import org.treehaul.tuplespace.tuple.TupleType;

/**
 * The tables in which a file keeps the tuples of a record class. Usually it is one, with the name of the class. If
 * tuples share the values of some components, a table for each such component has the values with their numbers, and
 * the table of the tuples, under another name, has the numbers only; a view with the name of the class shows the tuples
 * with their values. A trigger removes the values that no tuple has any more.
 *
 * @param type name of the record class
 * @param shared components whose values are shared, in the order of their names
 */
public record Layout(String type, List<String> shared) {
    private static final String ROWS = " $rows";
    private static final String VALUES = " $values ";
    private static final String UNUSED = " $unused ";

    /** Returns the layout of a record class that is new in a file. */
    static Layout of(TupleType<?> type, StoreOptions options) {
        return new Layout(type.name(),
                options.shared()
                        .stream()
                        .filter(one -> one.type().getName().equals(type.name()) && type.has(one.component()))
                        .map(StoreOptions.Shared::component)
                        .sorted()
                        .distinct()
                        .toList());
    }

    /** Returns the layout that a file has for a record class, also if that is new. */
    static Layout of(SqliteConnection connection, String type) throws SQLException {
        List<String> shared = new ArrayList<>();
        connection.each(
                "SELECT substr(name, length(?1) + 1) AS component FROM sqlite_schema WHERE type = 'table'"
                        + " AND substr(name, 1, length(?1)) = ?1 ORDER BY component",
                List.of(type + VALUES), row -> shared.add(row.getString(1)));
        return new Layout(type, List.copyOf(shared));
    }

    /** Replaces, by record class, the names of tables of tuples that share values. */
    static void addTo(Map<String, String> tables, SqliteConnection connection) throws SQLException {
        connection.each("SELECT name FROM sqlite_schema WHERE type = 'table' AND substr(name, ?) = ?",
                List.of((long) -ROWS.length(), ROWS), row -> {
                    String table = row.getString(1);
                    return tables.replace(table.substring(0, table.length() - ROWS.length()), Names.quote(table));
                });
    }

    /** Returns the name of the table of the tuples, not quoted. */
    String tableName() {
        return shared.isEmpty() ? type : type + ROWS;
    }

    /** Returns the quoted name of the table of the tuples. */
    String table() {
        return Names.quote(tableName());
    }

    boolean isShared(String component) {
        return shared.contains(component);
    }

    /** Returns the quoted name of the table of a component's values. */
    String values(String component) {
        return Names.quote(type + VALUES + component);
    }

    /**
     * Returns the tables after FROM in which {@link #column} is each component's value.
     *
     * @param hint words after the table of the tuples, with a space before them; may be empty
     */
    String from(String hint) {
        StringBuilder from = new StringBuilder(table()).append(hint);
        for (String component : shared) {
            // Not an inner join, which would hide tuples whose value is damaged.
            from.append(" LEFT JOIN ").append(values(component)).append(" AS ").append(alias(component));
            from.append(" ON ").append(alias(component)).append('.').append(Names.NUMBER).append(" = ");
            from.append(table()).append('.').append(Names.quote(component));
        }
        return from.toString();
    }

    /** Returns the SQL for the value of a component. */
    String column(String component) {
        return isShared(component) ? alias(component) + "." + Names.VALUE : Names.quote(component);
    }

    private static String alias(String component) {
        return Names.quote("$" + component);
    }

    /** Creates what shared values need, after the table of the tuples. Called within a write transaction. */
    void make(SqliteConnection connection, TupleType<?> of) throws SQLException {
        for (String component : shared) {
            connection.run("CREATE TABLE " + values(component) + "(" + Names.NUMBER + " INTEGER PRIMARY KEY, "
                    + Names.VALUE + " " + of.component(component).kind() + " NOT NULL UNIQUE)");
            String column = Names.quote(component);
            connection.run("CREATE TRIGGER " + Names.quote(type + UNUSED + component) + " AFTER DELETE ON " + table()
                    + " WHEN OLD." + column + " IS NOT NULL AND NOT EXISTS (SELECT 1 FROM " + table() + " WHERE "
                    + column + " = OLD." + column + ") BEGIN DELETE FROM " + values(component) + " WHERE "
                    + Names.NUMBER + " = OLD." + column + "; END");
        }
        if (!shared.isEmpty()) {
            connection.run("PRAGMA user_version = " + Names.WITH_SHARED);
        }
    }

    /** Creates the view, with all columns that the table of the tuples has now. */
    void show(SqliteConnection connection) throws SQLException {
        if (shared.isEmpty()) {
            return;
        }
        List<String> columns = new ArrayList<>();
        connection.each("SELECT name FROM pragma_table_info(?)", List.of(tableName()),
                row -> columns.add(column(row.getString(1)) + " AS " + Names.quote(row.getString(1))));
        String view = Names.quote(type);
        connection.run("DROP VIEW IF EXISTS " + view);
        connection.run("CREATE VIEW " + view + " AS SELECT " + String.join(", ", columns) + " FROM " + from(""));
    }
}
