// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.treehaul.tuplespace.postgresql.connection.ServerErrors;
import org.treehaul.tuplespace.postgresql.connection.Values;
import org.treehaul.tuplespace.sql.Canonical;
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
 * @param values the columns of the number, the lease and the components, in order
 * @param isShared whether the table has a column of the users who wrote the tuples
 * @param heads the columns that contain {@link Heads}, by the columns of their values
 */
public record Table(TupleType<?> type, String name, String values, boolean isShared, Map<String, String> heads) {
    private static final Logger LOG = LoggerFactory.getLogger(Table.class);
    private static final int FIRST = 3;

    /** Returns a table without columns that contain heads. */
    public static Table of(Names names, TupleType<?> type, boolean isShared) {
        return of(names, type, isShared, Map.of());
    }

    public static Table of(Names names, TupleType<?> type, boolean isShared, Map<String, String> heads) {
        return new Table(type, names.table(type.name()),
                Names.ID + ", " + Names.EXPIRES
                        + type.components()
                                .stream()
                                .map(component -> ", " + Names.column(component.name()))
                                .collect(Collectors.joining()),
                isShared, heads);
    }

    /** Returns the expression for the head of a component. */
    String head(Component component) {
        String column = Names.column(component.name());
        String kept = heads.get(column);
        return kept == null ? Heads.of(component.kind(), column) : kept;
    }

    /** Returns the columns that {@link #read} reads, in order. */
    public String columns() {
        return isShared ? values + ", " + Names.OWNER : values;
    }

    /** Returns the index of the first column of a row after those that {@link #read} reads. */
    public int next() {
        return FIRST + type.components().size() + (isShared ? 1 : 0);
    }

    /** Returns the columns in which {@link CopyText} and {@link #insert} write a tuple. */
    public String written() {
        return Names.ID + ", " + Names.WRITER + values.substring(Names.ID.length());
    }

    /**
     * Returns the statement that inserts a tuple and returns its number. Its parameters are the transaction and the
     * values; before these, the duration of the lease if it has one.
     */
    public String insert(String ids, String now, boolean isLeased) {
        return "INSERT INTO " + name + "(" + written() + ") VALUES (" + values(ids, now, isLeased) + ") RETURNING "
                + Names.ID;
    }

    /**
     * Returns the statement that inserts a tuple as {@link #insert(String, String, boolean)} does if a query has a row.
     * The parameters of the query come first.
     */
    public String insertIf(String query, String ids, String now, boolean isLeased) {
        return "WITH guard AS MATERIALIZED (" + query + ") INSERT INTO " + name + "(" + written() + ") SELECT "
                + values(ids, now, isLeased) + " FROM guard RETURNING " + Names.ID;
    }

    private String values(String ids, String now, boolean isLeased) {
        return "nextval('" + ids.replace("'", "''") + "'), ?::bigint, " + (isLeased ? now + " + ?" : "NULL")
                + type.components()
                        .stream()
                        .map(component -> ", ?::" + Values.type(component.kind()))
                        .collect(Collectors.joining());
    }

    /** Returns the statement that inserts a tuple with a given number, transaction and end of its lease. */
    String insert() {
        return "INSERT INTO " + name + "(" + written() + ") VALUES (?::bigint, ?::bigint, ?::bigint"
                + type.components()
                        .stream()
                        .map(component -> ", ?::" + Values.type(component.kind()))
                        .collect(Collectors.joining())
                + ")";
    }

    /** Reads a row; throws an exception with the code of damage if it is none of the type. */
    public Stored<Record> read(ResultSet row) throws SQLException {
        @Nullable Object[] read = new @Nullable Object[type.components().size()];
        for (int i = 0; i < read.length; i++) {
            Component component = type.components().get(i);
            read[i] = Values.read(row, FIRST + i, component.kind());
        }
        Object expires = Values.read(row, 2, Kind.INTEGER);
        long id = row.getLong(1);
        try {
            return new Stored<>(id, Canonical.tuple(type, id, read), expires == null ? Store.NEVER : (Long) expires,
                    isShared ? row.getString(FIRST + read.length) : null);
        } catch (IllegalArgumentException e) {
            throw ServerErrors.undecodable(e);
        }
    }

    /** Reads a row for a listener; returns null if it is none of the type, because then no registration matches it. */
    public @Nullable Stored<Record> readIfWhole(ResultSet row) throws SQLException {
        try {
            return read(row);
        } catch (SQLException e) {
            if (ServerErrors.isUndecodable(e)) {
                LOG.debug("not reported: {}", e.getMessage());
                return null;
            }
            throw e;
        }
    }
}
