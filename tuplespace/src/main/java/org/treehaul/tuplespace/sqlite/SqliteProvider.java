// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite;

import java.nio.file.Path;
import java.sql.SQLException;

import org.treehaul.tuplespace.store.BulkLoad;
import org.treehaul.tuplespace.store.Inspection;
import org.treehaul.tuplespace.store.Recovery;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.StoreListener;
import org.treehaul.tuplespace.store.StoreOptions;
import org.treehaul.tuplespace.store.StoreProvider;
import org.treehaul.tuplespace.tuple.TupleType;

/** Keeps durable spaces in files of SQLite. Touches the driver only when one is opened. */
public final class SqliteProvider implements StoreProvider {

    @Override
    public boolean isIn(Path directory) {
        return SpaceFile.exists(directory);
    }

    @Override
    public Store open(Path directory, StoreOptions options, StoreListener listener) {
        Path file = SpaceFile.make(directory, options);
        try {
            return openFile(file, options, listener);
        } catch (SpaceException e) {
            if (e.reason() != Reason.FULL) {
                throw e;
            }
            // To begin with the log takes room, too.
            Reserve.release(file);
            return openFile(file, options, listener);
        }
    }

    private static Store openFile(Path file, StoreOptions options, StoreListener listener) {
        Link link = SpaceFile.connect(file, options.patience());
        boolean isOpen = false;
        try {
            // Before anything is written to it, as the file may be anybody's.
            Schema.check(link, file);
            if (link.number("PRAGMA user_version") != Names.VERSION || hasNoIndex(link, options)) {
                link.run("BEGIN IMMEDIATE");
                Schema.check(link, file);
                Schema.upgrade(link);
                for (StoreOptions.Index index : options.indexes()) {
                    if (Schema.kept(link, index.type().getName()) != null) {
                        Schema.ensure(link, TupleType.of(index.type()), options, true);
                        Schema.indexes(link, TupleType.of(index.type()), options);
                    }
                }
                link.run("COMMIT");
            }
            SpaceFile.chooseJournal(link, file);
            new Reserve(file, link).settle();
            Store store = new SqliteStore(file, options, listener, link, SpaceFile.isWal(link), false);
            isOpen = true;
            return store;
        } catch (SQLException e) {
            if (Errors.code(e) == Errors.BUSY) {
                SpaceFile.checkLocks(file);
            }
            throw Errors.of(file, e);
        } finally {
            if (!isOpen) {
                close(link, file);
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
    public Store openToRead(Path directory, StoreOptions options, StoreListener listener) {
        Path file = existing(directory);
        Link link = SpaceFile.connectToRead(file);
        boolean isOpen = false;
        try {
            Schema.check(link, file);
            Store store = new SqliteStore(file, options, listener, link, SpaceFile.isWal(link), true);
            isOpen = true;
            return store;
        } catch (SQLException e) {
            throw Errors.of(file, e);
        } finally {
            if (!isOpen) {
                close(link, file);
            }
        }
    }

    @Override
    public Inspection check(Path directory) {
        return new Inspector(existing(directory)).run();
    }

    private static boolean hasNoIndex(Link link, StoreOptions options) throws SQLException {
        for (StoreOptions.Index index : options.indexes()) {
            String name = Schema.indexName(index);
            if (link.number("SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = ?)", name) == 0
                    && link.number("SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?)",
                            index.type().getName()) == 1) {
                return true;
            }
        }
        return false;
    }

    static void close(Link link, Path file) {
        try {
            link.close();
        } catch (SQLException e) {
            throw Errors.of(file, e);
        }
    }

    @Override
    public BulkLoad load(Path directory, StoreOptions options) {
        return new SqliteLoad(directory, options);
    }

    @Override
    public Recovery recover(Path damaged, Path target, StoreOptions options) {
        Path file = existing(damaged);
        try (SqliteLoad load = new SqliteLoad(target, options)) {
            return new Rescue(file, load).run();
        }
    }
}
