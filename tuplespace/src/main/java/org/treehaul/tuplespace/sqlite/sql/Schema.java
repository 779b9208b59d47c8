// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite.sql;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.sqlite.connection.SqliteConnection;
import org.treehaul.tuplespace.store.RecordClasses;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;
import org.treehaul.tuplespace.store.StoreOptions;
import org.treehaul.tuplespace.store.StoredClass;
import org.treehaul.tuplespace.tuple.Component;
import org.treehaul.tuplespace.tuple.Kind;
import org.treehaul.tuplespace.tuple.TupleType;

/** Creates the tables, and adapts them to record classes that have gained or lost components. */
public final class Schema {

    private Schema() {}

    /** Throws if the file is not a space, or is one of an unknown version. */
    public static void check(SqliteConnection connection, Path file) throws SQLException {
        long application = connection.number("PRAGMA application_id");
        long version = connection.number("PRAGMA user_version");
        if (application != Names.APPLICATION) {
            throw new SpaceException(Reason.DAMAGED, file + " is not a tuple space");
        } else if (version < Names.WITHOUT_SUMS || version > Names.WITH_SHARED) {
            throw new SpaceException(Reason.VERSION,
                    file + " is a tuple space of version " + version + "; this is version " + Names.WITH_SHARED);
        }
    }

    /** Returns whether a file is of version 1, whose tuples have no checksums. */
    public static boolean isWithoutSums(SqliteConnection connection) throws SQLException {
        return connection.number("PRAGMA user_version") == Names.WITHOUT_SUMS;
    }

    /** Upgrades a file of version 1, within a write transaction: tuples written from now on have checksums. */
    public static void upgrade(SqliteConnection connection) throws SQLException {
        if (isWithoutSums(connection)) {
            List<String> types = new ArrayList<>();
            connection.each("SELECT name FROM " + Names.TYPES, List.of(), row -> types.add(row.getString(1)));
            for (String type : types) {
                connection.run("ALTER TABLE " + Names.quote(type) + " ADD COLUMN " + Names.CHECK + " INTEGER");
            }
            connection.run("CREATE TABLE " + Names.quote(Names.UPGRADED) + "(version INTEGER NOT NULL)");
            connection.run("PRAGMA user_version = " + Names.VERSION);
        }
    }

    public static void create(SqliteConnection connection) throws SQLException {
        connection.run("PRAGMA application_id = " + Names.APPLICATION);
        connection.run("PRAGMA user_version = " + Names.VERSION);
        connection
                .run("CREATE TABLE " + Names.TYPES + "(name TEXT PRIMARY KEY, components TEXT NOT NULL) WITHOUT ROWID");
        connection.run("CREATE TABLE " + Names.COUNTER + "(last INTEGER NOT NULL)");
        connection.run("INSERT INTO " + Names.COUNTER + " VALUES (0)");
        connection.run("CREATE TABLE " + Names.TRANSACTIONS + "(id INTEGER PRIMARY KEY, expires INTEGER NOT NULL)");
        connection.run(
                "CREATE TABLE " + Names.READS + "(tuple INTEGER, tx INTEGER, PRIMARY KEY(tuple, tx)) WITHOUT ROWID");
        connection.run(
                "CREATE TABLE " + Names.WATCHERS + "(id TEXT PRIMARY KEY, expires INTEGER NOT NULL) WITHOUT ROWID");
        connection.run(
                "CREATE TABLE " + Names.CHANGES + "(sequence INTEGER PRIMARY KEY AUTOINCREMENT, origin TEXT NOT NULL,"
                        + " kind TEXT NOT NULL, type TEXT NOT NULL, tuple BLOB NOT NULL)");
    }

    /** Returns the stored components of a record class; null if the file has no table for it. */
    public static @Nullable List<RecordClasses.Kept> kept(SqliteConnection connection, String type)
            throws SQLException {
        String text = connection.first("SELECT components FROM " + Names.TYPES + " WHERE name = ?", List.of(type),
                row -> row.getString(1));
        return text == null ? null : RecordClasses.parse(text);
    }

    /** Returns the quoted names of the tables of tuples, by the names of the record classes. */
    public static Map<String, String> tables(SqliteConnection connection) throws SQLException {
        Map<String, String> tables = new LinkedHashMap<>();
        connection.each("SELECT name FROM " + Names.TYPES, List.of(),
                row -> tables.put(row.getString(1), Names.quote(row.getString(1))));
        Layout.addTo(tables, connection);
        return tables;
    }

