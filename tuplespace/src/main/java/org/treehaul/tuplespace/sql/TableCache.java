// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sql;

import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.tuple.TupleType;

/**
 * The tables that are known to exist and to fit their record classes, so that operations need not query the database
 * for them.
 *
 * @param <T> the class of a table
 */
public final class TableCache<T> {
    private final Map<Class<?>, T> tables = new ConcurrentHashMap<>();
    /** Those that the present transaction has found or made. Guarded by the lock under which the store is changed. */
    private final Map<Class<?>, T> newTables = new HashMap<>();

    /** Finds or makes the table of a type. */
    @FunctionalInterface
    public interface Source<T> {
        T get(TupleType<?> type) throws SQLException;
    }

    /** Returns the table of a type if it is known to all. */
    public @Nullable T known(TupleType<?> type) {
        return tables.get(type.recordClass());
    }

    /** Remembers a table that was committed. */
    public void add(TupleType<?> type, T table) {
        tables.put(type.recordClass(), table);
    }

    /** Returns the table of a type within a step; one from the source is known to all after the commit. */
    public T inStep(TupleType<?> type, Source<T> source) throws SQLException {
        T known = tables.get(type.recordClass());
        known = known == null ? newTables.get(type.recordClass()) : known;
        if (known == null) {
            known = source.get(type);
            newTables.put(type.recordClass(), known);
        }
        return known;
    }

    /** Ends a transaction that was committed. */
    public void committed() {
        tables.putAll(newTables);
        newTables.clear();
    }

    /** Ends a transaction that was rolled back. */
    public void forgetNew() {
        newTables.clear();
    }
}
