// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.sqlite.connection.Readers;
import org.treehaul.tuplespace.sqlite.connection.SqliteConnection;
import org.treehaul.tuplespace.sqlite.sql.Names;
import org.treehaul.tuplespace.sqlite.sql.Table;
import org.treehaul.tuplespace.store.Aggregator;

/**
 * Reads the rows of large tables by several threads, each over a connection of its own, as of one moment. Thread-safe.
 */
final class TableRanges {

    /** Fewer rows take less time than the start of threads and connections. */
    private static final long LEAST = 200_000;
    /** More threads than these hardly gain, and each connection has a cache. */
    private static final int MOST_THREADS = 8;
    /** Ranges for each thread: rows of the same number of values take different times, and tuples may be missing. */
    private static final int RANGES = 4;
    /** Rows of a range: SQLite sorts them by group in memory that fits into the caches of a processor. */
    private static final long ROWS = 20_000;
    /** Pages of the file for each range: a question for hardly any rows takes longer than reading some pages. */
    private static final int PAGES = 50;
    /** Enough for the inner pages; each other page is read once. */
    private static final int CACHE_KIB = 2048;

    private final Readers readers;

    TableRanges(Readers readers) {
        this.readers = readers;
    }

    /** The rows whose tuples have numbers from the first to the last one, both included. */
    record Range(long first, long last) {
        static final Range ALL = new Range(Long.MIN_VALUE, Long.MAX_VALUE);

        boolean isAll() {
            return this.equals(ALL);
        }

        /** Returns the words after the name of the table: no index other than that of the numbers is used. */
        String hint() {
            return isAll() ? "" : " NOT INDEXED";
        }

        /** Returns the condition, with {@link #parameters}, so that all ranges have the same statement. */
        String condition() {
            return isAll() ? "" : " AND " + Names.ID + " BETWEEN ? AND ?";
        }

        List<Long> parameters() {
            return isAll() ? List.of() : List.of(first, last);
        }
    }

    /** Ranges of the same number of values, which threads take one after another. */
    private static final class Ranges {
        private final long last;
        private final long step;
        private final AtomicLong next;

        Ranges(long first, long last, long step) {
            this.last = last;
            this.step = step;
            next = new AtomicLong(first);
        }

        /** Returns the next range; null if there is none. */
        @Nullable Range take() {
            long from = next.getAndAdd(step);
            return from > last ? null : new Range(from, Math.min(last, from + step - 1));
        }
    }

    /** Questions for the rows of a table. */
    interface Reading {

        /** Returns how many statements read a range. */
        int statements();

        /** Reads the rows of a range and adds them to an aggregator. */
        void add(SqliteConnection connection, Aggregator into, Range range) throws SQLException;
    }

    /**
     * A table, and how its rows are read.
     *
     * @param isDivisible whether ranges of it may be read
     * @param isSorted whether the rows of a range are sorted, which takes less time in short ranges
     */
    record Part(Table table, boolean isDivisible, boolean isSorted, Reading reading) {}

    /**
     * Reads the rows of tables, those of large ones in ranges.
     *
     * @param own a connection outside of a transaction, which reads a part of the ranges on this thread
     * @param version the {@link #version} before the tables were looked up
     * @param aggregator receives everything, on this thread
     * @return false if nothing was read: the rows are few, or another connection changed the file just now
     */
    boolean read(SqliteConnection own, long version, List<Part> parts, Aggregator aggregator) throws SQLException {
        int threads = Math.min(MOST_THREADS, Runtime.getRuntime().availableProcessors());
        List<@Nullable Ranges> ranges = new ArrayList<>();
        for (Part part : parts) {
            ranges.add(ranges(own, part, threads));
        }
        if (ranges.stream().allMatch(Objects::isNull)) {
            return false;
        }
        List<SqliteConnection> others = new ArrayList<>();
        try {
            for (int i = 1; i < threads; i++) {
                SqliteConnection other = readers.borrow();
                others.add(other);
                other.run("PRAGMA cache_size = -" + CACHE_KIB);
                begin(other);
            }
            begin(own);
            // The version is the same if no other connection has committed since it was read first: all see the same
            // rows, and the ranges have all of them.
            boolean isSame = version(own) == version;
            for (int i = 0; isSame && i < parts.size(); i++) {
                Ranges some = ranges.get(i);
                if (some == null) {
                    parts.get(i).reading().add(own, aggregator, Range.ALL);
                } else {
                    read(own, others, some, aggregator, parts.get(i).reading());
                }
            }
            own.run("COMMIT");
            others.forEach(SqliteConnection::checkUnchanged);
            return isSame;
        } finally {
            close(others);
        }
    }

