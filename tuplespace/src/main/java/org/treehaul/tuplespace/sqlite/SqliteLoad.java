// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.store.BulkLoad;
import org.treehaul.tuplespace.store.DurableFiles;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.StoreOptions;
import org.treehaul.tuplespace.tuple.TupleType;

/**
 * Fills a file under a temporary name without journal or sync, then makes the indexes, syncs, and links it to its name.
 * The temporary file is locked, so that one that is left by a dead process is told from one in use.
 */
final class SqliteLoad implements BulkLoad {
    private static final String PREFIX = ".load-";
    private static final int BATCH = 500;

    private final Path directory;
    private final Path target;
    private final Path temporary;
    private final StoreOptions options;
    private final Link link;
    /** The ways into the tables, by class. Guarded by this, as all that follows. */
    private final Map<Class<?>, Lane> lanes = new LinkedHashMap<>();
    private @Nullable Lane current;
    private long lastId;
    private boolean isClosed;

    private static final class Lane {
        private final Table table;
        private final PreparedStatement insert;
        private int pending;

        Lane(Table table, PreparedStatement insert) {
            this.table = table;
            this.insert = insert;
        }

        void add(long id, long expiresAt, Record tuple) throws SQLException {
            table.bind(insert, id, expiresAt, Store.NONE, tuple);
            insert.addBatch();
            if (++pending == BATCH) {
                flush();
            }
        }

        void flush() throws SQLException {
            if (pending > 0) {
                pending = 0;
                insert.executeBatch();
            }
        }
    }

    SqliteLoad(Path directory, StoreOptions options) {
        this.directory = directory;
        this.options = options;
        target = SpaceFile.in(directory);
        temporary = directory.resolve(PREFIX + ProcessHandle.current().pid() + "-" + System.nanoTime() + ".db");
        try {
            SpaceFile.makeDirectory(directory);
            SpaceFile.requireOwn(directory);
            if (SpaceFile.exists(directory)) {
                throw new SpaceException(Reason.IO, "there is a tuple space in " + directory + " already");
            }
            SpaceFile.checkLocks(target);
            removeLeftOver(directory);
            SpaceFile.makePrivate(temporary);
        } catch (IOException e) {
            throw SpaceFile.failed(target, e);
        }
        Link opened = null;
        boolean isOpen = false;
        try {
            opened = SpaceFile.connect(temporary);
            for (String pragma : List.of("page_size = 4096", "locking_mode = EXCLUSIVE", "journal_mode = OFF",
                    "synchronous = OFF", "temp_store = MEMORY")) {
                opened.run("PRAGMA " + pragma);
            }
            opened.run("BEGIN EXCLUSIVE");
            Schema.create(opened);
            isOpen = true;
        } catch (SQLException e) {
            throw Errors.of(target, e);
        } finally {
            if (!isOpen) {
                if (opened != null) {
                    SqliteProvider.close(opened, target);
                }
                delete();
            }
        }
        link = opened;
    }

    /** Returns the name of another file beside the one that is filled, which nobody has yet. */
    Path scratch() {
        return temporary.resolveSibling(temporary.getFileName() + ".copy");
    }

    /** Of processes that do not live any more on this node; the pid is in the name. */
    private static void removeLeftOver(Path directory) throws IOException {
        try (DirectoryStream<Path> left = Files.newDirectoryStream(directory, PREFIX + "*")) {
            for (Path file : left) {
                String pid = file.getFileName().toString().substring(PREFIX.length()).replaceAll("-.*", "");
                if (pid.matches("[0-9]{1,10}") && ProcessHandle.of(Long.parseLong(pid)).isEmpty()) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }

    @Override
    public synchronized void add(Record tuple) {
        TupleType<?> type = TupleType.of(tuple);
        type.check(tuple);
        add(tuple, Store.NEVER);
    }

    synchronized void add(Record tuple, long expiresAt) {
        checkOpen();
        try {
            Lane lane = current;
            if (lane == null || lane.table.type.recordClass() != tuple.getClass()) {
                lane = lane(TupleType.of(tuple));
                current = lane;
            }
            lane.add(++lastId, expiresAt, tuple);
        } catch (SQLException e) {
            close();
            throw Errors.of(target, e);
        }
    }

    private Lane lane(TupleType<?> type) throws SQLException {
        Lane known = lanes.get(type.recordClass());
        if (known == null) {
            Schema.ensure(link, type, options, false);
            Table table = Table.of(link, type);
            known = new Lane(table, link.connection.prepareStatement(table.insert));
            lanes.put(type.recordClass(), known);
        }
        return known;
    }

    @Override
    public synchronized void addAll(Collection<? extends Record> tuples) {
        tuples.forEach(this::add);
    }

    private void checkOpen() {
        if (isClosed) {
            throw new SpaceException(Reason.CLOSED, "this load has ended");
        }
    }

    @Override
    public synchronized long finish() {
        checkOpen();
        try {
            for (Lane lane : lanes.values()) {
                lane.flush();
                lane.insert.close();
            }
            for (Lane lane : new ArrayList<>(lanes.values())) {
                Schema.indexes(link, lane.table.type, options);
            }
            link.update("UPDATE " + Names.COUNTER + " SET last = ?", lastId);
            link.run("COMMIT");
            link.close();
            try (FileChannel channel = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
                channel.force(true);
            }
            SpaceFile.place(temporary, target);
            DurableFiles.sync(directory);
            isClosed = true;
            return lastId;
        } catch (FileAlreadyExistsException e) {
            throw new SpaceException(Reason.IO, "another process has made " + target + " meanwhile", e);
        } catch (IOException e) {
            throw SpaceFile.failed(target, e);
        } catch (SQLException e) {
            throw Errors.of(target, e);
        } finally {
            close();
        }
    }

    @Override
    public synchronized void close() {
        if (!isClosed) {
            isClosed = true;
            SqliteProvider.close(link, target);
            delete();
        }
    }

    private void delete() {
        try {
            Files.deleteIfExists(temporary);
            Files.deleteIfExists(temporary.resolveSibling(temporary.getFileName() + "-journal"));
        } catch (IOException e) {
            throw SpaceFile.failed(temporary, e);
        }
    }
}
