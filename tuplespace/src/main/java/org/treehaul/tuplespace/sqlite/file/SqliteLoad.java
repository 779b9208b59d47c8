// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite.file;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.SQLException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.treehaul.tuplespace.sqlite.connection.Connections;
import org.treehaul.tuplespace.sqlite.connection.Errors;
import org.treehaul.tuplespace.sqlite.connection.SpaceFile;
import org.treehaul.tuplespace.sqlite.connection.SqliteConnection;
import org.treehaul.tuplespace.sqlite.sql.BulkInsert;
import org.treehaul.tuplespace.sqlite.sql.Names;
import org.treehaul.tuplespace.sqlite.sql.Schema;
import org.treehaul.tuplespace.sqlite.sql.Table;
import org.treehaul.tuplespace.store.BulkLoad;
import org.treehaul.tuplespace.store.DurableFiles;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.StoreOptions;
import org.treehaul.tuplespace.tuple.TupleType;

/**
 * Fills a file under a temporary name without journal or sync, then creates the indexes, syncs, and links the file to
 * its final name. The name contains the pid of the process, so that files left by dead processes can be removed.
 */
public final class SqliteLoad implements BulkLoad {
    private static final Logger LOG = LoggerFactory.getLogger(SqliteLoad.class);
    private static final String PREFIX = ".load-";
    /** The bytes that SQLite locks (PENDING_BYTE and SHARED_SIZE in os.h). */
    private static final long LOCKS = 0x40000000;
    private static final long LOCKED_BYTES = 512;
    /** The names of the files that this process is filling. */
    private static final Set<String> OWN = ConcurrentHashMap.newKeySet();
    /** Enough to sort the names of half a million files in memory. */
    private static final int SORT_KIB = 32 * 1024;

    private final Path directory;
    private final Path target;
    private final Path temporary;
    private final StoreOptions options;
    private final SqliteConnection connection;
    /**
     * No monitor, because the driver enters its own seven times within each other to bind a text. Where a thread is in
     * eight, the JVM replaces them by slower ones (LockStack in HotSpot), and each binding enters some.
     */
    private final ReentrantLock lock = new ReentrantLock();
    /** The insertions by class. Guarded by the lock, as is everything below. */
    private final Map<Class<?>, BulkInsert> inserts = new LinkedHashMap<>();
    private @Nullable BulkInsert current;
    private long lastId;
    private boolean isClosed;

