// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite.file;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import org.treehaul.tuplespace.sqlite.connection.Connections;
import org.treehaul.tuplespace.sqlite.connection.Errors;
import org.treehaul.tuplespace.sqlite.connection.SpaceFile;
import org.treehaul.tuplespace.sqlite.connection.SqliteConnection;
import org.treehaul.tuplespace.sqlite.sql.MismatchException;
import org.treehaul.tuplespace.sqlite.sql.Names;
import org.treehaul.tuplespace.sqlite.sql.Schema;
import org.treehaul.tuplespace.sqlite.sql.Table;
import org.treehaul.tuplespace.store.RecordClasses;
import org.treehaul.tuplespace.store.Recovery;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.Stored;
import org.treehaul.tuplespace.tuple.DerivedTuple;
import org.treehaul.tuplespace.tuple.TupleType;

/**
 * Salvages a damaged file: reads each table from its beginning to a damaged page, then from its end down to the next
 * one. Uncommitted writes of transactions are left out; uncommitted takes are undone.
 */
public final class Salvage {
    private static final int PORTION = 1000;
    private static final int PAGE_SIZE_AT = 16;
    private static final int PAGE_COUNT_AT = 28;
    private static final int FIRST_PAGE = 100;
    private static final int TABLE_INNER = 5;
    private static final int TABLE_LEAF = 13;
    /** If the file's header claims a length this many times larger, that number is damaged. */
    private static final int MOST_LONGER = 1000;

    private final Path file;
    private final SqliteLoad to;
    private final List<String> problems = new ArrayList<>();

    public Salvage(Path file, SqliteLoad to) {
        this.file = file;
        this.to = to;
    }

    public Recovery run() {
        try {
            return run(file);
        } catch (SpaceException e) {
            if (e.reason() != SpaceException.Reason.DAMAGED) {
                throw e;
            }
            problems.add(String.valueOf(e.getMessage()));
        }
        return runRepaired();
    }

    /**
     * Repairs a copy and reads it: SQLite refuses a file that is shorter than its header says, or whose first page is
     * of an unknown type.
     */
    private Recovery runRepaired() {
        Path copy = to.scratch();
        try {
            Files.copy(file, copy);
            try (RandomAccessFile raw = new RandomAccessFile(copy.toFile(), "rw")) {
                repairHeader(raw);
            }
            return run(copy);
        } catch (IOException e) {
            throw SpaceFile.failed(file, e);
        } finally {
            delete(copy);
        }
    }

    private static void delete(Path copy) {
        try {
            for (String suffix : new String[]{"", "-wal", "-shm", "-journal"}) {
                Files.deleteIfExists(copy.resolveSibling(copy.getFileName() + suffix));
            }
        } catch (IOException e) {
            throw SpaceFile.failed(copy, e);
        }
    }

    /** Repairs the header. Offsets and page types: sqlite.org/fileformat2.html. */
    private static void repairHeader(RandomAccessFile raw) throws IOException {
        if (raw.length() < FIRST_PAGE) {
            return;
        }
        raw.seek(PAGE_SIZE_AT);
        int size = raw.readUnsignedShort();
        long pageSize = size == 1 ? 65536 : size;
        raw.seek(PAGE_COUNT_AT);
        long wanted = (raw.readInt() & 0xFFFFFFFFL) * pageSize;
        raw.seek(FIRST_PAGE);
        int kind = raw.read();
        if (kind != TABLE_LEAF && kind != TABLE_INNER) {
            raw.seek(FIRST_PAGE);
            // The types differ in one bit only, and a list of few tables fits into one leaf page.
            raw.write(TABLE_LEAF);
        }
        // Files are sparse, so the missing part takes no disk space.
        if (raw.length() < wanted && wanted / MOST_LONGER <= raw.length()) {
            raw.setLength(wanted);
        }
    }

    private Recovery run(Path from) {
        SqliteConnection connection = Connections.open(from);
        try {
            List<String> names = new ArrayList<>();
            try {
                connection.each("SELECT name FROM " + Names.TYPES, List.of(), row -> names.add(row.getString(1)));
            } catch (SQLException e) {
                throw Errors.of(from, e);
            }
            List<String> last = new ArrayList<>();
            for (String name : names) {
                if (!salvage(connection, name, false)) {
                    last.add(name);
                }
            }
            for (String name : last) {
                salvage(connection, name, true);
            }
            return new Recovery(to.finish(), problems);
        } finally {
            Connections.close(connection, from);
        }
    }

    /**
     * Salvages the tuples of a record class. Those that are only true beside all others come last, and only if nothing
     * was lost.
     *
     * @return false if they are such tuples, and others may follow
     */
    private boolean salvage(SqliteConnection connection, String name, boolean isLast) {
        try {
            TupleType<?> type = RecordClasses.find(name);
            boolean isDerived = DerivedTuple.class.isAssignableFrom(type.recordClass());
            if (isDerived && !isLast) {
                return false;
            }
            if (isDerived && !problems.isEmpty()) {
                return true;
            }
            var kept = Schema.kept(connection, name);
            if (kept == null || !RecordClasses.fits(type, kept)) {
                problems.add(name + " has new components; recover it with the version that wrote it");
            } else {
                salvage(connection, Table.of(connection, type));
            }
        } catch (SpaceException | SQLException e) {
            problems.add(String.valueOf(e.getMessage()));
        }
        return true;
    }

    private void salvage(SqliteConnection connection, Table table) throws SQLException {
        long up = half(connection, table, Long.MIN_VALUE, Long.MAX_VALUE, true);
        if (up != Long.MAX_VALUE) {
            long down = half(connection, table, up, Long.MAX_VALUE, false);
            problems.add(table.type().name() + ": tuples with numbers from " + (up == Long.MIN_VALUE ? "the first" : up)
                    + " to " + (down == Long.MAX_VALUE ? "the last" : down) + " are lost where the file is damaged");
        }
    }

    /** Copies tuples with numbers between two, exclusively; returns the last number read, or the end. */
    private long half(SqliteConnection connection, Table table, long low, long high, boolean isUp) throws SQLException {
        long at = isUp ? low : high;
        String sql = "SELECT " + table.columns() + " FROM " + table.from(" NOT INDEXED") + " WHERE " + Names.ID
                + " > ? AND " + Names.ID + " < ? AND " + Names.WRITER + " IS NULL ORDER BY " + Names.ID
                + (isUp ? "" : " DESC") + " LIMIT ";
        int portion = PORTION;
        while (true) {
            List<Stored<Record>> rows = new ArrayList<>();
            boolean isDamaged = false;
            try {
                connection.each(sql + portion, List.of(isUp ? at : low, isUp ? high : at),
                        row -> rows.add(table.read(row)));
            } catch (MismatchException e) {
                problems.add(e.getMessage() + ", and is lost");
                rows.forEach(row -> to.add(row.tuple(), row.expiresAt()));
                at = e.id();
                continue;
            } catch (SQLException e) {
                if (Errors.code(e) != Errors.CORRUPT && Errors.code(e) != Errors.NOTADB) {
                    throw e;
                }
                isDamaged = true;
            }
            for (Stored<Record> row : rows) {
                to.add(row.tuple(), row.expiresAt());
                at = row.id();
            }
            if (isDamaged) {
                return at;
            }
            if (rows.size() < portion) {
                return isUp ? Long.MAX_VALUE : low;
            }
        }
    }
}
