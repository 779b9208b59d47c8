// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.postgresql.connection.LeaseClock;
import org.treehaul.tuplespace.postgresql.connection.Statements;
import org.treehaul.tuplespace.postgresql.connection.Step;
import org.treehaul.tuplespace.postgresql.connection.Values;
import org.treehaul.tuplespace.postgresql.sql.Names;
import org.treehaul.tuplespace.postgresql.sql.Place;
import org.treehaul.tuplespace.postgresql.sql.Table;
import org.treehaul.tuplespace.postgresql.sql.Where;
import org.treehaul.tuplespace.sql.DatabaseStore;
import org.treehaul.tuplespace.store.Aggregator;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.tuple.Aggregate;
import org.treehaul.tuplespace.tuple.Kind;
import org.treehaul.tuplespace.tuple.Template;
import org.treehaul.tuplespace.tuple.TupleType;

/** Aggregates over the tables of a space: computed on the server, if it can evaluate the conditions. Thread-safe. */
final class AggregateQueries {
    /** Groups that are read at once. */
    private static final int FEW = 10_000;

    private final Writer writer;
    private final Queries queries;
    private final Names names;
    private final LeaseClock clock;

    AggregateQueries(Writer writer, Queries queries) {
        this.writer = writer;
        this.queries = queries;
        names = writer.names;
        clock = writer.clock;
    }

    /** An aggregator, and whether anything was added to it: until then, what failed can be repeated. */
    private static final class Sum {
        private final Aggregator aggregator;
        private boolean hasAdded;

        Sum(Aggregator aggregator) {
            this.aggregator = aggregator;
        }

        Aggregator adding() {
            hasAdded = true;
            return aggregator;
        }

        boolean hasAdded() {
            return hasAdded;
        }
    }

    /** Adds the matching tuples to an aggregator. */
    void aggregate(Template<?> template, Aggregator aggregator, long transaction) {
        Sum sum = new Sum(aggregator);
        if (transaction == Store.NONE && template.type().isRecord()) {
            writer.checkOpen();
            writer.pool.read(connection -> {
                List<Place> places = queries.places(connection, template, false);
                Step<Boolean> adding = own -> add(own, places, sum, transaction);
                for (Place place : places) {
                    if (!isOfServer(place, sum.aggregator.aggregates()) || !addFew(connection, sum, place)) {
                        return connection.atOneMoment(adding);
                    }
                }
                return true;
            }, sum::hasAdded);
        } else {
            queries.look(transaction,
                    connection -> add(connection,
                            queries.places(connection, template, transaction == DatabaseStore.ALONE), sum, transaction),
                    sum::hasAdded);
        }
    }

    private boolean add(Statements connection, List<Place> places, Sum sum, long transaction) throws SQLException {
        for (Place place : places) {
            TupleType<?> type = place.table().type();
            if (!sum.aggregator.fits(type)) {
                continue;
            }
            Where where = Where.toRead(place, DatabaseStore.marked(transaction), names, clock.sql());
            if (isOfServer(place, sum.aggregator.aggregates())) {
                aggregate(connection, place, where, sum, false, "", (key, values) -> sum.adding().add(key, values));
            } else {
                Table table = place.table();
                Predicate<Object> test = place.test();
                connection.each("SELECT " + table.columns() + " FROM " + table.name() + " WHERE " + where.sql(),
                        where.parameters(), row -> {
                            Record tuple = table.read(row).tuple();
                            if (test.test(tuple)) {
                                sum.adding().add(type, tuple);
                            }
                            return true;
                        });
            }
        }
        return true;
    }

