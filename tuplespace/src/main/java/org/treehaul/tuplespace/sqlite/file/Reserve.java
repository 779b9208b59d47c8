// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite.file;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.util.Random;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.treehaul.tuplespace.sqlite.connection.Errors;
import org.treehaul.tuplespace.sqlite.connection.SqliteConnection;

/**
 * Disk space set aside so that tuples can be removed when the file system is full: even a removal writes pages to the
 * log, and copying the log back may make the file grow.
 * <p>
 * The reserve is a file of its own. Only a change that needs space requires the whole reserve, and fails as FULL
 * without it. A change that frees space and finds the disk full releases the reserve, completes, and has it filled
 * again. Filling and releasing happen within a write transaction, so that no process takes the space that another has
 * just released. The pages in the log by which the file has yet to grow stay below half of the reserve, so that they
 * can always be copied back.
 */
public final class Reserve {
    private static final Logger LOG = LoggerFactory.getLogger(Reserve.class);
    private static final String SUFFIX = "-reserve";
    /**
     * Minimum bytes: removing one tuple changes some pages of 4 KiB; enough for a hundred removals while others read.
     */
    private static final long LEAST = 2 << 20;
    private static final long MOST = 16 << 20;
    /** Divisor for the part of a small file system that may be set aside. */
    private static final int PART_OF_DISK = 4;
    private static final int PART_OF_FILE = 4;
    /**
     * Divisor for the part of the reserve that must be free in addition when the file grows, so that changes that fit
     * into it remain possible.
     */
    private static final int MARGIN = 8;
    /** Less free space than this may run out within one transaction, whose cache holds half of it. */
    private static final long SCARCE = 64 << 20;
    private static final int BLOCK = 1 << 16;

    private final Path database;
    private final Path file;
    private final SqliteConnection connection;
    private long pageSize;
    private boolean isCheckpointDue;

    public Reserve(Path database, SqliteConnection connection) {
        this.database = database;
        this.connection = connection;
        file = of(database);
    }

    private static Path of(Path database) {
        return database.resolveSibling(database.getFileName() + SUFFIX);
    }

    private long wanted() throws IOException {
        long disk = database.toFile().getTotalSpace() / PART_OF_DISK;
        return Math.min(Math.clamp(Files.size(database) / PART_OF_FILE, LEAST, MOST), disk) / BLOCK * BLOCK;
    }

    private long size() throws IOException {
        try {
            return Files.size(file);
        } catch (NoSuchFileException none) {
            return 0;
        }
    }

    /** Fills the reserve within a write transaction; returns false, with no less free space, if there is no room. */
    boolean fill() {
        try {
            long size = size();
            long wanted = wanted();
            return size >= wanted || extend(size, wanted, wanted);
        } catch (IOException e) {
            LOG.debug("{}: cannot examine the reserve: {}", file, e.toString());
            return false;
        }
    }

    private boolean extend(long size, long whole, long wanted) throws IOException {
        if (size == 0 && Files.notExists(file)) {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(Files.getPosixFilePermissions(database)));
        }
        // No channel, which Java closes if this thread is interrupted: the disk would seem to be full.
        try (RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
            try {
                byte[] block = new byte[BLOCK];
                // Random content, because zeros and repeated data take no space on file systems that compress.
                new Random(whole).nextBytes(block);
                for (long at = size / BLOCK * BLOCK; at < wanted; at += BLOCK) {
                    block[0] = (byte) (at / BLOCK);
                    out.seek(at);
                    out.write(block);
                }
                return true;
            } catch (IOException full) {
                LOG.debug("{}: no room for a reserve of {} bytes: {}", file, wanted, full.toString());
                out.setLength(size);
                return false;
            }
        }
    }

    /** Fills the reserve within a write transaction; throws FULL if there is no room. */
    public void require() throws SQLException {
        if (!fill()) {
            throw Errors.noRoom();
        }
    }

    /** Releases the reserve, within a write transaction. */
    public void release() {
        release(database);
    }

    /** Releases the reserve of a file that cannot be opened otherwise. */
    public static void release(Path database) {
        Path file = of(database);
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LOG.warn("{}: cannot release the reserve: {}", file, e.toString());
        }
    }

    /** Returns whether the file system has little space left. */
    public boolean isScarce() {
        return database.toFile().getUsableSpace() < SCARCE;
    }

    /** Returns the number of pages in use, including changes of the current transaction. */
    public long usedPages() throws SQLException {
        return connection.number("PRAGMA page_count") - connection.number("PRAGMA freelist_count");
    }

    /** Checks, before the commit of added tuples, that the file can grow by the pages that are still in the log. */
    public void checkGrowth() throws SQLException {
        if (pageSize == 0) {
            pageSize = connection.number("PRAGMA page_size");
        }
        try {
            long growth = connection.number("PRAGMA page_count") * pageSize - Files.size(database);
            long wanted = wanted();
            isCheckpointDue = growth > wanted / 2;
            long needed = (isCheckpointDue ? growth * 2 : 0) + wanted / MARGIN;
            if (growth > 0 && database.toFile().getUsableSpace() < needed) {
                throw Errors.noRoom();
            }
        } catch (IOException e) {
            throw new SQLException(e);
        }
    }

    /** Makes the checkpoint that {@link #checkGrowth} found necessary. Called after a commit. */
    public void committed() throws SQLException {
        if (isCheckpointDue) {
            isCheckpointDue = false;
            checkpoint("PASSIVE");
        }
    }

    private void checkpoint(String how) throws SQLException {
        connection.withoutWaiting(() -> {
            try {
                connection.run("PRAGMA wal_checkpoint(" + how + ")");
            } catch (SQLException e) {
                // The next checkpoint will do it.
                LOG.debug("{}: no checkpoint: {}", database, e.toString());
            }
            return true;
        });
    }

    /** Truncates the log as far as no reader needs older pages. Called outside transactions. */
    public void checkpoint() throws SQLException {
        checkpoint("TRUNCATE");
    }

    /** Fills the reserve as far as there is room, and leaves some for the log. */
    private void fillSome() {
        try {
            long size = size();
            long wanted = wanted();
            long some = Math.min(wanted, size + database.toFile().getUsableSpace() - wanted / MARGIN) / BLOCK * BLOCK;
            if (some > size) {
                extend(size, wanted, some);
            }
        } catch (IOException e) {
            LOG.debug("{}: cannot fill the reserve: {}", file, e.toString());
        }
    }

    /** Truncates the log, and fills the reserve as far as there is room. Called outside transactions. */
    public void settle() throws SQLException {
        checkpoint();
        connection.withoutWaiting(() -> {
            try {
                connection.update("BEGIN IMMEDIATE");
                try {
                    fillSome();
                } finally {
                    // No COMMIT: even without changes it waits until no connection reads, where there is no write-ahead log.
                    connection.run("ROLLBACK");
                }
            } catch (SQLException e) {
                LOG.debug("{}: the reserve will be filled later: {}", file, e.toString());
            }
            return true;
        });
    }
}
