// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.postgresql.connection.LeaseClock;
import org.treehaul.tuplespace.postgresql.connection.Statements;
import org.treehaul.tuplespace.postgresql.connection.Step;
import org.treehaul.tuplespace.postgresql.connection.Values;
import org.treehaul.tuplespace.postgresql.sql.Names;
import org.treehaul.tuplespace.postgresql.sql.Place;
import org.treehaul.tuplespace.postgresql.sql.Schema;
import org.treehaul.tuplespace.postgresql.sql.Table;
import org.treehaul.tuplespace.postgresql.sql.Where;
import org.treehaul.tuplespace.sql.DatabaseStore;
import org.treehaul.tuplespace.sql.Matches;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.Stored;
import org.treehaul.tuplespace.store.StoredClass;
import org.treehaul.tuplespace.tuple.Condition;
import org.treehaul.tuplespace.tuple.Kind;
import org.treehaul.tuplespace.tuple.Order;
import org.treehaul.tuplespace.tuple.Template;
import org.treehaul.tuplespace.tuple.TupleType;

/** The queries of a space, which change nothing; each uses a connection of its own. Thread-safe. */
final class Queries {
    /** Rows that are read at once. */
    private static final int FEW = 5000;
    /** Tuples that are marked as read at once, so that a split of millions does not keep all their numbers. */
    private static final int PORTION = 1000;
    /** Nanoseconds for which queries expect tuples that transactions hold after one has found such a tuple. */
    private static final long HELD = 1_000_000_000;

    private final Writer writer;
    private final Names names;
    private final LeaseClock clock;
    private volatile long heldUntil = System.nanoTime();

    Queries(Writer writer) {
        this.writer = writer;
        names = writer.names;
        clock = writer.clock;
    }

    /** Looks at what is outside transactions, at one moment. The step must have no effect but its result. */
    private <R> R look(Step<R> reading) {
        writer.checkOpen();
        return writer.pool.read(connection -> connection.atOneMoment(reading));
    }

    /**
     * Looks at one moment, with another connection if the first one had been broken and the step had no effect yet.
     *
     * @param hasEffect returns whether the step has had an effect besides its result
     */
    <R> R look(long transaction, Step<R> reading, BooleanSupplier hasEffect) {
        if (transaction == DatabaseStore.ALONE) {
            return writer.alone.run(reading);
        }
        writer.checkOpen();
        return writer.pool.read(connection -> {
            check(connection, transaction);
            return connection.atOneMoment(reading);
        }, hasEffect);
    }

    private void check(Statements connection, long transaction) throws SQLException {
        if (DatabaseStore.marked(transaction) != Store.NONE && connection.number(
                "SELECT count(*) FROM " + names.transactions() + " WHERE id = ? AND expires > " + clock.sql(),
                transaction) == 0) {
            throw new SpaceException(SpaceException.Reason.TRANSACTION_ENDED, "the transaction has ended");
        }
    }

    /**
     * Returns the places where tuples may match.
     *
     * @param isStep whether the connection is that of a step, which may upgrade tables
     */
    List<Place> places(Statements connection, Template<?> template, boolean isStep) throws SQLException {
        return Matches.places(template, () -> writer.types(connection),
                type -> writer.tableToRead(connection, type, isStep), this::place);
    }

    private Place place(Table table, List<List<Condition>> conditions) {
        return new Place(table, conditions, writer.tables.heads(table.type()));
    }

    /** Returns the only place of the tuples of a record class, if that is known without asking the server. */
    @Nullable Place known(Template<?> template) {
        if (!template.type().isRecord()) {
            return null;
        }
        TupleType<?> type = TupleType.of(template.type().asSubclass(Record.class));
        List<List<Condition>> conditions = template.conditionsFor(type);
        Table table = conditions.isEmpty() ? null : writer.tables.known(type);
        return table == null ? null : place(table, conditions);
    }

    long[] existing(long[] tuples) {
        Values.Several ids = new Values.Several(Kind.INTEGER, Arrays.stream(tuples).boxed().toList());
        return look(connection -> {
            List<Long> found = new ArrayList<>();
            for (String type : writer.types(connection)) {
                connection.each(
                        "SELECT " + Names.ID + " FROM " + names.table(type) + " WHERE " + Names.ID + " = ANY(?)",
                        List.of(ids), row -> found.add(row.getLong(1)));
            }
            return found.stream().mapToLong(Long::longValue).toArray();
        });
    }

    List<StoredClass> recordClasses() {
        return look(connection -> Schema.recordClasses(connection, names));
    }

    /** Returns how many milliseconds the clock of the server is ahead. */
    long ahead() {
        return look(connection -> {
            long before = clock.own().millis();
            long server = connection.number("SELECT " + clock.sql());
            return server - (before + clock.own().millis()) / 2;
        });
    }

