// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql.sql;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.postgresql.connection.Statements;
import org.treehaul.tuplespace.postgresql.connection.Values;
import org.treehaul.tuplespace.store.RecordClasses;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;
import org.treehaul.tuplespace.store.StoreOptions;
import org.treehaul.tuplespace.store.StoredClass;
import org.treehaul.tuplespace.tuple.Component;
import org.treehaul.tuplespace.tuple.TupleType;

/** Makes the tables of a space, upgrades them, and adapts them to record classes that have gained components. */
public final class Schema {
    /** The version of the tables that this program makes and uses. */
    public static final int VERSION = 2;
    /** The oldest version of servers with which the tests of this program have been run. */
    private static final int OLDEST_SERVER = 15;
    /** The version whose indexes have whole values, so that long ones cannot be written. */
    private static final int WHOLE_VALUES = 1;

    private final Names names;
    private final StoreOptions options;
    private final Access access;

    public Schema(Names names, StoreOptions options, Access access) {
        this.names = names;
        this.options = options;
        this.access = access;
    }

    /**
     * Returns the version of the space in the schema; 0 if there is none.
     *
     * @throws SpaceException VERSION when a newer program made it, the server is too old, or the database cannot keep
     *         all texts
     */
    public static int version(Statements connection, Names names, Object server) throws SQLException {
        if (connection.serverVersion() < OLDEST_SERVER) {
            throw new SpaceException(Reason.VERSION, server + ": the server is PostgreSQL " + connection.serverVersion()
                    + "; a tuple space needs version " + OLDEST_SERVER + " or newer");
        }
        String encoding = connection.first("SELECT current_setting('server_encoding')", List.of(),
                row -> row.getString(1));
        if (!"UTF8".equals(encoding)) {
            throw new SpaceException(Reason.VERSION, server + ": the database has the encoding " + encoding
                    + "; a tuple space needs one with UTF8 (createdb -E UTF8 -T template0)");
        }
        // A query of tables, because the functions to_regclass and to_regnamespace do not see at once what another
        // connection has made while this one waited for a lock.
        if (connection.number("SELECT count(*) FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace"
                + " WHERE nspname = ? AND relname = ?", names.schema(), Names.SPACE) == 0) {
            return 0;
        }
        long version = connection.number("SELECT version FROM " + names.space());
        if (version > VERSION) {
            throw new SpaceException(Reason.VERSION, server + " is a tuple space of version " + version
                    + "; this program knows versions up to " + VERSION + ": use a newer one");
        }
        return (int) version;
    }

    /**
     * Makes the space in the schema, or upgrades it, within a transaction that holds the lock of tables.
     *
     * @throws SpaceException DAMAGED when the schema contains other tables
     */
    public void upgrade(Statements connection, int from, Object server) throws SQLException {
        if (from == 0) {
            String schema = Names.quote(names.schema());
            if (connection.number("SELECT count(to_regnamespace(?))", schema) == 0) {
                connection.run("CREATE SCHEMA " + schema);
            } else if (connection.number("SELECT count(*) FROM pg_class WHERE relnamespace = to_regnamespace(?)::oid",
                    schema) > 0) {
                throw new SpaceException(Reason.DAMAGED, server
                        + ": the schema contains other tables and no tuple space;" + " name another with ?schema=NAME");
            }
            connection.run("CREATE TABLE " + names.space() + "(version integer NOT NULL, changes bigint NOT NULL)");
            connection.run("INSERT INTO " + names.space() + " VALUES (" + VERSION + ", 0)");
            connection.run("CREATE TABLE " + names.types() + "(name text PRIMARY KEY, components text NOT NULL)");
            connection.run("CREATE SEQUENCE " + names.ids());
            // Positive integers of 32 bits without the numbers of the other locks.
            connection.run("CREATE SEQUENCE " + names.clientIds() + " MINVALUE 16 MAXVALUE 2147483647 CYCLE");
            connection.run("CREATE TABLE " + names.transactions()
                    + "(id bigint PRIMARY KEY, client bigint NOT NULL, expires bigint NOT NULL)");
            connection.run("CREATE INDEX ON " + names.transactions() + "(expires)");
            connection.run("CREATE TABLE " + names.clients() + "(id bigint PRIMARY KEY, lost bigint)");
            connection.run("CREATE TABLE " + names.watchers() + "(client bigint PRIMARY KEY, events boolean NOT NULL)");
            connection.run("CREATE TABLE " + names.changes() + "(sequence bigint PRIMARY KEY, origin text NOT NULL,"
                    + " kind text NOT NULL, type text NOT NULL, tuple bytea NOT NULL)");
        }
        if (from == WHOLE_VALUES) {
            dropIndexes(connection);
        }
        connection.run("UPDATE " + names.space() + " SET version = " + VERSION);
    }

