// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite;

import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.sql.Alternatives;
import org.treehaul.tuplespace.sql.Canonical;
import org.treehaul.tuplespace.sql.DatabaseStore;
import org.treehaul.tuplespace.sql.Matches;
import org.treehaul.tuplespace.sqlite.connection.Errors;
import org.treehaul.tuplespace.sqlite.connection.Readers;
import org.treehaul.tuplespace.sqlite.connection.SqliteConnection;
import org.treehaul.tuplespace.sqlite.sql.Names;
import org.treehaul.tuplespace.sqlite.sql.Rows;
import org.treehaul.tuplespace.sqlite.sql.Table;
import org.treehaul.tuplespace.sqlite.sql.Where;
import org.treehaul.tuplespace.store.Aggregator;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.Stored;
import org.treehaul.tuplespace.tuple.Aggregate;
import org.treehaul.tuplespace.tuple.Condition;
import org.treehaul.tuplespace.tuple.Group;
import org.treehaul.tuplespace.tuple.Kind;
import org.treehaul.tuplespace.tuple.Order;
import org.treehaul.tuplespace.tuple.Template;
import org.treehaul.tuplespace.tuple.TupleType;

/** The queries of a file, which change nothing; each uses a connection of its own. Thread-safe. */
final class SqliteQueries {
    private final Path file;
    private final boolean isWal;
    private final Writer writer;
    private final Readers readers;

    SqliteQueries(Path file, boolean isWal, Writer writer, Readers readers) {
        this.file = file;
        this.isWal = isWal;
        this.writer = writer;
        this.readers = readers;
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

    private Rows rows(SqliteConnection connection, Template<?> template, Optional<Order> order, long limit,
            long transaction, boolean isCopy, Rows.End atEnd) throws SQLException {
        check(connection, transaction);
        List<Rows.Part> parts = new ArrayList<>();
        long marked = DatabaseStore.marked(transaction);
        for (Place place : places(connection, template)) {
            Where where = Where.free(place.conditions(), false, marked, writer.now());
            parts.add(new Rows.Part(place.table(), marked == Store.NONE ? where : where.keptBy(marked),
                    tail(Names.ID, key(place.table(), order), order, limit)));
        }
        return new Rows(file, connection, parts, isCopy, isCopy && transaction != DatabaseStore.ALONE, atEnd);
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
        return order.map(Order::component).filter(table.type()::has).map(Names::quote).orElse("NULL");
    }

    /**
     * Computes aggregates. Without groups, SQLite computes them itself. Groups are made here: SQLite would sort all
     * rows by group, which takes two to three times as long as passing them on.
     */
    List<Group> aggregate(Aggregator aggregator, Template<?> template, List<String> by, List<Aggregate> aggregates,
            long transaction) {
        List<String> columns = new ArrayList<>();
        by.forEach(name -> columns.add(Names.quote(name)));
        for (Aggregate aggregate : aggregates) {
            boolean isCount = aggregate.function() == Aggregate.Function.COUNT;
            String column = isCount ? "*" : Names.quote(aggregate.component());
            if (by.isEmpty()) {
                columns.add(aggregate.function() + "(" + column + ")");
            } else if (!isCount) {
                columns.add(column);
            }
        }
        String select = columns.isEmpty() ? "1" : String.join(", ", columns);
        look(transaction, connection -> {
            for (Place place : places(connection, template)) {
                TupleType<?> type = place.table().type();
                if (aggregator.fits(type)) {
                    Kind[] keys = by.stream().map(name -> type.component(name).kind()).toArray(Kind[]::new);
                    @Nullable Kind[] values = aggregates.stream()
                            .map(Aggregate::component)
                            .map(name -> !name.isEmpty()
                                    ? type.component(name).kind()
                                    : by.isEmpty() ? Kind.INTEGER : null)
                            .toArray(Kind[]::new);
                    // Joined by OR, SQLite would remember the number of each row in memory.
                    for (List<List<Condition>> part : Alternatives.parts(place.conditions())) {
                        try (Where where = Where.free(part, false, DatabaseStore.marked(transaction), writer.now())) {
                            connection.each(
                                    "SELECT " + select + " FROM " + place.table().name() + " WHERE " + where.sql(),
                                    where.parameters(), row -> {
                                        aggregator.add(read(row, 1, keys), read(row, 1 + keys.length, values));
                                        return true;
                                    });
                        }
                    }
                }
            }
            return true;
        });
        return aggregator.groups();
    }

    // A null kind represents the count of the row itself.
    private static @Nullable Object[] read(ResultSet row, int from, @Nullable Kind[] kinds) throws SQLException {
        @Nullable Object[] values = new @Nullable Object[kinds.length];
        int at = from;
        for (int i = 0; i < kinds.length; i++) {
            Kind kind = kinds[i];
            values[i] = kind == null ? (Object) 1L : Canonical.read(row, at++, kind);
        }
        return values;
    }

    /** Returns when the next lease of a tuple or transaction ends. */
    long nextEnd() {
        return readers.read(connection -> {
            List<String> ends = new ArrayList<>();
            ends.add("SELECT min(expires) AS end FROM " + Names.TRANSACTIONS);
            connection.each("SELECT name FROM " + Names.TYPES, List.of(), row -> ends.add("SELECT min(" + Names.EXPIRES
                    + ") FROM " + Names.quote(row.getString(1)) + " WHERE " + Names.EXPIRES + " IS NOT NULL"));
            long next = Store.NEVER;
            for (String end : ends) {
                Long first = connection.first(end, List.of(), SqliteConnection::number);
                next = first == null ? next : Math.min(next, first);
            }
            return next;
        });
    }
}
