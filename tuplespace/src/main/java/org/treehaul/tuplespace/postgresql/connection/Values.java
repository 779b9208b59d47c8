// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql.connection;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Collection;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.sql.Canonical;
import org.treehaul.tuplespace.tuple.Bytes;
import org.treehaul.tuplespace.tuple.Kind;

/** Converts canonical values to those of the server and back. */
public final class Values {

    /** Several canonical values of a kind as one parameter, an array. */
    public record Several(Kind kind, Collection<?> values) {}

    private Values() {}

    /** Returns the type of the columns of a kind. Texts compare by code point, as UTF-8 does byte by byte. */
    public static String columnType(Kind kind) {
        return kind == Kind.TEXT ? "text COLLATE \"C\"" : type(kind);
    }

    /** Returns the type of a kind. */
    public static String type(Kind kind) {
        return switch (kind) {
            case INTEGER -> "bigint";
            case REAL -> "double precision";
            case TEXT -> "text";
            case BLOB -> "bytea";
        };
    }

    /** Binds a canonical value, or {@link Several}. */
    public static void bind(PreparedStatement statement, int index, @Nullable Object canonical) throws SQLException {
        switch (canonical) {
            case null -> statement.setNull(index, Types.NULL);
            case Long integer -> statement.setLong(index, integer);
            case Double real -> statement.setDouble(index, real);
            case String text -> statement.setString(index, stored(text));
            case Bytes bytes -> statement.setBytes(index, bytes.toArray());
            case Several(Kind kind, Collection<?> values) -> statement.setArray(index,
                    statement.getConnection()
                            .createArrayOf(kind == Kind.REAL ? "float8" : kind == Kind.INTEGER ? "int8" : type(kind),
                                    elements(kind, values)));
            default -> throw new IllegalArgumentException("not a canonical value: " + canonical.getClass());
        }
    }

    private static Object[] elements(Kind kind, Collection<?> values) {
        return switch (kind) {
            case TEXT -> values.stream().map(text -> stored((String) text)).toArray();
            case BLOB -> values.stream().map(bytes -> ((Bytes) bytes).toArray()).toArray(byte[][]::new);
            case INTEGER, REAL -> values.toArray();
        };
    }

    /** Returns a canonical value of a row. */
    public static @Nullable Object read(ResultSet row, int index, Kind kind) throws SQLException {
        Object value = Canonical.read(row, index, kind);
        return value instanceof String text ? read(text) : value;
    }

    /**
     * Returns the form of a text on the server, which keeps no NUL: NUL becomes 1 1, and 1 becomes 1 2. The order and
     * the prefixes of texts stay the same.
     */
    public static String stored(String text) {
        if (text.indexOf('\0') < 0 && text.indexOf('\1') < 0) {
            return text;
        }
        StringBuilder stored = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            switch (text.charAt(i)) {
                case '\0' -> stored.append("\1\1");
                case '\1' -> stored.append("\1\2");
                default -> stored.append(text.charAt(i));
            }
        }
        return stored.toString();
    }

    private static String read(String stored) {
        if (stored.indexOf('\1') < 0) {
            return stored;
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < stored.length(); i++) {
            char c = stored.charAt(i);
            boolean isPair = c == '\1' && i + 1 < stored.length();
            text.append(isPair ? (char) (stored.charAt(++i) - 1) : c);
        }
        return text.toString();
    }
}
