// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite;

import java.sql.SQLException;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.sql.TableCache;
import org.treehaul.tuplespace.sqlite.connection.SqliteConnection;
import org.treehaul.tuplespace.sqlite.sql.Schema;
import org.treehaul.tuplespace.sqlite.sql.Table;
import org.treehaul.tuplespace.store.RecordClasses;
import org.treehaul.tuplespace.store.StoreOptions;
import org.treehaul.tuplespace.tuple.TupleType;

/** A cache of the tables of a space, so that operations need not query the file for them. */
final class KnownTables {
    private final SqliteConnection connection;
    private final StoreOptions options;
    private final TableCache<Table> cache = new TableCache<>();
    // Guarded by the lock of the writer.
    private Map<String, String> tables = Map.of();

    KnownTables(SqliteConnection connection, StoreOptions options) {
        this.connection = connection;
        this.options = options;
    }

    /**
     * Returns the quoted names of the tables of all record classes that have or had tuples, by the names of the
     * classes. Called within a step.
     */
    Map<String, String> all() {
        return tables;
    }

    /** Reloads the names within a transaction of SQLite, after another process has changed the file. */
    void reloadNames() throws SQLException {
        tables = Schema.tables(connection);
    }

    void committed() {
        cache.committed();
    }

    void forgetNew() {
        cache.forgetNew();
    }

    /** Returns the table of a type; creates it if absent. Called within a step. */
    Table toWrite(TupleType<?> type) throws SQLException {
        return cache.inStep(type, absent -> {
            var kept = Schema.kept(connection, type.name());
            if (kept == null || !RecordClasses.fits(type, kept)) {
                Schema.ensure(connection, type, options, true);
                reloadNames();
            }
            return Table.of(connection, type);
        });
    }

    /**
     * Returns the table of a type, null if there is none. A table of another version is upgraded first, by the caller.
     */
    @Nullable Table toRead(SqliteConnection reader, TupleType<?> type, TableCache.Source<Table> fitting) throws SQLException {
        Table known = cache.known(type);
        if (known != null) {
            return known;
        }
        var kept = Schema.kept(reader, type.name());
        if (kept == null) {
            return null;
        }
        if (!RecordClasses.fits(type, kept)) {
            return fitting.get(type);
        }
        Table found = Table.of(reader, type);
        if (reader != connection) {
            cache.add(type, found);
        }
        return found;
    }
}
