// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import java.time.Instant;
import java.util.UUID;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.tuple.Bytes;
import org.treehaul.tuplespace.tuple.DerivedTuple;

/** The tuples of the tests. */
final class Shapes {

    private Shapes() {}

    /** An interface that templates name instead of a record class. */
    public sealed interface Shape {
        @Nullable String name();
    }

    public record Circle(@Nullable String name, @Nullable Integer radius) implements Shape {}

    public record Square(@Nullable String name, long side) implements Shape {}

    /** A record that does not implement {@link Shape}. */
    public record Job(int number, @Nullable String state, @Nullable String owner) {}

    /** The number of the {@link Job}s in a space. */
    public record JobCount(int number) implements DerivedTuple {}

    public enum Colour {
        RED,
        GREEN,
        BLUE
    }

    public record Point(int x, @Nullable Integer y) {}

    /** A component of each class. */
    @SuppressWarnings("ArrayRecordComponent") // a space copies arrays
    public record Everything(boolean bool, byte int8, short int16, char character, int int32, long int64, float real32,
            double real64, @Nullable Boolean boxedBool, @Nullable Long boxed, @Nullable Double boxedReal,
            @Nullable String text, byte @Nullable [] bytes, @Nullable Bytes value, @Nullable Colour colour,
            @Nullable Instant time, @Nullable UUID uuid, @Nullable Point point) {

        static Everything absent() {
            return new Everything(false, (byte) 0, (short) 0, 'a', 0, 0, 0, 0, null, null, null, null, null, null, null,
                    null, null, null);
        }

        static Everything full() {
            return new Everything(true, Byte.MIN_VALUE, Short.MAX_VALUE, '\uFFFF', Integer.MIN_VALUE, Long.MAX_VALUE,
                    1.5f, -1e300, true, Long.MIN_VALUE, Double.POSITIVE_INFINITY, "a\0\u20ac\ud83d\ude00",
                    new byte[]{0, -1, 1}, Bytes.of((byte) -1), Colour.GREEN, Instant.ofEpochSecond(-1, 999_999_999),
                    new UUID(-1, 1), new Point(-3, null));
        }
    }
}
