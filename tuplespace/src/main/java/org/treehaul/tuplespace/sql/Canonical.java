// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.tuple.Bytes;
import org.treehaul.tuplespace.tuple.Kind;
import org.treehaul.tuplespace.tuple.TupleType;

/** Reads canonical values from rows, and makes tuples of them. */
public final class Canonical {

    private Canonical() {}

    /**
     * Returns the tuple of a row.
     *
     * @param id its number, for the message
     * @throws IllegalArgumentException when there is no tuple with these values: other programs can write anything into
     *         a database, and other versions of a class may have other constants
     */
    public static Record tuple(TupleType<?> type, long id, @Nullable Object[] values) {
        try {
            return type.create(values);
        } catch (RuntimeException e) {
            throw new IllegalArgumentException("tuple " + id + " of " + type.name() + " cannot be decoded: "
                    + Objects.requireNonNullElse(e.getMessage(), e.toString()), e);
        }
    }

    /** Returns the value of a column; null if it has none. */
    public static @Nullable Object read(ResultSet row, int index, Kind kind) throws SQLException {
        return read(row, index, kind, false);
    }

    /**
     * Returns the value of a column; null if it has none.
     *
     * @param isPresent whether it has one, which saves asking the driver whether a zero is one
     */
    public static @Nullable Object read(ResultSet row, int index, Kind kind, boolean isPresent) throws SQLException {
        return switch (kind) {
            case INTEGER -> {
                long integer = row.getLong(index);
                yield integer == 0 && !isPresent && row.wasNull() ? null : (Object) integer;
            }
            case REAL -> {
                double real = row.getDouble(index);
                yield real == 0 && row.wasNull() ? null : (Object) real;
            }
            case TEXT -> row.getString(index);
            case BLOB -> {
                byte[] bytes = row.getBytes(index);
                yield bytes == null ? null : Bytes.wrap(bytes);
            }
        };
    }
}
