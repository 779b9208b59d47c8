// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.sql.Alternatives;
import org.treehaul.tuplespace.sql.Canonical;
import org.treehaul.tuplespace.sqlite.SqliteQueries.Place;
import org.treehaul.tuplespace.sqlite.connection.SqliteConnection;
import org.treehaul.tuplespace.sqlite.sql.Names;
import org.treehaul.tuplespace.sqlite.sql.PackedValues;
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
 * few groups; otherwise the aggregator receives every row, of which SQLite packs those of a range into one answer.
 * Thread-safe.
 */
final class RowAggregates implements TableRanges.Reading {
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
        /** Finding the rows, and packing them into one answer with their number. */
        PACKED,
        /** Finding the rows. */
        ROWS
    }

    /** Bytes of the values of a column in one answer, above which rows are passed on one by one. */
    private static final int MOST_PACKED = 16 << 20;

    /** The alternatives, each for a statement: joined by OR, SQLite would remember the number of each row in memory. */
    private final List<List<List<Condition>>> parts;
    private final Table table;
    private final long marked;
    private final long now;
    private final List<String> by;
    private final List<Aggregate> aggregates;
    private final boolean isTotal;
    /** Whether SQLite makes groups: until a range has too many. */
    private volatile boolean makesGroups;
    /** Whether rows are packed: until those of a range have too many bytes. */
    private volatile boolean packs;

    /**
     * Prepares questions for the rows of a place.
     *
     * @param aggregator an aggregator with the components and functions
     * @param marked number of the transaction in which they are asked
     * @param now the moment at which tuples must have their leases
     */
    RowAggregates(Place place, Aggregator aggregator, long marked, long now) {
        parts = Alternatives.parts(place.conditions());
        this.marked = marked;
        this.now = now;
        table = place.table();
        by = aggregator.by();
        aggregates = aggregator.aggregates();
        isTotal = by.isEmpty() && !aggregator.isDerived();
        // The least number of a shared value is not that of the least value.
        makesGroups = !by.isEmpty() && aggregates.stream().map(Aggregate::component).noneMatch(table::isShared);
        packs = Stream.concat(by.stream(), aggregates.stream().map(Aggregate::component))
                .allMatch(name -> name.isEmpty() || PackedValues.arePossible(kind(name)));
    }

    @Override
    public int statements() {
        return parts.size();
    }

    @Override
    public void add(SqliteConnection connection, Aggregator into, TableRanges.Range range) throws SQLException {
        Work work = isTotal
                ? Work.TOTAL
                : range.isAll() ? Work.ROWS : makesGroups ? Work.GROUPS : packs ? Work.PACKED : Work.ROWS;
        String tail = range.condition() + (work == Work.GROUPS ? " GROUP BY " + columns() : "");
        String head = select(work, range.hint());
        Reader reader = new Reader(connection, into, work);
        for (List<List<Condition>> part : parts) {
            try (Where where = Where.free(table, part, false, marked, now)) {
                String rows = " WHERE " + where.sql() + tail;
                List<@Nullable Object> parameters = new ArrayList<>(where.parameters());
                parameters.addAll(range.parameters());
                if (work != Work.PACKED) {
                    connection.each(head + rows, parameters, reader);
                } else if (!connection.eachWithin(MOST_PACKED, head + rows, parameters, reader)) {
                    packs = false;
                    connection.each(select(Work.ROWS, range.hint()) + rows, parameters,
                            new Reader(connection, into, Work.ROWS));
                }
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
        by.forEach(name -> columns.add(column(work, name)));
        for (Aggregate aggregate : aggregates) {
            String name = aggregate.component();
            if (work == Work.TOTAL || work == Work.GROUPS) {
                columns.add(aggregate.function() + "(" + (name.isEmpty() ? "*" : table.column(name)) + ")");
            } else if (!name.isEmpty()) {
                columns.add(column(work, name));
            }
        }
        if (work == Work.GROUPS || work == Work.PACKED) {
            columns.add("count(*)");
        }
        boolean isJoined = work == Work.TOTAL
                && aggregates.stream().map(Aggregate::component).anyMatch(table::isShared);
        return "SELECT " + (columns.isEmpty() ? "1" : String.join(", ", columns)) + " FROM "
                + (isJoined ? table.from(hint) : table.name() + hint);
    }

    private String column(Work work, String name) {
        return work == Work.PACKED ? PackedValues.columns(Names.quote(name), kind(name)) : Names.quote(name);
    }

    /** Returns the kind of the values of a component in rows: shared values are numbers there. */
    private Kind kind(String name) {
        return table.isShared(name) ? Kind.INTEGER : table.type().component(name).kind();
    }

    /**
     * A column of an answer.
     *
     * @param at its number, that of the first if the values of many rows are packed; 0 if there is none, because the
     *        value is one
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

        @Nullable Object next(@Nullable PackedValues packed) throws SQLException {
            if (packed == null) {
                return 1L;
            }
            Object value = packed.next();
            return shared != null ? shared.value(value instanceof Long number ? number : 0) : value;
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
            width += work == Work.GROUPS || work == Work.PACKED ? 1 : 0;
        }

        private Column column(String name) {
            if (name.isEmpty()) {
                return new Column(work == Work.ROWS || work == Work.PACKED ? 0 : ++width, Kind.INTEGER, true, null);
            }
            Component component = table.type().component(name);
            boolean isNumber = work != Work.TOTAL && table.isShared(name);
            Kind kind = work == Work.TOTAL ? component.kind() : kind(name);
            int at = width + 1;
            width += work == Work.PACKED ? PackedValues.width(kind) : 1;
            return new Column(at, kind, work != Work.TOTAL && component.type().isPrimitive(),
                    isNumber ? new SharedReader(connection, table, name) : null);
        }

        @Override
        public Boolean read(ResultSet row) throws SQLException {
            if (work == Work.PACKED) {
                addAll(row);
                return true;
            }
            into.add(read(row, keys), read(row, values));
            if (work == Work.GROUPS) {
                groups++;
                rows += row.getLong(width);
            }
            return true;
        }

        private void addAll(ResultSet row) throws SQLException {
            @Nullable PackedValues[] packedKeys = packed(row, keys);
            @Nullable PackedValues[] packedValues = packed(row, values);
            for (long left = row.getLong(width); left > 0; left--) {
                into.add(next(keys, packedKeys), next(values, packedValues));
            }
        }

        private static @Nullable PackedValues[] packed(ResultSet row, Column[] columns) throws SQLException {
            @Nullable PackedValues[] all = new @Nullable PackedValues[columns.length];
            for (int i = 0; i < all.length; i++) {
                all[i] = columns[i].at == 0 ? null : new PackedValues(row, columns[i].at, columns[i].kind);
            }
            return all;
        }

        private static @Nullable Object[] next(Column[] columns, @Nullable PackedValues[] packed) throws SQLException {
            @Nullable Object[] all = new @Nullable Object[columns.length];
            for (int i = 0; i < all.length; i++) {
                all[i] = columns[i].next(packed[i]);
            }
            return all;
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