    private static void read(SqliteConnection own, List<SqliteConnection> others, Ranges ranges, Aggregator aggregator,
            Reading reading) throws SQLException {
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        List<Aggregator> parts = others.stream().map(other -> aggregator.part(others.size())).toList();
        ThreadFactory factory = Thread.ofPlatform().name("treehaul-scan-", 1).factory();
        // Closing it waits for the threads.
        try (ExecutorService threads = Executors.newThreadPerTaskExecutor(factory)) {
            for (int i = 0; i < parts.size(); i++) {
                SqliteConnection other = others.get(i);
                Aggregator part = parts.get(i);
                threads.execute(() -> read(other, ranges, part, reading, failure));
            }
            read(own, ranges, aggregator, reading, failure);
        }
        switch (failure.get()) {
            case null -> parts.forEach(aggregator::add);
            case SQLException e -> throw e;
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            case Throwable e -> throw new IllegalStateException(e);
        }
    }

    private static void read(SqliteConnection connection, Ranges ranges, Aggregator into, Reading reading,
            AtomicReference<@Nullable Throwable> failure) {
        try {
            for (Range range = ranges.take(); range != null && failure.get() == null; range = ranges.take()) {
                reading.add(connection, into, range);
            }
        } catch (Throwable e) {
            // Errors too: otherwise the rows of this range would be missing without a word.
            failure.compareAndSet(null, e);
        }
    }

    /** Divides the numbers of the tuples in a table; returns null if there are few, or it cannot be divided. */
    private static @Nullable Ranges ranges(SqliteConnection connection, Part part, int threads) throws SQLException {
        Table table = part.table();
        if (threads < 2 || !part.isDivisible() || !isLarge(connection, table)) {
            return null;
        }
        long rows = part.isSorted() ? ROWS : Long.MAX_VALUE;
        long first = first(connection, table);
        long last = last(connection, table);
        long least = (long) threads * RANGES;
        long most = Math.max(least, connection.number("PRAGMA page_count") / PAGES);
        long step = Math.max(Math.min(rows, (last - first) / least + 1), (last - first) / most + 1);
        return new Ranges(first, last, step);
    }

    /** Returns whether a table may have so many rows that several threads read them in less time than one. */
    static boolean isLarge(SqliteConnection connection, Table table) throws SQLException {
        return last(connection, table) - first(connection, table) >= LEAST;
    }

    private static long first(SqliteConnection connection, Table table) throws SQLException {
        return connection.number("SELECT min(" + Names.ID + ") FROM " + table.name());
    }

    private static long last(SqliteConnection connection, Table table) throws SQLException {
        return connection.number("SELECT max(" + Names.ID + ") FROM " + table.name());
    }

    /** Returns a number that is another one after a commit of another connection. */
    static long version(SqliteConnection connection) throws SQLException {
        return connection.number("PRAGMA data_version");
    }

    /** Begins a transaction that sees the file as it is now: SQLite itself waits until the first row is read. */
    private static void begin(SqliteConnection connection) throws SQLException {
        connection.run("BEGIN");
        connection.number("SELECT count(*) FROM " + Names.COUNTER);
    }

    private static void close(List<SqliteConnection> connections) throws SQLException {
        SQLException failure = null;
        for (SqliteConnection connection : connections) {
            try {
                connection.close();
            } catch (SQLException e) {
                failure = failure == null ? e : failure;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