    <T> Stream<Stored<T>> contents(Template<T> template, Optional<Order> order, long limit, long transaction) {
        order.ifPresent(by -> by.check(template.type()));
        if (transaction == DatabaseStore.ALONE) {
            // Copied, because later changes of the same transaction must not show.
            return writer.alone.run(connection -> {
                List<Place> places = places(connection, template, true);
                try (Rows rows = rows(connection, places, order, limit, transaction, () -> {
                })) {
                    List<Stored<Record>> all = new ArrayList<>();
                    rows.forEachRemaining(all::add);
                    return Matches.stream(template, order, limit, all.iterator(), () -> {
                    });
                }
            });
        }
        if (transaction != Store.NONE && limit < Long.MAX_VALUE) {
            List<Stored<Record>> first = writer
                    .run(connection -> keepFirst(connection, template, order, limit, transaction));
            return Matches.stream(template, order, limit, first.iterator(), () -> {
            });
        }
        if (transaction != Store.NONE) {
            writer.run(connection -> keep(connection, template, transaction));
        }
        writer.checkOpen();
        return writer.pool.repeated(() -> streamed(template, order, limit, transaction));
    }

    private <T> Stream<Stored<T>> streamed(Template<T> template, Optional<Order> order, long limit, long transaction)
            throws SQLException {
        Statements connection = null;
        try {
            Statements own = writer.pool.borrow();
            connection = own;
            // Before the snapshot: the writer may upgrade tables of another version, which it would not show.
            List<Place> places = places(own, template, false);
            boolean isOneStatement = template.type().isRecord() && transaction == Store.NONE;
            if (isOneStatement && (order.isEmpty() || limit <= FEW)) {
                List<Stored<Record>> few = few(own, places, order, limit);
                if (few != null) {
                    own.close();
                    return Matches.ofOneTable(few);
                }
            }
            if (isOneStatement) {
                own.begin();
            } else {
                check(own, transaction);
                own.beginToRead();
                places = places(own, template, false);
            }
            Rows rows = rows(own, places, order, limit, transaction, () -> {
                try (own) {
                    own.commit();
                }
            });
            return Matches.stream(template, order, limit, rows, rows::close);
        } catch (SQLException | RuntimeException | Error e) {
            Writer.discard(connection, e);
            throw e;
        }
    }

    /**
     * Returns the rows of the only table, if they are few: in one exchange with the server, which may use several
     * processes, as it does not for a query whose rows are fetched in portions. Returns null if there may be more, or
     * transactions hold some of them.
     */
    private @Nullable List<Stored<Record>> few(Statements connection, List<Place> places, Optional<Order> order,
            long limit) throws SQLException {
        List<Stored<Record>> found = new ArrayList<>();
        boolean[] isHeld = {false};
        long most = Math.min(limit, FEW);
        for (Place place : places) {
            if (!place.isExact()) {
                return null;
            }
            boolean hasTaken = !expectsHeld();
            Table table = place.table();
            Where where = hasTaken
                    ? Where.withTaken(place, clock.sql())
                    : Where.toRead(place, Store.NONE, names, clock.sql());
            connection.each("SELECT " + table.columns() + (hasTaken ? ", " + Names.TAKER : "") + " FROM " + table.name()
                    + " WHERE " + where.sql() + tail(place, order, most), where.parameters(), row -> {
                        isHeld[0] |= hasTaken && row.getObject(table.next()) != null;
                        return found.add(table.read(row));
                    });
        }
        if (isHeld[0]) {
            foundHeld();
            return null;
        }
        return found.size() == most && most < limit ? null : found;
    }

    /** Returns whether transactions held tuples that were found not long ago. */
    boolean expectsHeld() {
        return heldUntil - System.nanoTime() > 0;
    }

    /** Notes that transactions hold tuples that were found. */
    void foundHeld() {
        heldUntil = System.nanoTime() + HELD;
    }

    private Rows rows(Statements connection, List<Place> places, Optional<Order> order, long limit, long transaction,
            Rows.End end) throws SQLException {
        List<Rows.Part> parts = new ArrayList<>();
        long marked = DatabaseStore.marked(transaction);
        for (Place place : places) {
            Where where = Where.toRead(place, marked, names, clock.sql());
            parts.add(new Rows.Part(place, marked == Store.NONE ? where : where.keptBy(marked),
                    tail(place, order, limit)));
        }
        return new Rows(writer.server(), connection, parts, end);
    }