    /** Returns the record classes of which the file has tables. */
    public static List<StoredClass> recordClasses(SqliteConnection connection) throws SQLException {
        Map<String, String> texts = new LinkedHashMap<>();
        connection.each("SELECT name, components FROM " + Names.TYPES, List.of(), row -> {
            texts.put(row.getString(1), row.getString(2));
            return true;
        });
        List<StoredClass> classes = new ArrayList<>();
        for (Map.Entry<String, String> text : texts.entrySet()) {
            Set<String> required = new HashSet<>();
            connection.each("SELECT name FROM pragma_table_info(?) WHERE \"notnull\"",
                    List.of(Layout.of(connection, text.getKey()).tableName()), row -> required.add(row.getString(1)));
            classes.add(new StoredClass(text.getKey(), RecordClasses.parse(text.getValue())
                    .stream()
                    .map(kept -> new StoredClass.Part(kept.name(), kept.kind(), !required.contains(kept.name())))
                    .toList()));
        }
        return classes;
    }

    /** Creates the table of a type, or adds the components that it has gained. Called within a write transaction. */
    public static void ensure(SqliteConnection connection, TupleType<?> type, StoreOptions options, boolean withIndexes)
            throws SQLException {
        List<RecordClasses.Kept> kept = kept(connection, type.name());
        Layout layout = kept == null ? Layout.of(type, options) : Layout.of(connection, type.name());
        String table = layout.table();
        if (kept == null) {
            Set<String> names = new HashSet<>();
            StringBuilder sql = new StringBuilder("CREATE TABLE ").append(table).append("(");
            sql.append(Names.ID).append(" INTEGER PRIMARY KEY");
            for (Component component : type.components()) {
                if (!names.add(component.name().toLowerCase(Locale.ROOT))) {
                    throw new IllegalArgumentException(type.name() + " has two components that differ only in case: "
                            + component.name() + "; a durable space cannot keep them apart");
                }
                sql.append(", ").append(column(component, layout));
            }
            for (String column : List.of(Names.EXPIRES, Names.WRITER, Names.TAKER, Names.CHECK)) {
                sql.append(", ").append(column).append(" INTEGER");
            }
            connection.run(sql.append(")").toString());
            layout.make(connection, type);
            if (withIndexes) {
                indexes(connection, type, options);
            }
        } else {
            List<Integer> places = RecordClasses.places(type, kept);
            for (int i = 0; i < places.size(); i++) {
                if (places.get(i) < 0) {
                    connection.run("ALTER TABLE " + table + " ADD COLUMN " + column(type.components().get(i), layout));
                }
            }
        }
        layout.show(connection);
        connection.update(
                "INSERT INTO " + Names.TYPES
                        + " VALUES (?, ?) ON CONFLICT DO UPDATE SET components = excluded.components",
                type.name(), RecordClasses.text(type, kept));
    }

    public static String indexName(StoreOptions.Index index) {
        return index.type().getName() + " by " + String.join(" ", index.components());
    }

    /** Returns the column's declaration. Primitives are never absent: rows of other versions without a value have 0. */
    private static String column(Component component, Layout layout) {
        Kind kind = layout.isShared(component.name()) ? Kind.INTEGER : component.kind();
        return Names.quote(component.name()) + " " + kind
                + (component.type().isPrimitive() ? " NOT NULL DEFAULT 0" : "");
    }

    /**
     * Creates missing indexes of the leased tuples and of those in transactions. They are tiny, so they are best made
     * before a table is filled: SQLite reads the whole table for each.
     */
    public static void smallIndexes(SqliteConnection connection, TupleType<?> type) throws SQLException {
        String table = Layout.of(connection, type.name()).table();
        for (String column : List.of(Names.EXPIRES, Names.WRITER, Names.TAKER)) {
            connection.run("CREATE INDEX IF NOT EXISTS " + Names.quote(type.name() + " " + column) + " ON " + table
                    + "(" + column + ") WHERE " + column + " IS NOT NULL");
        }
    }

    /** Creates missing indexes: the small ones and those that the options ask for. */
    public static void indexes(SqliteConnection connection, TupleType<?> type, StoreOptions options)
            throws SQLException {
        smallIndexes(connection, type);
        String table = Layout.of(connection, type.name()).table();
        for (StoreOptions.Index index : options.indexes()) {
            if (RecordClasses.isOf(index, type)) {
                List<String> columns = index.components().stream().map(Names::quote).toList();
                connection.run("CREATE INDEX IF NOT EXISTS " + Names.quote(indexName(index)) + " ON " + table + "("
                        + String.join(", ", columns) + ")");
            }
        }
    }
}
