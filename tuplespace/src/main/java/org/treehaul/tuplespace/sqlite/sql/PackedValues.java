// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite.sql;

import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.tuple.Bytes;
import org.treehaul.tuplespace.tuple.Kind;

/**
 * The values that a column has in many rows, which SQLite packs into one answer: a call of its library for each value
 * takes longer than the library needs for the row. Numbers are text with commas between them; texts and bytes follow
 * each other, and their lengths are such numbers. For one thread.
 */
public final class PackedValues {

    private static final byte[] NONE = {};

    private final Kind kind;
    private final byte[] numbers;
    private final byte[] values;
    private int number;
    private int value;

    /**
     * Reads the values from an answer.
     *
     * @param index the first of the {@link #columns} there
     */
    public PackedValues(ResultSet row, int index, Kind kind) throws SQLException {
        this.kind = kind;
        numbers = read(row, index);
        values = width(kind) == 1 ? NONE : read(row, index + 1);
    }

    private static byte[] read(ResultSet row, int index) throws SQLException {
        return Objects.requireNonNullElse(row.getBytes(index), NONE);
    }

    /** Returns whether values of a kind can be packed: a text has not all digits of a number with fractions. */
    public static boolean arePossible(Kind kind) {
        return kind != Kind.REAL;
    }

    /** Returns the columns of an answer for a column of the rows. */
    public static String columns(String column, Kind kind) {
        return width(kind) == 1
                ? "group_concat(ifnull(" + column + ", ''))"
                : "group_concat(ifnull(octet_length(" + column + "), '')), group_concat(" + column + ", '')";
    }

    /** Returns the number of columns of an answer for a column of the rows. */
    public static int width(Kind kind) {
        return kind == Kind.INTEGER ? 1 : 2;
    }

    /** Returns the canonical value in the next row; null if it has none. */
    public @Nullable Object next() {
        Long next = number();
        if (next == null || kind == Kind.INTEGER) {
            return next;
        }
        int from = value;
        if (next < 0 || next > values.length - from) {
            throw damaged();
        }
        value += next.intValue();
        return kind == Kind.TEXT
                ? new String(values, from, value - from, StandardCharsets.UTF_8)
                : Bytes.wrap(Arrays.copyOfRange(values, from, value));
    }

    private @Nullable Long number() {
        if (number > numbers.length) {
            throw damaged();
        }
        int from = number;
        boolean isNegative = from < numbers.length && numbers[from] == '-';
        int at = isNegative ? from + 1 : from;
        // Negative, because the least number has no opposite.
        long negative = 0;
        for (; at < numbers.length && numbers[at] != ','; at++) {
            int digit = numbers[at] - '0';
            if (digit < 0 || digit > 9) {
                throw damaged();
            }
            negative = 10 * negative - digit;
        }
        number = at + 1;
        return at == from ? null : (Long) (isNegative ? negative : -negative);
    }

    private static SpaceException damaged() {
        return new SpaceException(SpaceException.Reason.DAMAGED,
                "a tuple cannot be decoded: a component has a value of another kind");
    }
}
