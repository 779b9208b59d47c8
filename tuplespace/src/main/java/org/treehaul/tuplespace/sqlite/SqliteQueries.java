// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import org.treehaul.tuplespace.sql.DatabaseStore;
import org.treehaul.tuplespace.sql.Matches;
import org.treehaul.tuplespace.sqlite.connection.Errors;
import org.treehaul.tuplespace.sqlite.connection.Readers;
import org.treehaul.tuplespace.sqlite.connection.SqliteConnection;
import org.treehaul.tuplespace.sqlite.sql.Names;
import org.treehaul.tuplespace.sqlite.sql.Rows;
import org.treehaul.tuplespace.sqlite.sql.Schema;
import org.treehaul.tuplespace.sqlite.sql.SharedReader;
import org.treehaul.tuplespace.sqlite.sql.Table;
import org.treehaul.tuplespace.sqlite.sql.Where;
import org.treehaul.tuplespace.store.Aggregator;
import org.treehaul.tuplespace.store.RecordClasses;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.Stored;
import org.treehaul.tuplespace.tuple.Aggregate;
import org.treehaul.tuplespace.tuple.Condition;
import org.treehaul.tuplespace.tuple.Kind;
import org.treehaul.tuplespace.tuple.Order;
import org.treehaul.tuplespace.tuple.Template;
import org.treehaul.tuplespace.tuple.TupleType;

/** The queries of a file, which change nothing; each uses a connection of its own. Thread-safe. */
final class SqliteQueries {
    /**
     * Rows that a transaction keeps in memory rather than in a table: as many as a run of the index compares at once.
     */
    private static final int FEW = 2048;
    private static final long FEW_BYTES = 1 << 20;

    private final Path file;
    private final boolean isWal;
    private final Writer writer;
    private final Readers readers;
    private final TableRanges ranges;

    SqliteQueries(Path file, boolean isWal, Writer writer, Readers readers) {
        this.file = file;
        this.isWal = isWal;
        this.writer = writer;
        this.readers = readers;
        ranges = new TableRanges(readers);
    }

    private <R> R look(long transaction, Readers.Reading<R> reading) {
        return transaction == DatabaseStore.ALONE
                ? writer.alone.run(() -> reading.read(writer.connection))
                : readers.read(connection -> {
                    check(connection, transaction);
                    return reading.read(connection);
                });
    }

    /** Checks the transaction's lease too, because readers do not end transactions whose leases are over. */
    private void check(SqliteConnection connection, long transaction) throws SQLException {
        if (DatabaseStore.marked(transaction) != Store.NONE && connection.number(
                "SELECT EXISTS (SELECT 1 FROM " + Names.TRANSACTIONS + " WHERE id = ? AND expires > ?)", transaction,
                writer.now()) == 0) {
            throw new SpaceException(SpaceException.Reason.TRANSACTION_ENDED, "the transaction has ended");
        }
    }

    /** A table in which tuples may match, and the conditions there: a tuple must meet all of at least one list. */
    record Place(Table table, List<List<Condition>> conditions) {}

    List<Place> places(SqliteConnection connection, Template<?> template) throws SQLException {
        return Matches.places(template, () -> {
            List<String> names = new ArrayList<>();
            connection.each("SELECT name FROM " + Names.TYPES, List.of(), row -> names.add(row.getString(1)));
            return names;
        }, type -> writer.tableToRead(connection, type), Place::new);
    }

    <T> Stream<Stored<T>> contents(Template<T> template, Optional<Order> order, long limit, long transaction) {
        order.ifPresent(by -> by.check(template.type()));
        if (transaction == DatabaseStore.ALONE) {
            Optional<List<Stored<Record>>> few = writer.alone.run(() -> few(template, order, limit));
            if (few.isPresent()) {
                return Matches.stream(template, order, limit, few.get().iterator(), () -> {
                });
            }
            Rows rows = writer.alone
                    .run(() -> rows(writer.connection, template, order, limit, DatabaseStore.ALONE, true, () -> {
                    }));
            return Matches.stream(template, order, limit, rows, rows::close);
        }
        if (transaction != Store.NONE) {
            writer.run(() -> {
                check(writer.connection, transaction);
                return new ReadMarks(writer, transaction).add(places(writer.connection, template), order, limit);
            });
        }
        SqliteConnection connection = readers.borrow();
        try {
            // Before BEGIN: the writer may upgrade tables of another version, which a snapshot taken earlier would not
            // show.
            places(connection, template);
            connection.run("BEGIN");
            Rows rows = rows(connection, template, order, limit, transaction, !isWal, () -> {
                try {
                    if (isWal) {
                        connection.run("COMMIT");
                    }
                } catch (SQLException e) {
                    Readers.discard(connection, e);
                    throw e;
                }
                readers.giveBack(connection);
            });
            return Matches.stream(template, order, limit, rows, rows::close);
        } catch (SQLException e) {
            Readers.discard(connection, e);
            throw Errors.of(file, e);
        } catch (RuntimeException | Error e) {
            Readers.discard(connection, e);
            throw e;
        }
    }