    /** Removes the indexes that programs have made over components; one that needs an index makes it again. */
    private void dropIndexes(Statements connection) throws SQLException {
        List<String> types = new ArrayList<>();
        connection.each("SELECT name FROM " + names.types(), List.of(), row -> types.add(row.getString(1)));
        for (String type : types) {
            Map<String, String> known = new HashMap<>();
            Objects.requireNonNull(kept(connection, type))
                    .forEach(one -> known.put(Names.plainColumn(one.name()), one.name()));
            // An index with a name that no program gives belongs to an administrator.
            List<String> own = new ArrayList<>();
            connection
                    .each("SELECT i.relname, array_to_string(array_agg(attname ORDER BY place), chr(10)) FROM pg_index"
                            + " JOIN pg_class i ON i.oid = indexrelid, unnest(indkey) WITH ORDINALITY AS key(number, place)"
                            + " JOIN pg_attribute ON attnum = number WHERE indrelid = to_regclass(?) AND attrelid = indrelid"
                            + " AND NOT indisprimary GROUP BY i.relname", List.of(names.table(type)), row -> {
                                List<String> components = row.getString(2)
                                        .lines()
                                        .map(column -> known.getOrDefault(column, column))
                                        .toList();
                                return indexName(components, type).equals(row.getString(1))
                                        && own.add(row.getString(1));
                            });
            for (String index : own) {
                connection.run("DROP INDEX " + names.in(index));
            }
        }
    }

    /**
     * Returns whether an index that the options request is missing. An index of whole values in place of heads counts
     * as missing, unless another role owns it: programs of version 1 make such indexes as long as they run. In a shared
     * space, columns may contain the heads.
     */
    public boolean lacks(Statements connection, StoreOptions.Index index) throws SQLException {
        return connection.number(
                "SELECT count(*) FROM pg_class JOIN pg_index ON indexrelid = oid"
                        + " WHERE relnamespace = to_regnamespace(?)::oid AND relname = ?"
                        + " AND (indexprs IS NOT NULL OR ? = 0 OR NOT pg_has_role(relowner, 'USAGE'))",
                Names.quote(names.schema()), indexName(index), !access.isShared() && Heads.isIn(index) ? 1L : 0L) == 0;
    }

    /** Returns the stored components of a record class; null if there is no table for it. */
    public @Nullable List<RecordClasses.Kept> kept(Statements connection, String type) throws SQLException {
        String text = connection.first("SELECT components FROM " + names.types() + " WHERE name = ?", List.of(type),
                row -> row.getString(1));
        return text == null ? null : RecordClasses.parse(text);
    }

    /** Returns the record classes of which the space has tables. */
    public static List<StoredClass> recordClasses(Statements connection, Names names) throws SQLException {
        Map<String, String> texts = new LinkedHashMap<>();
        connection.each("SELECT name, components FROM " + names.types(), List.of(), row -> {
            texts.put(row.getString(1), row.getString(2));
            return true;
        });
        List<StoredClass> classes = new ArrayList<>();
        for (Map.Entry<String, String> text : texts.entrySet()) {
            Set<String> required = new HashSet<>();
            connection.each("SELECT attname FROM pg_attribute WHERE attrelid = to_regclass(?) AND attnotnull",
                    List.of(names.table(text.getKey())), row -> required.add(row.getString(1)));
            classes.add(new StoredClass(text.getKey(),
                    RecordClasses.parse(text.getValue())
                            .stream()
                            .map(kept -> new StoredClass.Part(kept.name(), kept.kind(),
                                    !required.contains(Names.plainColumn(kept.name()))))
                            .toList()));
        }
        return classes;
    }