    /**
     * Adds the groups of the only table, if they are few, in one exchange with the server; false if there may be more,
     * or transactions hold some of the tuples.
     */
    private boolean addFew(Statements connection, Sum sum, Place place) throws SQLException {
        if (!sum.aggregator.fits(place.table().type())) {
            return true;
        }
        List<@Nullable Object[][]> found = new ArrayList<>();
        boolean countsHeld = !queries.expectsHeld();
        Where where = countsHeld
                ? Where.withTaken(place, clock.sql())
                : Where.toRead(place, Store.NONE, names, clock.sql());
        boolean hasHeld = aggregate(connection, place, where, sum, countsHeld,
                sum.aggregator.by().isEmpty() ? "" : " LIMIT " + FEW,
                (key, values) -> found.add(new @Nullable Object[][]{key, values}));
        if (hasHeld) {
            queries.foundHeld();
            return false;
        }
        if (found.size() == FEW) {
            return false;
        }
        for (@Nullable Object[][] group : found) {
            sum.adding().add(group[0], group[1]);
        }
        return true;
    }

    private static boolean isOfServer(Place place, List<Aggregate> aggregates) {
        TupleType<?> type = place.table().type();
        if (!place.isExact()) {
            return false;
        }
        for (Aggregate aggregate : aggregates) {
            if (!isOfServer(type, aggregate)) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether the server has a function: it has no least and greatest sequence of bytes before version 18. */
    private static boolean isOfServer(TupleType<?> type, Aggregate aggregate) {
        return aggregate.function() == Aggregate.Function.COUNT
                || type.component(aggregate.component()).kind() != Kind.BLOB;
    }

    /**
     * Returns whether transactions hold some of the tuples.
     *
     * @param countsHeld whether to find that out; otherwise false is returned
     */
    private static boolean aggregate(Statements connection, Place place, Where where, Sum sum, boolean countsHeld,
            String tail, BiConsumer<@Nullable Object[], @Nullable Object[]> receiver) throws SQLException {
        TupleType<?> type = place.table().type();
        List<String> by = sum.aggregator.by();
        List<Aggregate> aggregates = sum.aggregator.aggregates();
        // Loops: queries for a few tuples are so short that streams count.
        List<String> columns = new ArrayList<>();
        for (String component : by) {
            columns.add(Names.column(component));
        }
        String grouping = columns.isEmpty() ? "" : " GROUP BY " + String.join(", ", columns);
        for (Aggregate aggregate : aggregates) {
            columns.add(aggregate.function() == Aggregate.Function.COUNT
                    ? "count(*)"
                    : aggregate.function() + "(" + Names.column(aggregate.component()) + ")");
        }
        int all = columns.size();
        if (countsHeld) {
            columns.add("count(" + Names.TAKER + ")");
        }
        boolean[] hasHeld = {false};
        connection.each("SELECT " + (columns.isEmpty() ? "count(*)" : String.join(", ", columns)) + " FROM "
                + place.table().name() + " WHERE " + where.sql() + grouping + tail, where.parameters(), row -> {
                    @Nullable Object[] key = new @Nullable Object[by.size()];
                    for (int i = 0; i < key.length; i++) {
                        key[i] = Values.read(row, 1 + i, type.component(by.get(i)).kind());
                    }
                    @Nullable Object[] values = new @Nullable Object[aggregates.size()];
                    for (int i = 0; i < values.length; i++) {
                        values[i] = value(row, 1 + key.length + i, type, aggregates.get(i));
                    }
                    receiver.accept(key, values);
                    hasHeld[0] |= countsHeld && row.getLong(all + 1) > 0;
                    return true;
                });
        return hasHeld[0];
    }

    private static @Nullable Object value(ResultSet row, int index, TupleType<?> type, Aggregate aggregate)
            throws SQLException {
        if (aggregate.function() == Aggregate.Function.COUNT) {
            return row.getLong(index);
        }
        Kind kind = type.component(aggregate.component()).kind();
        if (aggregate.function() == Aggregate.Function.SUM && kind == Kind.INTEGER) {
            var sum = row.getBigDecimal(index);
            try {
                return sum == null ? null : (Object) sum.longValueExact();
            } catch (ArithmeticException e) {
                throw new ArithmeticException("the sum exceeds the range of a long");
            }
        }
        return Values.read(row, index, kind);
    }
}