    /**
     * Reads the rows for the transaction of this thread alone, which may change them while the caller handles them;
     * returns nothing if they are so many that they should be copied by the database instead.
     */
    private Optional<List<Stored<Record>>> few(Template<?> template, Optional<Order> order, long limit)
            throws SQLException {
        List<Stored<Record>> few = new ArrayList<>();
        long[] bytes = {0};
        for (Place place : places(writer.connection, template)) {
            Table table = place.table();
            try (Where where = Where.free(place.table(), place.conditions(), false, Store.NONE, writer.now())) {
                boolean isFew = writer.connection.eachWhile("SELECT " + table.columns() + " FROM " + table.from()
                        + " WHERE " + selection(table, where, order, limit), where.parameters(), row -> {
                            Stored<Record> found = table.read(row);
                            few.add(found);
                            bytes[0] += TupleType.of(found.tuple()).size(found.tuple());
                            return few.size() <= FEW && bytes[0] <= FEW_BYTES;
                        });
                if (!isFew) {
                    return Optional.empty();
                }
            }
        }
        return Optional.of(few);
    }

    private Rows rows(SqliteConnection connection, Template<?> template, Optional<Order> order, long limit,
            long transaction, boolean isCopy, Rows.End atEnd) throws SQLException {
        check(connection, transaction);
        List<Rows.Part> parts = new ArrayList<>();
        long marked = DatabaseStore.marked(transaction);
        for (Place place : places(connection, template)) {
            Where where = Where.free(place.table(), place.conditions(), false, marked, writer.now());
            Where visible = marked == Store.NONE ? where : where.keptBy(marked);
            parts.add(new Rows.Part(place.table(), visible, selection(place.table(), visible, order, limit)));
        }
        return new Rows(file, connection, parts, isCopy, isCopy && transaction != DatabaseStore.ALONE, atEnd);
    }

    /**
     * Returns what follows WHERE. If tuples share values, those that are sorted and counted are selected without these
     * values first: SQLite would look the values of all tuples up before it drops most of the tuples.
     */
    private static String selection(Table table, Where where, Optional<Order> order, long limit) {
        String key = key(table, order);
        String all = where.sql() + tail(Names.ID, key, order, limit);
        boolean isFirst = limit != Long.MAX_VALUE && table.isSharing()
                && order.map(Order::component)
                        .filter(name -> table.type().has(name) && !table.isShared(name))
                        .isPresent();
        return isFirst
                ? Names.ID + " IN (SELECT " + Names.ID + " FROM " + table.name() + " WHERE " + all + ")"
                        + tail(Names.ID, key, order, Long.MAX_VALUE)
                : all;
    }

    static String tail(String id, String key, Optional<Order> order, long limit) {
        StringBuilder tail = new StringBuilder();
        order.ifPresent(by -> {
            String down = by.isDescending() ? " DESC" : "";
            tail.append(" ORDER BY ");
            tail.append(by.component().isEmpty() ? id + down : key + down + ", " + id);
        });
        if (limit != Long.MAX_VALUE) {
            tail.append(" LIMIT ").append(limit);
        }
        return tail.toString();
    }

    /** Returns the column that the order sorts by; NULL if there is none. */
    static String key(Table table, Optional<Order> order) {
        return order.map(Order::component).filter(table.type()::has).map(table::column).orElse("NULL");
    }

