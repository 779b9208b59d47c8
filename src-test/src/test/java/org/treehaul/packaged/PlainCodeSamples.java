// SPDX-License-Identifier: Apache-2.0
package org.treehaul.packaged;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;

/** Switches and records of all kinds that the executable jar changes, and some that it does not change. */
final class PlainCodeSamples {

    private PlainCodeSamples() {}

    /** Values that a switch distinguishes. */
    sealed interface Value {

        /** A value with a number. */
        record Count(int number) implements Value {}

        /** A value with another value in it. */
        record Pair(Value first, Object second) implements Value {}

        /** A value that is one of several. */
        enum Word implements Value {
            ONE,
            OTHER
        }

        /** Returns the value in words; a switch in an interface, whose cases cover all values. */
        @SuppressWarnings("ReferenceEquality") // a guard that is quick to write
        default String words() {
            return switch (this) {
                case Count number -> "number " + number.number();
                case Pair(Count(int first), String second) -> first + " and text " + second;
                case Pair(var first, var second) when first == second -> "twice " + first.words();
                case Pair pair -> "pair of " + pair.first().words();
                case Word word -> "word " + word;
            };
        }
    }

    private static String type(@Nullable Object value) {
        return switch (value) {
            case null -> "nothing";
            case String text when text.isEmpty() -> "no text";
            case CharSequence text -> "text " + text;
            case Integer number when number > 9 -> "large " + number;
            case Integer number -> "small " + number;
            case int[] numbers -> "numbers " + numbers.length;
            case Value other -> other.words();
            default -> "object";
        };
    }

    private static String constant(Object value) {
        return switch (value) {
            case Value.Word word when word == Value.Word.ONE -> "first";
            case Value.Word word -> "not first";
            case Character c -> "letter " + c;
            default -> "none of these";
        };
    }

    // It has labels that are no types.
    private static String named(@Nullable String value) {
        return switch (value) {
            case null -> "nothing";
            case "a" -> "the first letter";
            case String text when text.length() > 1 -> "long " + text;
            case String text -> "short " + text;
        };
    }

    private static int number(Value value) {
        return switch (value) {
            case Value.Count number -> number.number();
            case Value.Pair _ -> 2;
            case Value.Word _ -> 3;
        };
    }

    /** A record with components of all types. */
    @SuppressWarnings("ArrayRecordComponent") // arrays compare by identity
    record Parts(boolean flag, byte small, char letter, short middle, int number, long large, float rough, double exact,
            @Nullable String text, int[] array) {}

    private static Parts parts(int different) {
        int[] array = different == 9 ? new int[0] : NO_NUMBERS;
        return new Parts(different == 0, (byte) (different == 1 ? -1 : 1), different == 2 ? 'b' : 'a',
                (short) (different == 3 ? -300 : 300), different == 4 ? -7 : 7, different == 5 ? -1L << 40 : 1L << 40,
                different == 6 ? -0f : 0f, different == 7 ? Double.NaN : 0.5, different == 8 ? null : "text", array);
    }

    /** Returns which records are equal, and their hash codes, except of one with an array. */
    static List<String> comparisons() {
        List<String> results = new ArrayList<>();
        for (int i = 0; i <= 10; i++) {
            Parts one = parts(i);
            StringBuilder equal = new StringBuilder().append(i).append(" equals");
            for (int j = 0; j <= 10; j++) {
                equal.append(one.equals(parts(j)) ? " " + j : "");
            }
            for (@Nullable Object other : Arrays.asList(null, "text")) {
                equal.append(one.equals(other) ? " another" : "");
            }
            results.add(equal.toString());
        }
        Value one = new Value.Count(1);
        results.add(String.valueOf(new Value.Pair(one, "a").hashCode()));
        results.add(String.valueOf(new Numbers(true, (byte) 2, 'c', (short) 4, 5, 6, 7, 8.5, null).hashCode()));
        results.add(new Empty().hashCode() + " " + new Empty().equals(new Empty()));
        results.add(new Value.Pair(one, "a").toString());
        return results;
    }

    /** A record whose hash code depends on nothing else. */
    record Numbers(boolean flag, byte small, char letter, short middle, int number, long large, float rough,
            double exact, @Nullable String text) {}

    /** A record without components. */
    record Empty() {}

    private static final int[] NO_NUMBERS = {};

    /** Returns the results of all switches for all kinds of values. */
    @SuppressWarnings("UnnecessaryStringBuilder") // characters that are no string
    static List<String> results() {
        Value one = new Value.Count(1);
        List<@Nullable Object> values = Arrays.asList(null, "", "a", "ab", new StringBuilder("c"), 1, 10, new int[2],
                'x', 2.5, one, new Value.Pair(one, "b"), new Value.Pair(one, one), new Value.Pair(one, 'y'),
                Value.Word.ONE, Value.Word.OTHER);
        return values.stream()
                .map(value -> type(value) + ", " + (value == null ? "" : constant(value)) + ", "
                        + (value == null || value instanceof String ? named((String) value) : "") + ", "
                        + (value instanceof Value given ? number(given) : ""))
                .toList();
    }
}
