// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.store.RecordClasses.Kept;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.Stored;
import org.treehaul.tuplespace.tuple.Kind;
import org.treehaul.tuplespace.tuple.TupleType;

/** The table of a record class. */
final class Table {
    private static final int FIRST = 4;

    final TupleType<?> type;
    /** Its name, quoted. */
    final String name;
    /** What {@link #read} reads, in its order. */
    final String columns;
    final String insert;
    private final TableRow row;
    private final Checksum sum;

    /** A tuple does not match its checksum. */
    static final class MismatchException extends SQLException {
        private static final long serialVersionUID = 1L;
        final long id;

        MismatchException(String message, long id) {
            super(message, null, Errors.CORRUPT);
            this.id = id;
        }
    }

    private Table(TupleType<?> type, TableRow row) {
        this.type = type;
        this.row = row;
        name = row.name();
        columns = row.columns();
        String components = type.components()
                .stream()
                .map(component -> ", " + Names.quote(component.name()))
                .collect(Collectors.joining());
        insert = "INSERT INTO " + name + "(" + Names.ID + ", " + Names.EXPIRES + ", " + Names.WRITER + ", "
                + Names.CHECK + components + ") VALUES (?, ?, ?, ?" + ", ?".repeat(type.components().size()) + ")";
        sum = new Checksum(type.name(), own(type));
    }

    /** Returns the table of a type of which it is known that it is there and fits. */
    static Table of(Link link, TupleType<?> type) throws SQLException {
        List<Kept> kept = Schema.kept(link, type.name());
        return new Table(type, TableRow.of(link, type.name(), columns(type, kept == null ? List.of() : kept)));
    }

    private static List<Kept> own(TupleType<?> type) {
        return type.components().stream().map(one -> new Kept(one.name(), one.kind())).toList();
    }

    /** Those of the type, then those that it does not have, for their part in the checksum. */
    private static List<Kept> columns(TupleType<?> type, List<Kept> kept) {
        List<Kept> columns = new ArrayList<>(own(type));
        kept.stream().filter(one -> !type.has(one.name())).forEach(columns::add);
        return columns;
    }

    void bind(PreparedStatement statement, long id, long expiresAt, long transaction, Record tuple)
            throws SQLException {
        statement.setLong(1, id);
        Link.bind(statement, 2, expiresAt == Store.NEVER ? null : (Object) expiresAt);
        Link.bind(statement, 3, transaction == Store.NONE ? null : (Object) transaction);
        @Nullable Object[] values = type.canonical(tuple);
        statement.setLong(4, Checksum.withMarks(sum.of(id, values), expiresAt, transaction));
        for (int i = 0; i < values.length; i++) {
            Link.bind(statement, FIRST + 1 + i, values[i]);
        }
    }

    /** Reads a row; MismatchException when it is damaged. */
    Stored<Record> read(ResultSet from) throws SQLException {
        @Nullable Object[] values = row.read(from);
        Object expires = Link.read(from, 2, Kind.INTEGER);
        int own = type.components().size();
        return new Stored<>(from.getLong(1), type.create(values.length == own ? values : Arrays.copyOf(values, own)),
                expires == null ? Store.NEVER : (Long) expires);
    }
}
