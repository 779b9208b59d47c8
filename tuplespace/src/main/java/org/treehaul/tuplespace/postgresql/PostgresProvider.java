// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql;

import java.sql.SQLException;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.postgresql.connection.Environment;
import org.treehaul.tuplespace.postgresql.connection.Pool;
import org.treehaul.tuplespace.postgresql.connection.Pools;
import org.treehaul.tuplespace.postgresql.connection.ServerAddress;
import org.treehaul.tuplespace.postgresql.connection.ServerErrors;
import org.treehaul.tuplespace.postgresql.connection.Statements;
import org.treehaul.tuplespace.postgresql.sql.Access;
import org.treehaul.tuplespace.postgresql.sql.Locks;
import org.treehaul.tuplespace.postgresql.sql.Names;
import org.treehaul.tuplespace.postgresql.sql.Schema;
import org.treehaul.tuplespace.store.BulkLoad;
import org.treehaul.tuplespace.store.Inspection;
import org.treehaul.tuplespace.store.Recovery;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;
import org.treehaul.tuplespace.store.SpaceMembers;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.StoreListener;
import org.treehaul.tuplespace.store.StoreOptions;
import org.treehaul.tuplespace.store.StoreProvider;
import org.treehaul.tuplespace.tuple.TupleType;

/** Keeps spaces in schemas of PostgreSQL databases. Loads the driver only when a space is opened. */
public final class PostgresProvider implements StoreProvider {

    @Override
    public boolean accepts(SpaceUri uri) {
        return uri.scheme().equals("postgresql") || uri.scheme().equals("postgres");
    }

    private static ServerAddress address(SpaceUri uri) {
        return ServerAddress.of(uri, Environment.ofProcess());
    }

    @Override
    public boolean exists(SpaceUri uri) {
        ServerAddress server = address(uri);
        try (Pool pool = Pools.open(server, StoreOptions.defaults().patience())) {
            return pool.read(connection -> Schema.version(connection, new Names(server.schema()), server) > 0);
        }
    }

    @Override
    public long bytes(SpaceUri uri) {
        ServerAddress server = address(uri);
        try (Pool pool = Pools.open(server, StoreOptions.defaults().patience())) {
            return pool.read(connection -> connection.number(
                    "SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE"
                            + " relkind IN ('r', 'S') AND relnamespace = to_regnamespace(?)",
                    Names.quote(server.schema())));
        }
    }

    @Override
    public Store open(SpaceUri uri, StoreOptions options, StoreListener listener) {
        return open(address(uri), options, listener, false);
    }

    @Override
    public Store openToRead(SpaceUri uri, StoreOptions options, StoreListener listener) {
        return open(address(uri), options, listener, true);
    }

    @Override
    public BulkLoad load(SpaceUri uri, StoreOptions options) {
        ServerAddress server = address(uri);
        return new PostgresLoad(Pools.open(server, options.patience()), new Names(server.schema()), options);
    }

    @Override
    public SpaceMembers members(SpaceUri uri) {
        return new PostgresMembers(address(uri));
    }

    @Override
    public Inspection check(SpaceUri uri) {
        ServerAddress server = address(uri);
        Names names = new Names(server.schema());
        try (Pool pool = Pools.open(server, StoreOptions.defaults().patience())) {
            if (pool.read(connection -> Schema.version(connection, names, server)) == 0) {
                throw absent(server);
            }
            return new PostgresInspector(pool, names).run();
        }
    }

    @Override
    public Recovery recover(SpaceUri damaged, SpaceUri target, StoreOptions options) {
        throw new SpaceException(Reason.UNSUPPORTED,
                "a tuple space of a server is not recovered from its damaged files:"
                        + " restore a backup of the schema, such as one by pg_dump -n " + address(damaged).schema());
    }

    private static SpaceException absent(ServerAddress server) {
        return new SpaceException(Reason.ABSENT, "there is no tuple space at " + server);
    }

    private static Store open(ServerAddress server, StoreOptions options, StoreListener listener, boolean isToRead) {
        Pool pool = Pools.open(server, options.patience());
        boolean isOpen = false;
        try {
            Names names = new Names(server.schema());
            int version = pool.read(connection -> Schema.version(connection, names, server));
            if (version == 0 && isToRead) {
                throw absent(server);
            }
            if (version < Schema.VERSION && isToRead) {
                throw new SpaceException(Reason.VERSION, server + " is a tuple space of version " + version
                        + "; a role that may change it has to open it once");
            }
            Access access = pool.read(connection -> Access.of(connection, names));
            if (!isToRead && access.mayWrite()) {
                Statements.uninterrupted(() -> {
                    prepare(pool, names, options, version, access);
                    return true;
                });
            }
            int schema = pool.read(connection -> (int) connection.number("SELECT to_regnamespace(?)::oid::bigint",
                    Names.quote(names.schema())));
            Writer writer = new Writer(pool, names, new Locks(schema), options, listener, access, isToRead);
            Store store = new PostgresStore(writer, options, listener);
            isOpen = true;
            return store;
        } finally {
            if (!isOpen) {
                pool.close();
            }
        }
    }

    /** Makes or upgrades the space and makes missing indexes, unless another process does. */
    private static void prepare(Pool pool, Names names, StoreOptions options, int version, Access access) {
        ServerAddress server = pool.server();
        Schema schema = new Schema(names, options, access);
        if (version == Schema.VERSION && pool.read(connection -> !lacksIndex(connection, schema, options))) {
            return;
        }
        Statements connection = null;
        try {
            connection = pool.borrow();
            connection.begin();
            lock(connection, names);
            int now = Schema.version(connection, names, server);
            if (now < Schema.VERSION) {
                schema.upgrade(connection, now, server);
            }
            for (StoreOptions.Index index : options.indexes()) {
                if (schema.kept(connection, index.type().getName()) != null) {
                    schema.ensure(connection, TupleType.of(index.type()), true);
                    schema.indexes(connection, TupleType.of(index.type()));
                }
            }
            connection.commit();
            connection.close();
        } catch (SQLException e) {
            Writer.discard(connection, e);
            if (version == Schema.VERSION && ServerErrors.isDenied(e)) {
                // Only the owner of the tables can index them, and the answers are the same without.
                return;
            }
            if (version > 0 && version < Schema.VERSION && ServerErrors.isDenied(e)) {
                throw new SpaceException(Reason.VERSION, server + " is a tuple space of version " + version
                        + "; the role that owns its tables has to open it once", e);
            }
            throw ServerErrors.of(server, e);
        } catch (RuntimeException e) {
            Writer.discard(connection, e);
            throw e;
        }
    }

    private static boolean lacksIndex(Statements connection, Schema schema, StoreOptions options) throws SQLException {
        for (StoreOptions.Index index : options.indexes()) {
            if (schema.kept(connection, index.type().getName()) != null && schema.lacks(connection, index)) {
                return true;
            }
        }
        return false;
    }

    /** Takes the lock under which a space is made, until the transaction ends. */
    static void lock(Statements connection, Names names) throws SQLException {
        @Nullable Object row = connection.first("SELECT 1 FROM pg_advisory_xact_lock(hashtextextended(?, 0))",
                List.of("treehaul " + names.schema()), one -> true);
        if (row == null) {
            throw new IllegalStateException("no lock");
        }
    }
}
