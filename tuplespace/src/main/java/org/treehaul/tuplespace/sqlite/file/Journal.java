// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.treehaul.tuplespace.sqlite.connection.Connections;
import org.treehaul.tuplespace.sqlite.connection.Errors;
import org.treehaul.tuplespace.sqlite.connection.SpaceFile;
import org.treehaul.tuplespace.sqlite.connection.SqliteConnection;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;
import org.treehaul.tuplespace.store.Uninterrupted;

/**
 * Selects how commits to the file of a space become durable: with a write-ahead log, or with a rollback journal where
 * the log does not work.
 */
public final class Journal {
    private static final Logger LOG = LoggerFactory.getLogger(Journal.class);
    /** Pages of 4 KiB in the log before a checkpoint; one commit in several thousand then takes longer. */
    private static final int CHECKPOINT_PAGES = 4000;
    /**
     * Without a write-ahead log, the changes of a transaction stay in memory until it ends: to write them earlier,
     * SQLite would lock all readers out. It does so beyond this size, because memory is limited.
     */
    private static final int SPILL_KIB = 256 * 1024;
    /**
     * File systems on which nodes do not share memory mapped from a file, which SQLite's write-ahead log needs
     * (sqlite.org/wal.html). Some of them even pass the probe when it runs on one node.
     */
    private static final Set<String> SHARED = Set.of("nfs", "nfs4", "lustre", "gpfs", "beegfs", "beegfs_nodev", "cifs",
            "smb3", "smbfs", "ceph", "9p", "afs", "ocfs2", "gfs2", "pvfs2", "orangefs", "virtiofs", "panfs",
            "glusterfs");

    private Journal() {}

    /**
     * Selects the journal: the write-ahead log where it works, because it is many times faster. The choice is stored in
     * the file; so a damaged file, which must not be changed, keeps its journal.
     */
    public static void choose(SqliteConnection connection, Path file) throws SQLException {
        String shared = sharedType(file);
        String now = mode(connection, "PRAGMA journal_mode");
        if (shared != null) {
            checkLocks(file);
            if (!now.equals("delete")) {
                Inspector.requireWhole(file);
                now = mode(connection, "PRAGMA journal_mode = DELETE");
            }
            LOG.info(
                    "{} is on {}: it uses a rollback journal, and only processes of one node may have it open; several "
                            + "nodes need a database server such as PostgreSQL to share a space",
                    file, shared);
        } else if (!now.equals("wal")) {
            checkLocks(file);
            if (probe(file) && isWhole(file)) {
                now = mode(connection, "PRAGMA journal_mode = WAL");
            }
        }
        // EXTRA also syncs the directory after a rollback journal was deleted from it.
        connection.run("PRAGMA synchronous = " + (now.equals("wal") ? "FULL" : "EXTRA"));
        if (!now.equals("wal")) {
            connection.run("PRAGMA cache_spill = -" + SPILL_KIB);
        }
        connection.run("PRAGMA wal_autocheckpoint = " + CHECKPOINT_PAGES);
    }

    private static boolean isWhole(Path file) {
        try {
            Inspector.requireWhole(file);
            return true;
        } catch (SpaceException e) {
            if (e.reason() != Reason.DAMAGED) {
                throw e;
            }
            LOG.warn("{}. It keeps its rollback journal", e.getMessage());
            return false;
        }
    }

    /** Selects the journal of a file that is being created, so that it need not be changed later. */
    static void chooseFirst(SqliteConnection connection, Path file) throws SQLException {
        if (sharedType(file) == null && probe(file)) {
            mode(connection, "PRAGMA journal_mode = WAL");
        }
    }

    public static boolean isWal(SqliteConnection connection) throws SQLException {
        return mode(connection, "PRAGMA journal_mode").equals("wal");
    }

    private static String mode(SqliteConnection connection, String pragma) throws SQLException {
        String mode = connection.first(pragma, List.of(), row -> row.getString(1));
        return mode == null ? "" : mode.toLowerCase(Locale.ROOT);
    }

    private static @Nullable String sharedType(Path file) {
        try {
            String type = Files.getFileStore(file).type();
            return SHARED.contains(type) || type.startsWith("fuse") ? type : null;
        } catch (IOException e) {
            throw SpaceFile.failed(file, e);
        }
    }

    /** Throws NO_LOCKS if the file system has no locks. */
    public static void checkLocks(Path file) {
        Path probe = file.resolveSibling(".probe-" + ProcessHandle.current().pid() + "-" + System.nanoTime());
        try {
            SpaceFile.makePrivate(probe);
            try {
                Uninterrupted.run(() -> {
                    try (FileChannel channel = FileChannel.open(probe, StandardOpenOption.WRITE);
                            FileLock lock = channel.lock()) {
                        LOG.trace("locked {}", lock);
                    }
                });
            } catch (IOException e) {
                throw Errors.noLocks(file, e);
            } finally {
                Files.deleteIfExists(probe);
            }
        } catch (IOException e) {
            throw SpaceFile.failed(file, e);
        }
    }

    /** Tries a real write by one connection that another connection reads. */
    private static boolean probe(Path file) throws SQLException {
        Path probe = file.resolveSibling(".probe-" + ProcessHandle.current().pid() + "-" + System.nanoTime() + ".db");
        try {
            SpaceFile.makePrivate(probe);
            try (SqliteConnection one = Connections.open(probe)) {
                if (!mode(one, "PRAGMA journal_mode = WAL").equals("wal")) {
                    return false;
                }
                one.run("CREATE TABLE probe(value)");
                one.update("INSERT INTO probe VALUES (?)", 42L);
                try (SqliteConnection other = Connections.open(probe)) {
                    return other.number("SELECT value FROM probe") == 42;
                }
            } finally {
                for (String suffix : new String[]{"", "-wal", "-shm", "-journal"}) {
                    Files.deleteIfExists(probe.resolveSibling(probe.getFileName() + suffix));
                }
            }
        } catch (SQLException e) {
            if (Errors.of(file, e) instanceof SpaceException space && space.reason() == Reason.FULL) {
                throw space;
            }
            LOG.info("{}: no write-ahead log here ({}), so it uses a rollback journal", file, e.toString());
            return false;
        } catch (IOException e) {
            throw SpaceFile.failed(file, e);
        }
    }
}