    public SqliteLoad(Path directory, StoreOptions options) {
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
            Journal.checkLocks(target);
            removeLeftOver(directory);
            OWN.add(name(temporary));
            SpaceFile.makePrivate(temporary);
        } catch (IOException e) {
            OWN.remove(name(temporary));
            throw SpaceFile.failed(target, e);
        }
        SqliteConnection opened = null;
        boolean isOpen = false;
        try {
            opened = Connections.open(temporary);
            for (String pragma : List.of("page_size = 4096", "locking_mode = EXCLUSIVE", "journal_mode = OFF",
                    "synchronous = OFF", "temp_store = FILE")) {
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
                    Connections.close(opened, target);
                }
                delete();
            }
        }
        connection = opened;
    }

    /** Returns an unused name for another file beside the one being filled. */
    Path scratch() {
        return temporary.resolveSibling(temporary.getFileName() + ".copy");
    }

    /** Removes the files of processes that no longer run; the pid is in the name. */
    private static void removeLeftOver(Path directory) throws IOException {
        try (DirectoryStream<Path> left = Files.newDirectoryStream(directory, PREFIX + "*")) {
            for (Path file : left) {
                String name = name(file);
                String pid = name.substring(PREFIX.length()).replaceAll("-.*", "");
                if (pid.matches("[0-9]{1,10}") && isLeftOver(file, Long.parseLong(pid))) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }

    // In a container, a process often has the pid of one that was killed there before, or of one in another container.
    private static boolean isLeftOver(Path file, long pid) throws IOException {
        String name = name(file);
        boolean mayRun = pid == ProcessHandle.current().pid()
                ? OWN.stream().anyMatch(name::startsWith)
                : ProcessHandle.of(pid).isPresent();
        return !mayRun && !isLocked(file.resolveSibling(name.replaceAll("\\.db.*", ".db")));
    }

    /** Returns whether another process, maybe of another container or node, has a file open that it is filling. */
    private static boolean isLocked(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
                FileLock lock = channel.tryLock(LOCKS, LOCKED_BYTES, false)) {
            LOG.trace("locked {}", lock);
            return lock == null;
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    /** Makes the file durable, with the lock that SQLite had until then. */
    private void sync() throws IOException {
        try (RandomAccessFile raw = new RandomAccessFile(temporary.toFile(), "rw");
                FileLock lock = raw.getChannel().tryLock(LOCKS, LOCKED_BYTES, false)) {
            LOG.trace("locked {}", lock);
            raw.getFD().sync();
        }
    }

    private static String name(Path file) {
        return String.valueOf(file.getFileName());
    }

    @Override
    public void add(Record tuple) {
        add(tuple, Store.NEVER);
    }

    void add(Record tuple, long expiresAt) {
        locked(() -> addHere(tuple, expiresAt));
    }

    private void addHere(Record tuple, long expiresAt) {
        checkOpen();
        try {
            BulkInsert insert = current;
            if (insert == null || insert.table().type().recordClass() != tuple.getClass()) {
                insert = insert(TupleType.of(tuple));
                current = insert;
            }
            insert.add(lastId + 1, expiresAt, tuple);
            lastId++;
        } catch (SQLException e) {
            close();
            throw Errors.of(target, e);
        }
    }

    private BulkInsert insert(TupleType<?> type) throws SQLException {
        BulkInsert known = inserts.get(type.recordClass());
        if (known == null) {
            Schema.ensure(connection, type, options, false);
            Schema.smallIndexes(connection, type);
            known = new BulkInsert(connection, Table.of(connection, type));
            inserts.put(type.recordClass(), known);
        }
        return known;
    }

    @Override
    public void addAll(Collection<? extends Record> tuples) {
        locked(() -> tuples.forEach(tuple -> addHere(tuple, Store.NEVER)));
    }

    private void locked(Runnable work) {
        lock.lock();
        try {
            work.run();
        } finally {
            lock.unlock();
        }
    }

    private void checkOpen() {
        if (isClosed) {
            throw new SpaceException(Reason.CLOSED, "this load has ended");
        }
    }

    @Override
    public long finish() {
        lock.lock();
        try {
            return finishHere();
        } finally {
            lock.unlock();
        }
    }

    private long finishHere() {
        checkOpen();
        try {
            for (BulkInsert insert : inserts.values()) {
                insert.flush();
                insert.close();
            }
            // SQLite sorts this much in memory, and more than that in temporary files.
            connection.run("PRAGMA cache_size = -" + SORT_KIB);
            for (BulkInsert insert : inserts.values()) {
                Schema.indexes(connection, insert.table().type(), options);
            }
            connection.update("UPDATE " + Names.COUNTER + " SET last = ?", lastId);
            connection.run("COMMIT");
            Journal.chooseFirst(connection, temporary);
            connection.close();
            sync();
            SpaceFile.place(temporary, target);
            OWN.remove(name(temporary));
            DurableFiles.sync(directory);
            isClosed = true;
            return lastId;
        } catch (FileAlreadyExistsException e) {
            throw new SpaceException(Reason.IO, "another process has made " + target + " during the load", e);
        } catch (IOException e) {
            throw SpaceFile.failed(target, e);
        } catch (SQLException e) {
            throw Errors.of(target, e);
        } finally {
            close();
        }
    }

    @Override
    public void close() {
        locked(() -> {
            if (!isClosed) {
                isClosed = true;
                Connections.close(connection, target);
                delete();
            }
        });
    }

    private void delete() {
        OWN.remove(name(temporary));
        try {
            Files.deleteIfExists(temporary);
            for (String suffix : List.of("-journal", "-wal")) {
                Files.deleteIfExists(temporary.resolveSibling(temporary.getFileName() + suffix));
            }
        } catch (IOException e) {
            throw SpaceFile.failed(temporary, e);
        }
    }
}