    /**
     * Adds the matching tuples of one moment to an aggregator, by all processors if many rows have to be read. Without
     * groups, SQLite computes the aggregates itself, and with groups if it sorts the rows of short ranges for them: to
     * sort all rows takes two to three times as long as to pass them on.
     */
    void aggregate(Template<?> template, Aggregator aggregator, long transaction) {
        look(transaction, connection -> {
            // Otherwise the tables are looked up again: another process may have made one for another class.
            boolean isOfOneClass = template.type().isRecord();
            List<TableRanges.Part> parts = parts(connection, template, aggregator, transaction);
            if (parts.stream().anyMatch(TableRanges.Part::isDivisible)) {
                long version = TableRanges.version(connection);
                List<TableRanges.Part> all = isOfOneClass
                        ? parts
                        : parts(connection, template, aggregator, transaction);
                if (ranges.read(connection, version, all, aggregator)) {
                    return true;
                }
            }
            // A statement sees one moment anyway, and so do those in the transaction of this thread alone.
            boolean isOneStatement = isOfOneClass && parts.stream().allMatch(part -> part.reading().statements() == 1);
            if (isOneStatement || transaction == DatabaseStore.ALONE) {
                add(connection, parts, aggregator);
            } else {
                connection.run("BEGIN");
                add(connection, parts(connection, template, aggregator, transaction), aggregator);
                connection.run("COMMIT");
            }
            return true;
        });
    }

    private static void add(SqliteConnection connection, List<TableRanges.Part> parts, Aggregator aggregator)
            throws SQLException {
        for (TableRanges.Part part : parts) {
            part.reading().add(connection, aggregator, TableRanges.Range.ALL);
        }
    }

    /** Returns the tables of the matching tuples, and how their rows are read. */
    private List<TableRanges.Part> parts(SqliteConnection connection, Template<?> template, Aggregator aggregator,
            long transaction) throws SQLException {
        long now = writer.now();
        List<TableRanges.Part> parts = new ArrayList<>();
        for (Place place : places(connection, template)) {
            if (aggregator.fits(place.table().type())) {
                parts.add(new TableRanges.Part(place.table(),
                        transaction == Store.NONE && isDivisible(connection, place, aggregator),
                        isSorted(place, aggregator),
                        new RowAggregates(place, aggregator, DatabaseStore.marked(transaction), now)));
            }
        }
        return parts;
    }

    /**
     * Returns whether about all rows have to be read, and the aggregates of parts are those of the whole: the sum of
     * numbers with fractions depends on their order.
     */
    private boolean isDivisible(SqliteConnection connection, Place place, Aggregator aggregator) throws SQLException {
        TupleType<?> type = place.table().type();
        for (Aggregate aggregate : aggregator.aggregates()) {
            if (aggregate.function() == Aggregate.Function.SUM
                    && type.component(aggregate.component()).kind() == Kind.REAL) {
                return false;
            }
        }
        List<String> indexed = writer.options.indexes()
                .stream()
                .filter(index -> RecordClasses.isOf(index, type))
                .map(index -> index.components().getFirst())
                .toList();
        for (List<Condition> all : place.conditions()) {
            if (isOfMany(connection, place.table(), all, indexed, !aggregator.by().isEmpty())) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns whether so many rows may meet conditions that several threads read all rows in less time than one looks
     * them up: without groups, looking up takes hardly longer and half of the processor time.
     */
    private static boolean isOfMany(SqliteConnection connection, Table table, List<Condition> all, List<String> indexed,
            boolean isGrouped) throws SQLException {
        for (Condition condition : all) {
            if (!indexed.contains(condition.component())) {
                continue;
            }
            boolean isOfFew = condition instanceof Condition.Equal || condition instanceof Condition.In;
            if (!isGrouped || isOfFew || !table.isShared(condition.component())
                    || !TableRanges.isLarge(connection, table)
                    || !SharedReader.areManyMet(connection, table, condition)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns whether SQLite sorts the rows for groups, and does not find the numbers of shared values before each
     * range.
     */
    private static boolean isSorted(Place place, Aggregator aggregator) {
        return !aggregator.by().isEmpty() && place.conditions()
                .stream()
                .flatMap(List::stream)
                .map(Condition::component)
                .noneMatch(place.table()::isShared);
    }

    /** Returns when the next lease of a tuple or transaction ends. */
    long nextEnd() {
        return readers.read(connection -> {
            List<String> ends = new ArrayList<>();
            ends.add("SELECT min(expires) AS end FROM " + Names.TRANSACTIONS);
            for (String table : Schema.tables(connection).values()) {
                ends.add(
                        "SELECT min(" + Names.EXPIRES + ") FROM " + table + " WHERE " + Names.EXPIRES + " IS NOT NULL");
            }
            long next = Store.NEVER;
            for (String end : ends) {
                Long first = connection.first(end, List.of(), SqliteConnection::number);
                next = first == null ? next : Math.min(next, first);
            }
            return next;
        });
    }
}
