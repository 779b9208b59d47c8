// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.postgresql.connection.Statements;
import org.treehaul.tuplespace.postgresql.sql.Access;
import org.treehaul.tuplespace.postgresql.sql.Heads;
import org.treehaul.tuplespace.postgresql.sql.Locks;
import org.treehaul.tuplespace.postgresql.sql.Names;
import org.treehaul.tuplespace.postgresql.sql.Schema;
import org.treehaul.tuplespace.postgresql.sql.Table;
import org.treehaul.tuplespace.sql.TableCache;
import org.treehaul.tuplespace.store.RecordClasses;
import org.treehaul.tuplespace.store.StoreOptions;
import org.treehaul.tuplespace.tuple.TupleType;

/** A cache of the tables of a space, so that operations need not ask the server for them. */
final class KnownTables {
    private final Names names;
    private final Locks locks;
    private final Schema schema;
    private final Access access;
    private final StoreOptions options;
    private final TableCache<Table> cache = new TableCache<>();
    private final Map<Class<?>, Set<String>> heads = new ConcurrentHashMap<>();

    KnownTables(Names names, Locks locks, StoreOptions options, Access access) {
        this.names = names;
        this.locks = locks;
        this.access = access;
        this.options = options;
        schema = new Schema(names, options, access);
    }

    /** Returns the names of the record classes that have or had tuples. */
    List<String> types(Statements connection) throws SQLException {
        List<String> found = new ArrayList<>();
        connection.each("SELECT name FROM " + names.types() + " ORDER BY name", List.of(),
                row -> found.add(row.getString(1)));
        return found;
    }

    /** Returns the components of a type of which the indexes have {@link Heads}. */
    Set<String> heads(TupleType<?> type) {
        return heads.computeIfAbsent(type.recordClass(), one -> Heads.of(options, type));
    }

    /** Returns the table of a type if that is known without asking the server. */
    @Nullable Table known(TupleType<?> type) {
        return cache.known(type);
    }

    void committed() {
        cache.committed();
    }

    void forgetNew() {
        cache.forgetNew();
    }

    /** Returns the table of a type; makes it if absent. Called within a step. */
    Table toWrite(Statements connection, TupleType<?> type) throws SQLException {
        return cache.inStep(type, absent -> {
            var kept = schema.kept(connection, type.name());
            if (kept == null || !RecordClasses.fits(type, kept)) {
                // Another process may have made it before this one has the lock.
                connection.number(locks.tables());
                kept = schema.kept(connection, type.name());
                if (kept == null || !RecordClasses.fits(type, kept)) {
                    schema.ensure(connection, type, true);
                }
            }
            return table(connection, type);
        });
    }

    /**
     * Returns the table of a type, null if there is none. A table of another version is upgraded first, by the caller.
     *
     * @param isStep whether the connection may see a table that is not committed
     */
    @Nullable Table toRead(Statements connection, TupleType<?> type, boolean isStep, TableCache.Source<Table> fitting)
            throws SQLException {
        Table known = cache.known(type);
        if (known != null) {
            return known;
        }
        var kept = schema.kept(connection, type.name());
        if (kept == null) {
            return null;
        }
        if (!RecordClasses.fits(type, kept)) {
            return fitting.get(type);
        }
        Table found = table(connection, type);
        if (!isStep) {
            cache.add(type, found);
        }
        return found;
    }

    private Table table(Statements connection, TupleType<?> type) throws SQLException {
        return Table.of(names, type, access.isShared(),
                access.isApart() ? Heads.columns(connection, names.table(type.name())) : Map.of());
    }
}
