// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.postgresql.connection.Pool;
import org.treehaul.tuplespace.postgresql.connection.ServerErrors;
import org.treehaul.tuplespace.postgresql.connection.Statements;
import org.treehaul.tuplespace.postgresql.sql.Access;
import org.treehaul.tuplespace.postgresql.sql.CopyText;
import org.treehaul.tuplespace.postgresql.sql.Names;
import org.treehaul.tuplespace.postgresql.sql.Schema;
import org.treehaul.tuplespace.postgresql.sql.Table;
import org.treehaul.tuplespace.store.BulkLoad;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.StoreOptions;
import org.treehaul.tuplespace.tuple.TupleType;

/** Fills a new space in one transaction of the server, which makes its tables, copies the tuples, then indexes them. */
final class PostgresLoad implements BulkLoad {
    /** Tuples of one class that are copied at once. */
    private static final int PORTION = 2000;

    private final Pool pool;
    private final Names names;
    private final Schema schema;
    private final Statements connection;
    private final Map<TupleType<?>, List<Record>> waiting = new LinkedHashMap<>();
    private final Map<TupleType<?>, Table> tables = new LinkedHashMap<>();
    private long count;
    private boolean isOver;

    PostgresLoad(Pool pool, Names names, StoreOptions options) {
        this.pool = pool;
        this.names = names;
        schema = new Schema(names, options, Access.PLAIN);
        Statements opened = null;
        try {
            opened = pool.borrow();
            opened.begin();
            PostgresProvider.lock(opened, names);
            if (Schema.version(opened, names, pool.server()) > 0) {
                throw new SpaceException(Reason.IO, pool.server() + " exists already");
            }
            schema.upgrade(opened, 0, pool.server());
            connection = opened;
        } catch (SQLException e) {
            fail(opened, e);
            throw ServerErrors.of(pool.server(), e);
        } catch (RuntimeException e) {
            fail(opened, e);
            throw e;
        }
    }

    private void fail(@Nullable Statements opened, Throwable reason) {
        Writer.discard(opened, reason);
        pool.close();
    }

    @Override
    public void add(Record tuple) {
        addAll(List.of(tuple));
    }

    @Override
    public synchronized void addAll(Collection<? extends Record> tuples) {
        for (Record tuple : tuples) {
            TupleType<?> type = TupleType.of(tuple);
            type.check(tuple);
            List<Record> same = waiting.computeIfAbsent(type, one -> new ArrayList<>());
            same.add(type.copyOf(tuple));
            if (same.size() >= PORTION) {
                copy(type, same);
            }
        }
    }

    private void copy(TupleType<?> type, List<Record> tuples) {
        if (isOver) {
            throw new SpaceException(Reason.CLOSED, "the load is over");
        }
        try {
            Table table = tables.get(type);
            if (table == null) {
                schema.ensure(connection, type, false);
                table = Table.of(names, type, false);
                tables.put(type, table);
            }
            try (CopyText copy = CopyText.into(table, connection)) {
                for (Record tuple : tuples) {
                    copy.add(++count, Store.NEVER, Store.NONE, tuple);
                }
                copy.finish();
            }
            tuples.clear();
        } catch (SQLException e) {
            throw ServerErrors.of(pool.server(), e);
        }
    }

    @Override
    public synchronized long finish() {
        waiting.forEach((type, tuples) -> {
            if (!tuples.isEmpty()) {
                copy(type, tuples);
            }
        });
        try {
            for (TupleType<?> type : tables.keySet()) {
                schema.indexes(connection, type);
                connection.run("ANALYZE " + names.table(type.name()));
            }
            connection.number("SELECT setval(?::regclass, ?)", names.ids(), count + 1);
            connection.commit();
            isOver = true;
            connection.close();
            pool.close();
            return count;
        } catch (SQLException e) {
            throw ServerErrors.of(pool.server(), e);
        }
    }

    @Override
    public synchronized void close() {
        if (!isOver) {
            isOver = true;
            fail(connection, new IllegalStateException("the load is discarded"));
        }
    }
}
