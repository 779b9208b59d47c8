// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.sql.Alternatives;
import org.treehaul.tuplespace.sql.Canonical;
import org.treehaul.tuplespace.sqlite.SqliteQueries.Place;
import org.treehaul.tuplespace.sqlite.connection.SqliteConnection;
import org.treehaul.tuplespace.sqlite.sql.Names;
import org.treehaul.tuplespace.sqlite.sql.SharedReader;
import org.treehaul.tuplespace.sqlite.sql.Table;
import org.treehaul.tuplespace.sqlite.sql.Where;
import org.treehaul.tuplespace.store.Aggregator;
import org.treehaul.tuplespace.tuple.Aggregate;
import org.treehaul.tuplespace.tuple.Component;
import org.treehaul.tuplespace.tuple.Condition;
import org.treehaul.tuplespace.tuple.Kind;

/**
 * Aggregates over the rows of a table. SQLite computes them if there are no groups, and for each range of rows that has
 * few groups; otherwise the aggregator receives every row. Thread-safe.
 */
final class RowAggregates {
    /** Rows of a group below which SQLite takes longer to sort a range than to pass its rows on, as measured. */
    private static final int ROWS_OF_GROUP = 3;
    /** Fewer rows of a range that meet the conditions say nothing about other ranges. */
    private static final int LEAST = 100;

    /** The part of the work that SQLite does. */
    private enum Work {
        /** All: there is one answer. */
        TOTAL,
        /** An answer for each group, and the number of its rows. */
        GROUPS,
        /** Finding the rows. */
        ROWS
    }

    private final Place place;
    private final Table table;
    private final long marked;
    private final LongSupplier now;
    private final List<String> by;
    private final List<Aggregate> aggregates;
    private final boolean isTotal;
    /** Whether SQLite makes groups: until a range has too many. */
    private volatile boolean makesGroups;

    /**
     * Prepares questions for the rows of a place.
     *
     * @param aggregator an aggregator with the components and functions
     * @param marked number of the transaction in which they are asked
     */
    RowAggregates(Place place, Aggregator aggregator, long marked, LongSupplier now) {
        this.place = place;
        this.marked = marked;
        this.now = now;
        table = place.table();
        by = aggregator.by();
        aggregates = aggregator.aggregates();
        isTotal = by.isEmpty() && !aggregator.isDerived();
        // The least number of a shared value is not that of the least value.
        makesGroups = !by.isEmpty() && aggregates.stream().map(Aggregate::component).noneMatch(table::isShared);
    }

    /** Adds the aggregates over the rows of a range. */
    void add(SqliteConnection connection, Aggregator into, TableRanges.Range range) throws SQLException {
        Work work = isTotal ? Work.TOTAL : makesGroups && !range.isAll() ? Work.GROUPS : Work.ROWS;
        String head = select(work, range.hint()) + " WHERE ";
        String tail = range.condition() + (work == Work.GROUPS ? " GROUP BY " + columns() : "");
        Reader reader = new Reader(connection, into, work);
        // Joined by OR, SQLite would remember the number of each row in memory.
        for (List<List<Condition>> part : Alternatives.parts(place.conditions())) {
            try (Where where = Where.free(table, part, false, marked, now.getAsLong())) {
                List<@Nullable Object> parameters = new ArrayList<>(where.parameters());
                parameters.addAll(range.parameters());
                connection.each(head + where.sql() + tail, parameters, reader);
            }
        }
        if (work == Work.GROUPS && reader.rows >= LEAST && reader.groups * ROWS_OF_GROUP > reader.rows) {
            makesGroups = false;
        }
    }

    private String columns() {
        return by.stream().map(Names::quote).collect(Collectors.joining(", "));
    }

    /** Returns the statement up to the tables, in which shared values are numbers, except in a total. */
    private String select(Work work, String hint) {
        List<String> columns = new ArrayList<>();
        by.forEach(name -> columns.add(Names.quote(name)));
        for (Aggregate aggregate : aggregates) {
            String name = aggregate.component();
            if (work != Work.ROWS) {
                columns.add(aggregate.function() + "(" + (name.isEmpty() ? "*" : table.column(name)) + ")");
            } else if (!name.isEmpty()) {
                columns.add(Names.quote(name));
            }
        }
        if (work == Work.GROUPS) {
            columns.add("count(*)");
        }
        boolean isJoined = work == Work.TOTAL
                && aggregates.stream().map(Aggregate::component).anyMatch(table::isShared);
        return "SELECT " + (columns.isEmpty() ? "1" : String.join(", ", columns)) + " FROM "
                + (isJoined ? table.from(hint) : table.name() + hint);
    }

    /**
     * A column of an answer.
     *
     * @param at its number; 0 if there is none, because the value is one
     * @param isPresent whether it has a value in every answer
     * @param shared finds the value by the number in the column; null if the column has the value itself
     */
    private record Column(int at, Kind kind, boolean isPresent, @Nullable SharedReader shared) {

        @Nullable Object read(ResultSet row) throws SQLException {
            if (at == 0) {
                return 1L;
            }
            return shared != null ? shared.value(row.getLong(at)) : Canonical.read(row, at, kind, isPresent);
        }
    }

    /** Adds the answers of a statement to an aggregator. */
    private final class Reader implements SqliteConnection.Row<Boolean> {
        private final SqliteConnection connection;
        private final Aggregator into;
        private final Work work;
        private final Column[] keys;
        private final Column[] values;
        /** Columns of the answer. */
        private int width;
        /** Groups and rows that SQLite has found. */
        private long groups;
        private long rows;

        Reader(SqliteConnection connection, Aggregator into, Work work) {
            this.connection = connection;
            this.into = into;
            this.work = work;
            keys = by.stream().map(this::column).toArray(Column[]::new);
            values = aggregates.stream().map(Aggregate::component).map(this::column).toArray(Column[]::new);
            width += work == Work.GROUPS ? 1 : 0;
        }

        private Column column(String name) {
            if (name.isEmpty()) {
                return new Column(work == Work.ROWS ? 0 : ++width, Kind.INTEGER, true, null);
            }
            Component component = table.type().component(name);
            boolean isNumber = work != Work.TOTAL && table.isShared(name);
            return new Column(++width, component.kind(), work != Work.TOTAL && component.type().isPrimitive(),
                    isNumber ? new SharedReader(connection, table, name) : null);
        }

        @Override
        public Boolean read(ResultSet row) throws SQLException {
            into.add(read(row, keys), read(row, values));
            if (work == Work.GROUPS) {
                groups++;
                rows += row.getLong(width);
            }
            return true;
        }

        private static @Nullable Object[] read(ResultSet row, Column[] columns) throws SQLException {
            @Nullable Object[] all = new @Nullable Object[columns.length];
            for (int i = 0; i < all.length; i++) {
                all[i] = columns[i].read(row);
            }
            return all;
        }
    }
}
