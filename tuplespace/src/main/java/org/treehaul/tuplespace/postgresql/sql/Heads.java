// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql.sql;

import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.postgresql.connection.Statements;
import org.treehaul.tuplespace.postgresql.connection.Values;
import org.treehaul.tuplespace.store.StoreOptions;
import org.treehaul.tuplespace.tuple.Bytes;
import org.treehaul.tuplespace.tuple.Component;
import org.treehaul.tuplespace.tuple.Kind;
import org.treehaul.tuplespace.tuple.TupleType;

/**
 * The beginnings of texts and byte strings, which indexes contain in place of the values: a row of an index takes at
 * most 2704 bytes.
 * <p>
 * Heads have the order of the values. A value that is shorter than a head is its own head and that of no other value,
 * so a comparison of heads with it decides the comparison of the values.
 */
public final class Heads {
    /** Bytes of a head; this many times {@link #MOST} fit into a row. */
    private static final int BYTES = 600;
    /** A character takes four bytes at most. */
    private static final int CHARACTERS = BYTES / 4;
    /** The most heads in an index; further components of that kind are left out. */
    private static final int MOST = 4;

    private Heads() {}

    /** Returns the components of a type of which the indexes have heads. */
    public static Set<String> of(StoreOptions options, TupleType<?> type) {
        Set<String> heads = new HashSet<>();
        for (StoreOptions.Index index : options.indexes()) {
            if (index.type() == type.recordClass()) {
                index.components().stream().filter(name -> isCut(type.component(name))).forEach(heads::add);
            }
        }
        return heads;
    }

    private static boolean isCut(Component component) {
        Class<?> own = component.type();
        boolean isShort = own.isEnum() || own == UUID.class || own == Instant.class;
        return !isShort && (component.kind() == Kind.TEXT || component.kind() == Kind.BLOB);
    }

    /**
     * A part of an index: a component, or its head.
     *
     * @param cut the kind of the component if the index contains its head; null if it contains the value
     */
    record Part(String component, @Nullable Kind cut) {
        String sql() {
            String column = Names.column(component);
            return cut == null ? column : Heads.of(cut, column);
        }
    }

    /** Returns what an index contains. */
    static List<Part> parts(StoreOptions.Index index) {
        TupleType<?> type = TupleType.of(index.type());
        List<Part> parts = new ArrayList<>();
        int heads = 0;
        for (String name : index.components()) {
            Component component = type.component(name);
            boolean isCut = isCut(component);
            heads += isCut ? 1 : 0;
            if (!isCut || heads <= MOST) {
                parts.add(new Part(name, isCut ? component.kind() : null));
            }
        }
        return parts;
    }

    /** Returns whether an index contains heads. */
    static boolean isIn(StoreOptions.Index index) {
        return parts(index).stream().anyMatch(part -> part.cut() != null);
    }

    /**
     * Returns the columns that contain heads, by the columns of their values: tables have some where users are apart.
     */
    public static Map<String, String> columns(Statements connection, String table) throws SQLException {
        Map<String, String> columns = new HashMap<>();
        connection.each(
                "SELECT value.attname, head.attname FROM pg_attribute head JOIN pg_attribute value"
                        + " ON value.attrelid = head.attrelid AND head.attname = '$head ' || value.attnum"
                        + " WHERE head.attrelid = to_regclass(?) AND head.attgenerated = 's'",
                List.of(table), row -> columns.put(Names.quote(row.getString(1)), Names.quote(row.getString(2))));
        return Map.copyOf(columns);
    }

    /** Returns the expression for the head of a value. */
    static String of(Kind kind, String value) {
        return kind == Kind.TEXT
                ? "left(" + value + ", " + CHARACTERS + ")"
                : "substring(" + value + ", 1, " + BYTES + ")";
    }

    /** Returns whether a canonical value is its own head and that of no other value. */
    static boolean isWhole(Object canonical) {
        if (canonical instanceof Bytes bytes) {
            return bytes.length() < BYTES;
        }
        String stored = Values.stored((String) canonical);
        return stored.codePointCount(0, stored.length()) < CHARACTERS;
    }
}
