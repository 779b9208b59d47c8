// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.postgresql.connection.Values;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.Stored;
import org.treehaul.tuplespace.tuple.Component;
import org.treehaul.tuplespace.tuple.Kind;
import org.treehaul.tuplespace.tuple.TupleType;

/**
 * The table of a record class, which fits the class.
 *
 * @param type the class
 * @param name quoted name with the schema
 * @param columns the columns that {@link #read} reads, in order
 */
public record Table(TupleType<?> type, String name, String columns) {
    private static final int FIRST = 3;

    public static Table of(Names names, TupleType<?> type) {
        return new Table(type, names.table(type.name()),
                Names.ID + ", " + Names.EXPIRES
                        + type.components()
                                .stream()
                                .map(component -> ", " + Names.column(component.name()))
                                .collect(Collectors.joining()));
    }

    /** Returns the columns in which {@link CopyText} and {@link #insert} write a tuple. */
    public String written() {
        return Names.ID + ", " + Names.WRITER + columns.substring(Names.ID.length());
    }

    /**
     * Returns the statement that inserts a tuple and returns its number. Its parameters are the transaction and the
     * values; before these, the duration of the lease if it has one.
     */
    public String insert(String ids, String now, boolean isLeased) {
        return "INSERT INTO " + name + "(" + written() + ") VALUES (nextval('" + ids.replace("'", "''")
                + "'), ?::bigint, " + (isLeased ? now + " + ?" : "NULL")
                + type.components()
                        .stream()
                        .map(component -> ", ?::" + Values.type(component.kind()))
                        .collect(Collectors.joining())
                + ") RETURNING " + Names.ID;
    }

    /** Reads a row. */
    public Stored<Record> read(ResultSet row) throws SQLException {
        @Nullable Object[] values = new @Nullable Object[type.components().size()];
        for (int i = 0; i < values.length; i++) {
            Component component = type.components().get(i);
            values[i] = Values.read(row, FIRST + i, component.kind());
        }
        Object expires = Values.read(row, 2, Kind.INTEGER);
        return new Stored<>(row.getLong(1), type.create(values), expires == null ? Store.NEVER : (Long) expires);
    }
}