    /**
     * Makes the table of a type, or adds the components that it has gained, within a transaction that holds the lock of
     * tables.
     */
    public void ensure(Statements connection, TupleType<?> type, boolean withIndexes) throws SQLException {
        List<RecordClasses.Kept> kept = kept(connection, type.name());
        if (access.isShared()) {
            new SharedSchema(names, access).define(connection, type.name(),
                    type.components().stream().map(one -> Names.plainColumn(one.name())).toList(),
                    type.components().stream().map(Schema::declaration).toList(), RecordClasses.text(type, kept));
            if (kept == null && withIndexes) {
                indexes(connection, type);
            }
            return;
        }
        String table = names.table(type.name());
        if (kept == null) {
            StringBuilder sql = new StringBuilder("CREATE TABLE ").append(table).append("(");
            sql.append(Names.ID).append(" bigint PRIMARY KEY");
            for (Component component : type.components()) {
                sql.append(", ").append(column(component));
            }
            for (String column : List.of(Names.EXPIRES, Names.WRITER, Names.TAKER)) {
                sql.append(", ").append(column).append(" bigint");
            }
            connection.run(sql.append(", ").append(Names.READERS).append(" bigint[])").toString());
            if (withIndexes) {
                indexes(connection, type);
            }
        } else {
            List<Integer> places = RecordClasses.places(type, kept);
            for (int i = 0; i < places.size(); i++) {
                if (places.get(i) < 0) {
                    connection.run("ALTER TABLE " + table + " ADD COLUMN " + column(type.components().get(i)));
                }
            }
        }
        connection.update(
                "INSERT INTO " + names.types()
                        + " VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET components = excluded.components",
                type.name(), RecordClasses.text(type, kept));
    }

    /** Returns the column's declaration. Primitives are never absent: rows of other versions without a value have 0. */
    private static String column(Component component) {
        return Names.column(component.name()) + " " + declaration(component);
    }

    private static String declaration(Component component) {
        return Values.columnType(component.kind()) + (component.type().isPrimitive() ? " NOT NULL DEFAULT 0" : "");
    }

    /** Makes missing indexes. The first ones are tiny: they contain only leased tuples and those in transactions. */
    public void indexes(Statements connection, TupleType<?> type) throws SQLException {
        if (access.isShared()) {
            for (StoreOptions.Index index : options.indexes()) {
                if (RecordClasses.isOf(index, type)) {
                    new SharedSchema(names, access).index(connection, indexName(index), type.name(),
                            Heads.parts(index));
                }
            }
            return;
        }
        String table = names.table(type.name());
        for (String column : List.of(Names.EXPIRES, Names.WRITER, Names.TAKER)) {
            connection.run("CREATE INDEX IF NOT EXISTS " + Names.quote(Names.shortened(column + " of " + type.name()))
                    + " ON " + table + "(" + column + ") WHERE " + column + " IS NOT NULL");
        }
        connection
                .run("CREATE INDEX IF NOT EXISTS " + Names.quote(Names.shortened(Names.READERS + " of " + type.name()))
                        + " ON " + table + "(" + Names.ID + ") WHERE " + Names.READERS + " IS NOT NULL");
        for (StoreOptions.Index index : options.indexes()) {
            if (RecordClasses.isOf(index, type) && lacks(connection, index)) {
                connection.run("DROP INDEX IF EXISTS " + names.in(indexName(index)));
                connection.run("CREATE INDEX " + Names.quote(indexName(index)) + " ON " + table + "("
                        + Heads.parts(index).stream().map(Heads.Part::sql).collect(Collectors.joining(", ")) + ")");
            }
        }
    }

    /** Returns the name of an index that the options request. */
    public static String indexName(StoreOptions.Index index) {
        return indexName(index.components(), index.type().getName());
    }

    private static String indexName(List<String> components, String type) {
        return Names.shortened(String.join(" ", components) + " of " + type);
    }
}
