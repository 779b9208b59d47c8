// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.sqlite.connection.SqliteConnection;
import org.treehaul.tuplespace.sqlite.sql.Names;
import org.treehaul.tuplespace.sqlite.sql.Schema;
import org.treehaul.tuplespace.sqlite.sql.Table;
import org.treehaul.tuplespace.store.RecordClasses;
import org.treehaul.tuplespace.store.StoreOptions;
import org.treehaul.tuplespace.tuple.TupleType;

/** A cache of the tables of a space, so that operations need not query the file for them. */
final class KnownTables {
    private final SqliteConnection connection;
    private final StoreOptions options;
    /** Tables that exist in the file and fit their record classes. */
    private final Map<Class<?>, Table> tables = new ConcurrentHashMap<>();

    // Guarded by the lock of the writer.
    private final Map<Class<?>, Table> newTables = new HashMap<>();
    private List<String> names = List.of();

    /** Upgrades the table of a type that has gained components. */
    @FunctionalInterface
    interface Fitting {
        Table fit(TupleType<?> type) throws SQLException;
    }

    KnownTables(SqliteConnection connection, StoreOptions options) {
        this.connection = connection;
        this.options = options;
    }

    /** Returns the names of the record classes that have or had tuples. Called within a step. */
    List<String> names() {
        return names;
    }

    /** Reloads the names within a transaction of SQLite, after another process has changed the file. */
    void reloadNames() throws SQLException {
        List<String> found = new ArrayList<>();
        connection.each("SELECT name FROM " + Names.TYPES, List.of(), row -> found.add(row.getString(1)));
        names = found;
    }

    void committed() {
        tables.putAll(newTables);
        newTables.clear();
    }

    void forgetNew() {
        newTables.clear();
    }

    /** Returns the table of a type; creates it if absent. Called within a step. */
    Table toWrite(TupleType<?> type) throws SQLException {
        Table known = tables.get(type.recordClass());
        known = known == null ? newTables.get(type.recordClass()) : known;
        if (known == null) {
            var kept = Schema.kept(connection, type.name());
            if (kept == null || !RecordClasses.fits(type, kept)) {
                Schema.ensure(connection, type, options, true);
                reloadNames();
            }
            known = Table.of(connection, type);
            newTables.put(type.recordClass(), known);
        }
        return known;
    }

    /**
     * Returns the table of a type, null if there is none. A table of another version is upgraded first, by the caller.
     */
    @Nullable Table toRead(SqliteConnection reader, TupleType<?> type, Fitting fitting) throws SQLException {
        Table known = tables.get(type.recordClass());
        if (known != null) {
            return known;
        }
        var kept = Schema.kept(reader, type.name());
        if (kept == null) {
            return null;
        }
        if (!RecordClasses.fits(type, kept)) {
            return fitting.fit(type);
        }
        Table found = Table.of(reader, type);
        if (reader != connection) {
            tables.put(type.recordClass(), found);
        }
        return found;
    }
}
