// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite;

import java.nio.file.Path;
import java.sql.SQLException;

import org.treehaul.tuplespace.sqlite.connection.Connections;
import org.treehaul.tuplespace.sqlite.connection.Errors;
import org.treehaul.tuplespace.sqlite.connection.SpaceFile;
import org.treehaul.tuplespace.sqlite.connection.SqliteConnection;
import org.treehaul.tuplespace.sqlite.file.Inspector;
import org.treehaul.tuplespace.sqlite.file.Journal;
import org.treehaul.tuplespace.sqlite.file.Reserve;
import org.treehaul.tuplespace.sqlite.file.Salvage;
import org.treehaul.tuplespace.sqlite.file.SqliteLoad;
import org.treehaul.tuplespace.sqlite.sql.Schema;
import org.treehaul.tuplespace.store.BulkLoad;
import org.treehaul.tuplespace.store.Inspection;
import org.treehaul.tuplespace.store.Recovery;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.StoreListener;
import org.treehaul.tuplespace.store.StoreOptions;
import org.treehaul.tuplespace.store.StoreProvider;
import org.treehaul.tuplespace.tuple.TupleType;

/** Keeps durable spaces in SQLite files. Loads the driver only when a space is opened. */
public final class SqliteProvider implements StoreProvider {

    @Override
    public boolean accepts(SpaceUri uri) {
        return uri.scheme().equals(SpaceUri.SQLITE);
    }

    @Override
    public boolean exists(SpaceUri uri) {
        return SpaceFile.exists(uri.path());
    }

    @Override
    public long bytes(SpaceUri uri) {
        return SpaceFile.bytes(uri.path());
    }

    @Override
    public Store open(SpaceUri uri, StoreOptions options, StoreListener listener) {
        Path file = make(uri.path(), options);
        try {
            return openFile(file, options, listener);
        } catch (SpaceException e) {
            if (e.reason() != Reason.FULL) {
                throw e;
            }
            // Even the start of the log needs space.
            Reserve.release(file);
            return openFile(file, options, listener);
        }
    }

    /**
     * Creates an empty space and its directory if absent, with access for the owner only, whatever the umask. The file
     * is complete when it gets its name, so an empty file is never a space that is being created.
     */
    private static Path make(Path directory, StoreOptions options) {
        if (!SpaceFile.exists(directory)) {
            try (SqliteLoad empty = new SqliteLoad(directory, options)) {
                empty.finish();
            } catch (SpaceException e) {
                // Another process may have created it first.
                if (!SpaceFile.exists(directory)) {
                    throw e;
                }
            }
        }
        return SpaceFile.requireSafe(directory);
    }

    private static Store openFile(Path file, StoreOptions options, StoreListener listener) {
        SqliteConnection connection = Connections.open(file, options.patience());
        boolean isOpen = false;
        try {
            // Before anything is written to it, because the file may not be a space.
            Schema.check(connection, file);
            boolean isOlder = Schema.isWithoutSums(connection);
            if (isOlder) {
                Inspector.requireWhole(file);
            }
            if (isOlder || hasNoIndex(connection, options)) {
                connection.run("BEGIN IMMEDIATE");
                Schema.check(connection, file);
                Schema.upgrade(connection);
                for (StoreOptions.Index index : options.indexes()) {
                    if (Schema.kept(connection, index.type().getName()) != null) {
                        Schema.ensure(connection, TupleType.of(index.type()), options, true);
                        Schema.indexes(connection, TupleType.of(index.type()), options);
                    }
                }
                connection.run("COMMIT");
            }
            Journal.choose(connection, file);
            new Reserve(file, connection).settle();
            Store store = new SqliteStore(file, options, listener, connection, Journal.isWal(connection), false);
            isOpen = true;
            return store;
        } catch (SQLException e) {
            if (Errors.code(e) == Errors.BUSY) {
                Journal.checkLocks(file);
            }
            throw Errors.of(file, e);
        } finally {
            if (!isOpen) {
                Connections.close(connection, file);
            }
        }
    }

    private static Path existing(Path directory) {
        Path file = SpaceFile.in(directory);
        if (!SpaceFile.exists(directory)) {
            throw new SpaceException(Reason.ABSENT, "there is no tuple space in " + directory);
        }
        SpaceFile.checkContent(file);
        return file;
    }

    @Override
    public Store openToRead(SpaceUri uri, StoreOptions options, StoreListener listener) {
        Path file = existing(uri.path());
        SqliteConnection connection = Connections.openToRead(file);
        boolean isOpen = false;
        try {
            Schema.check(connection, file);
            Store store = new SqliteStore(file, options, listener, connection, Journal.isWal(connection), true);
            isOpen = true;
            return store;
        } catch (SQLException e) {
            throw Errors.of(file, e);
        } finally {
            if (!isOpen) {
                Connections.close(connection, file);
            }
        }
    }

    @Override
    public Inspection check(SpaceUri uri) {
        return new Inspector(existing(uri.path())).run();
    }

    private static boolean hasNoIndex(SqliteConnection connection, StoreOptions options) throws SQLException {
        for (StoreOptions.Index index : options.indexes()) {
            String name = Schema.indexName(index);
            if (connection.number("SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = ?)",
                    name) == 0
                    && connection.number(
                            "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type IN ('table', 'view') AND name = ?)",
                            index.type().getName()) == 1) {
                return true;
            }
        }
        return false;
    }

    @Override
    public BulkLoad load(SpaceUri uri, StoreOptions options) {
        return new SqliteLoad(uri.path(), options);
    }

    @Override
    public Recovery recover(SpaceUri damaged, SpaceUri target, StoreOptions options) {
        Path file = existing(damaged.path());
        try (SqliteLoad load = new SqliteLoad(target.path(), options)) {
            return new Salvage(file, load).run();
        }
    }
}
