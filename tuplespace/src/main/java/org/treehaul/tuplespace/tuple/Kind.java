// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.tuple;

import java.util.Arrays;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Internal;

/** The canonical form in which a component is stored and compared: the class of its values. */
public enum Kind {
    /** {@link Long}: boolean (0 and 1), byte, short, char, int, long. */
    INTEGER(1),
    /** {@link Double}, never NaN, and 0.0 for -0.0: float, double. */
    REAL(2),
    /** {@link String}, ordered by code point: text, names of enum constants. */
    TEXT(3),
    /** {@link Bytes}, ordered as unsigned bytes: byte arrays, instants, UUIDs, nested records, values with a codec. */
    BLOB(4);

    private final int number;

    Kind(int number) {
        this.number = number;
    }

    /** Returns the number of the kind in files, which never changes. */
    public int number() {
        return number;
    }

    /**
     * Returns the kind with this number.
     *
     * @throws IllegalArgumentException when there is none
     */
    public static Kind of(int number) {
        for (Kind kind : values()) {
            if (kind.number == number) {
                return kind;
            }
        }
        throw new IllegalArgumentException("unknown kind " + number);
    }

    /** Compares two canonical values of the same kind. */
    public static int compare(Object one, Object other) {
        return switch (one) {
            case Long integer -> integer.compareTo((Long) other);
            case Double real -> real.compareTo((Double) other);
            case Bytes bytes -> bytes.compareTo((Bytes) other);
            default -> compareText((String) one, (String) other);
        };
    }

    /**
     * Compares by code point, the order of UTF-8; String.compareTo puts U+FFFF after characters that need surrogates.
     */
    private static int compareText(String one, String other) {
        int length = Math.min(one.length(), other.length());
        for (int i = 0; i < length; i++) {
            char a = one.charAt(i);
            char b = other.charAt(i);
            if (a != b) {
                boolean highA = Character.isSurrogate(a);
                return highA == Character.isSurrogate(b) ? Character.compare(a, b) : highA ? 1 : -1;
            }
        }
        return Integer.compare(one.length(), other.length());
    }

    /**
     * Returns the first text or byte sequence in the order that comes after all that begin with this one; null if there
     * is none.
     */
    @Internal
    public static @Nullable Object after(Object prefix) {
        return prefix instanceof Bytes bytes ? after(bytes) : after((String) prefix);
    }

    private static @Nullable Bytes after(Bytes prefix) {
        byte[] bytes = prefix.toArray();
        for (int i = bytes.length - 1; i >= 0; i--) {
            if (bytes[i] != -1) {
                byte[] next = Arrays.copyOf(bytes, i + 1);
                next[i]++;
                return Bytes.of(next);
            }
        }
        return null;
    }

    private static @Nullable String after(String prefix) {
        int[] characters = prefix.codePoints().toArray();
        for (int i = characters.length - 1; i >= 0; i--) {
            if (characters[i] != Character.MAX_CODE_POINT) {
                characters[i] = characters[i] == Character.MIN_SURROGATE - 1
                        ? Character.MAX_SURROGATE + 1
                        : characters[i] + 1;
                return new String(characters, 0, i + 1);
            }
        }
        return null;
    }
}
