// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.util.Random;
import java.util.Set;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Disk space that is set aside, so that tuples can be removed when the file system is full: a removal, too, writes
 * pages to the log, and the log is copied back to a file that may have to grow.
 * <p>
 * The reserve is a file of its own. Only a change that makes no room needs it whole and fails as FULL where it is not;
 * a change that makes room and finds the disk full gives the reserve up, is done, and has it filled again. Filled and
 * given up within a transaction that writes, so that no process takes what another one has just given up. The pages in
 * the log by which the file has yet to grow are kept below half of it: so they can always be copied back.
 */
final class Reserve {
    private static final Logger LOG = LoggerFactory.getLogger(Reserve.class);
    private static final String SUFFIX = "-reserve";
    /** A removal of one tuple changes some pages of 4 KiB; this is enough for a hundred while somebody reads. */
    private static final long LEAST = 2 << 20;
    private static final long MOST = 16 << 20;
    /** The part of a small file system that may be set aside. */
    private static final int PART_OF_DISK = 4;
    private static final int PART_OF_FILE = 4;
    /**
     * The part of the reserve that has to be free as well where the file grows, so that what fits into it still can.
     */
    private static final int MARGIN = 8;
    /** Less free space than this may end within one transaction, whose cache holds half of it. */
    private static final long SCARCE = 64 << 20;
    private static final int BLOCK = 1 << 16;
    /** The primary code SQLITE_FULL of sqlite3.h. */
    private static final int FULL = 13;

    private final Path database;
    private final Path file;
    private final Link link;
    private long pageSize;
    private boolean isCheckpointDue;

    Reserve(Path database, Link link) {
        this.database = database;
        this.link = link;
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

    /** Makes the reserve whole, within a transaction that writes; false, and no less room, where there is none. */
    boolean fill() {
        try {
            long size = size();
            long wanted = wanted();
            return size >= wanted || extend(size, wanted, wanted);
        } catch (IOException e) {
            LOG.debug("{}: the reserve cannot be looked at: {}", file, e.toString());
            return false;
        }
    }

    private boolean extend(long size, long whole, long wanted) throws IOException {
        try (FileChannel channel = FileChannel.open(file, Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(Files.getPosixFilePermissions(database)))) {
            try {
                byte[] block = new byte[BLOCK];
                // Zeros, and what repeats, take no room on file systems that compress.
                new Random(whole).nextBytes(block);
                for (long at = size / BLOCK * BLOCK; at < wanted; at += BLOCK) {
                    block[0] = (byte) (at / BLOCK);
                    ByteBuffer rest = ByteBuffer.wrap(block);
                    while (rest.hasRemaining()) {
                        channel.write(rest, at + rest.position());
                    }
                }
                return true;
            } catch (IOException full) {
                LOG.debug("{}: no room for a reserve of {} bytes: {}", file, wanted, full.toString());
                channel.truncate(size);
                return false;
            }
        }
    }

    /** Makes sure that the reserve is whole, within a transaction that writes. */
    void require() throws SQLException {
        if (!fill()) {
            throw full();
        }
    }

    private static SQLException full() {
        return new SQLException("there is no room for more tuples; what is there can be taken and removed", null, FULL);
    }

    /** Gives the reserve up, within a transaction that writes. */
    void release() {
        release(database);
    }

    /** Gives the reserve of a file up that cannot even be opened without. */
    static void release(Path database) {
        Path file = of(database);
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LOG.warn("{}: the reserve cannot be given up: {}", file, e.toString());
        }
    }

    /** Returns whether the file system has little room left. */
    boolean isScarce() {
        return database.toFile().getUsableSpace() < SCARCE;
    }

    /** Returns how many pages are in use, within a transaction with what it has changed. */
    long usedPages() throws SQLException {
        return link.number("PRAGMA page_count") - link.number("PRAGMA freelist_count");
    }

    /** Before the commit of what added tuples: sees to it that the file can grow by what it has yet to grow. */
    void checkGrowth() throws SQLException {
        if (pageSize == 0) {
            pageSize = link.number("PRAGMA page_size");
        }
        try {
            long growth = link.number("PRAGMA page_count") * pageSize - Files.size(database);
            long wanted = wanted();
            isCheckpointDue = growth > wanted / 2;
            long needed = (isCheckpointDue ? growth * 2 : 0) + wanted / MARGIN;
            if (growth > 0 && database.toFile().getUsableSpace() < needed) {
                throw full();
            }
        } catch (IOException e) {
            throw new SQLException(e);
        }
    }

    /** After a commit. */
    void committed() throws SQLException {
        if (isCheckpointDue) {
            isCheckpointDue = false;
            checkpoint("PASSIVE");
        }
    }

    private void checkpoint(String how) throws SQLException {
        link.withoutWaiting(() -> {
            try {
                link.run("PRAGMA wal_checkpoint(" + how + ")");
            } catch (SQLException e) {
                // The next one will do it.
                LOG.debug("{}: no checkpoint: {}", database, e.toString());
            }
            return true;
        });
    }

    /** Outside of transactions: gives back what the log holds, as far as nobody reads what is older. */
    void checkpoint() throws SQLException {
        checkpoint("TRUNCATE");
    }

    /** Fills the reserve as far as there is room, but for some that the log needs. */
    private void fillSome() {
        try {
            long size = size();
            long wanted = wanted();
            long some = Math.min(wanted, size + database.toFile().getUsableSpace() - wanted / MARGIN) / BLOCK * BLOCK;
            if (some > size) {
                extend(size, wanted, some);
            }
        } catch (IOException e) {
            LOG.debug("{}: the reserve is not filled: {}", file, e.toString());
        }
    }

    /** Outside of transactions: gives back what the log holds, and fills the reserve as far as there is room. */
    void settle() throws SQLException {
        checkpoint();
        link.withoutWaiting(() -> {
            try {
                link.update("BEGIN IMMEDIATE");
                try {
                    fillSome();
                } finally {
                    link.update("COMMIT");
                }
            } catch (SQLException e) {
                LOG.debug("{}: the reserve is filled later: {}", file, e.toString());
            }
            return true;
        });
    }
}
