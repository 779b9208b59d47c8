// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sql;

import java.sql.ResultSet;
import java.sql.SQLException;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.tuple.Bytes;
import org.treehaul.tuplespace.tuple.Kind;

/** Reads canonical values from rows. */
public final class Canonical {

    private Canonical() {}

    /** Returns the value of a column; null if it has none. */
    public static @Nullable Object read(ResultSet row, int index, Kind kind) throws SQLException {
        return switch (kind) {
            case INTEGER -> {
                long integer = row.getLong(index);
                yield integer == 0 && row.wasNull() ? null : (Object) integer;
            }
            case REAL -> {
                double real = row.getDouble(index);
                yield real == 0 && row.wasNull() ? null : (Object) real;
            }
            case TEXT -> row.getString(index);
            case BLOB -> {
                byte[] bytes = row.getBytes(index);
                yield bytes == null ? null : Bytes.of(bytes);
            }
        };
    }
}