    private static String tail(Place place, Optional<Order> order, long limit) {
        StringBuilder tail = new StringBuilder();
        order.ifPresent(by -> {
            String direction = by.isDescending() ? " DESC NULLS LAST" : " ASC NULLS FIRST";
            tail.append(" ORDER BY ");
            if (by.component().isEmpty()) {
                tail.append(Names.ID).append(direction);
            } else if (place.table().type().has(by.component())) {
                tail.append(Names.column(by.component())).append(direction).append(", ").append(Names.ID);
            } else {
                tail.append(Names.ID);
            }
        });
        if (limit != Long.MAX_VALUE && place.isExact()) {
            tail.append(" LIMIT ").append(limit);
        }
        return tail.toString();
    }

    /** Marks as read, within a step, the tuples that {@link #contents} then returns, so that no other can take them. */
    private boolean keep(Statements connection, Template<?> template, long transaction) throws SQLException {
        new Transactions(writer).check(connection, transaction);
        for (Place place : places(connection, template, true)) {
            Where where = Where.toKeep(place, transaction, clock.sql());
            Table table = place.table();
            List<Long> ids = new ArrayList<>();
            Predicate<Object> test = place.test();
            connection.eachWhile("SELECT " + (place.isExact() ? Names.ID : table.columns()) + " FROM " + table.name()
                    + " WHERE " + where.sql() + " FOR UPDATE", where.parameters(), row -> {
                        if (place.isExact() || test.test(table.read(row).tuple())) {
                            ids.add(row.getLong(1));
                        }
                        if (ids.size() == PORTION) {
                            markRead(connection, table, ids, transaction);
                            ids.clear();
                        }
                        return true;
                    });
            markRead(connection, table, ids, transaction);
        }
        return true;
    }

    /** Marks the first tuples of all tables together as read, within a step, and returns them. */
    private List<Stored<Record>> keepFirst(Statements connection, Template<?> template, Optional<Order> order,
            long limit, long transaction) throws SQLException {
        new Transactions(writer).check(connection, transaction);
        Map<Long, Table> tables = new HashMap<>();
        List<Stored<Record>> found = new ArrayList<>();
        for (Place place : places(connection, template, true)) {
            Where where = Where.toKeep(place, transaction, clock.sql());
            Table table = place.table();
            Predicate<Object> test = place.test();
            long[] left = {limit};
            connection.eachWhile("SELECT " + table.columns() + " FROM " + table.name() + " WHERE " + where.sql()
                    + tail(place, order, limit) + " FOR UPDATE", where.parameters(), row -> {
                        Stored<Record> stored = table.read(row);
                        if (place.isExact() || test.test(stored.tuple())) {
                            left[0]--;
                            tables.put(stored.id(), table);
                            found.add(stored);
                        }
                        return left[0] > 0;
                    });
        }
        order.ifPresent(by -> found.sort(by.comparator(Stored::tuple, Stored::id)));
        List<Stored<Record>> first = found.stream().limit(limit).toList();
        Map<Table, List<Long>> read = new HashMap<>();
        first.forEach(stored -> read
                .computeIfAbsent(Objects.requireNonNull(tables.get(stored.id())), one -> new ArrayList<>())
                .add(stored.id()));
        for (var one : read.entrySet()) {
            markRead(connection, one.getKey(), one.getValue(), transaction);
        }
        return first;
    }

    /** Marks tuples as read by a transaction, unless it has written them itself. */
    static void markRead(Statements connection, Table table, List<Long> ids, long transaction) throws SQLException {
        if (!ids.isEmpty()) {
            connection.update("UPDATE " + table.name() + " SET " + Names.READERS + " = " + Names.READERS
                    + " || ?::bigint WHERE " + Names.ID + " = ANY(?) AND " + Names.WRITER + " IS NULL AND (? = ANY("
                    + Names.READERS + ")) IS NOT TRUE", transaction, new Values.Several(Kind.INTEGER, ids),
                    transaction);
        }
    }

    /** Returns when the next lease of a tuple or transaction ends, on the clock of this process. */
    long nextEnd() {
        return look(connection -> {
            long next = Store.NEVER;
            List<String> ends = new ArrayList<>();
            ends.add("SELECT min(expires) FROM " + names.transactions() + " WHERE true" + writer.access.andMine());
            for (String type : writer.types(connection)) {
                ends.add("SELECT min(" + Names.EXPIRES + ") FROM " + names.table(type) + " WHERE " + Names.EXPIRES
                        + " IS NOT NULL");
            }
            Object left = connection.first(
                    "SELECT min(e) - " + clock.sql() + " FROM (" + String.join(" UNION ALL ", ends) + ") ends(e)",
                    List.of(), row -> Values.read(row, 1, Kind.INTEGER));
            return left == null ? next : clock.end((Long) left);
        });
    }
}
