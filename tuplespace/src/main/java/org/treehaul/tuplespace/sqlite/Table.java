// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.Stored;
import org.treehaul.tuplespace.tuple.Component;
import org.treehaul.tuplespace.tuple.Kind;
import org.treehaul.tuplespace.tuple.TupleType;

/** The table of a record class. */
final class Table {
    final TupleType<?> type;
    /** Its name, quoted. */
    final String name;
    /** What {@link #read} reads, in its order. */
    final String columns;
    final String insert;

    Table(TupleType<?> type) {
        this.type = type;
        name = Names.quote(type.name());
        String components = type.components()
                .stream()
                .map(component -> ", " + Names.quote(component.name()))
                .collect(Collectors.joining());
        columns = Names.ID + ", " + Names.EXPIRES + components;
        insert = "INSERT INTO " + name + "(" + Names.ID + ", " + Names.EXPIRES + ", " + Names.WRITER + components
                + ") VALUES (?, ?, ?" + ", ?".repeat(type.components().size()) + ")";
    }

    void bind(PreparedStatement statement, long id, long expiresAt, long transaction, Record tuple)
            throws SQLException {
        statement.setLong(1, id);
        Link.bind(statement, 2, expiresAt == Store.NEVER ? null : (Object) expiresAt);
        Link.bind(statement, 3, transaction == Store.NONE ? null : (Object) transaction);
        List<Component> components = type.components();
        for (int i = 0; i < components.size(); i++) {
            Link.bind(statement, i + 4, components.get(i).canonical(tuple));
        }
    }

    Stored<Record> read(ResultSet row) throws SQLException {
        List<Component> components = type.components();
        @Nullable Object[] values = new @Nullable Object[components.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = Link.read(row, i + 3, components.get(i).kind());
        }
        Object expires = Link.read(row, 2, Kind.INTEGER);
        return new Stored<>(row.getLong(1), type.create(values), expires == null ? Store.NEVER : (Long) expires);
    }
}
