// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite.sql;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.CRC32C;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.store.RecordClasses;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.tuple.Bytes;

/**
 * The checksum of a row: the 32-bit sum of a hash of each value together with its column's name, and of the
 * contributions of the marks for lease and transactions. Because it is a sum, SQL can update it when only a mark
 * changes. Adding a column does not change it: absent values and the number zero contribute nothing.
 */
public final class Checksum {
    private static final long MASK = 0xFFFFFFFFL;
    private static final int NAME_LENGTH = 60;
    private static final int SHOWN = 3;

    private final long seed;
    private final long[] seeds;

    /** Creates the checksum for rows of a table with these columns, in this order. */
    Checksum(String type, List<RecordClasses.Kept> columns) {
        seed = mix(hash(type.getBytes(StandardCharsets.UTF_8)));
        seeds = columns.stream()
                .mapToLong(column -> mix(seed + hash(column.name().getBytes(StandardCharsets.UTF_8))))
                .toArray();
    }

    private static long hash(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, bytes.length);
        return crc.getValue() | (long) bytes.length << 32;
    }

    /** The finalizer of SplitMix64: each bit of the argument changes about half of the bits of the result. */
    private static long mix(long value) {
        long mixed = (value ^ value >>> 30) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94d049bb133111ebL;
        return mixed ^ mixed >>> 31;
    }

    /** Returns the checksum of a row without its marks; the values are canonical. */
    long of(long id, @Nullable Object[] values) {
        long sum = mix(seed + id);
        for (int i = 0; i < values.length; i++) {
            sum += of(seeds[i], values[i]);
        }
        return sum & MASK;
    }

    private static long of(long seed, @Nullable Object value) {
        return switch (value) {
            case null -> 0;
            case Long integer -> integer == 0 ? 0 : mix(seed + integer);
            // SQLite does not store the sign of zero.
            case Double real -> real == 0 ? 0 : mix(seed + Double.doubleToLongBits(real));
            case String text -> mix(seed + 1 + hash(text.getBytes(StandardCharsets.UTF_8)));
            case Bytes bytes -> mix(seed + 2 + hash(bytes.array()));
            default -> throw new IllegalArgumentException("not a canonical value: " + value.getClass());
        };
    }

    /** Returns the checksum of a new row with its marks. */
    static long withMarks(long sum, long expiresAt, long writer) {
        return sum + (expiresAt == Store.NEVER ? 0 : ofMark(expiresAt, 1))
                + (writer == Store.NONE ? 0 : ofMark(writer, 3)) & MASK;
    }

    private static long ofMark(long value, int factor) {
        return ((value & MASK) + (value >> 32) * 31 + 1) * factor & MASK;
    }

    private static String ofMark(String column, int factor) {
        return "ifnull(((" + column + " & " + MASK + ") + (" + column + " >> 32) * 31 + 1) * " + factor + ", 0)";
    }

    /** Returns the SQL for the checksum of a row without its marks; null for rows without checksum. */
    static String withoutMarks() {
        return "(" + Names.CHECK + " - " + ofMark(Names.EXPIRES, 1) + " - " + ofMark(Names.WRITER, 3) + " - "
                + ofMark(Names.TAKER, 5) + ") & " + MASK;
    }

    /**
     * Returns the SQL that sets a mark. Its first parameter is the value, its second {@link #part} of that value.
     */
    public static String set(String column) {
        return column + " = ?, " + Names.CHECK + " = (" + Names.CHECK + " - " + ofMark(column, factor(column))
                + " + ?) & " + MASK;
    }

    /** Returns the contribution of a mark to the checksum. */
    public static long part(String column, @Nullable Long value) {
        return value == null ? 0 : ofMark(value, factor(column));
    }

    /** Returns the SQL that clears a mark. */
    public static String clear(String column) {
        return column + " = NULL, " + Names.CHECK + " = (" + Names.CHECK + " - " + ofMark(column, factor(column))
                + ") & " + MASK;
    }

    private static int factor(String column) {
        return column.equals(Names.EXPIRES) ? 1 : column.equals(Names.WRITER) ? 3 : 5;
    }

    /** Describes a row by its first components, in printable form. */
    static String describe(List<RecordClasses.Kept> columns, @Nullable Object[] values) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < Math.min(SHOWN, values.length); i++) {
            text.append(i == 0 ? "" : ", ").append(columns.get(i).name()).append('=').append(shown(values[i]));
        }
        return text.toString();
    }

    private static String shown(@Nullable Object value) {
        byte[] bytes = switch (value) {
            case null -> new byte[0];
            case Bytes blob -> blob.toArray();
            default -> value.toString().getBytes(StandardCharsets.UTF_8);
        };
        StringBuilder shown = new StringBuilder();
        for (int i = 0; i < bytes.length && i < NAME_LENGTH * 4; i++) {
            boolean isPrintable = bytes[i] >= ' ' && bytes[i] < 0x7f && bytes[i] != '\\';
            shown.append(isPrintable ? String.valueOf((char) bytes[i]) : String.format("\\x%02x", bytes[i] & 0xff));
        }
        return shown.toString();
    }
}
