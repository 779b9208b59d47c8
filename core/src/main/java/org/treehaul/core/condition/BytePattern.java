// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.condition;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.Utf8;

/**
 * A pattern for a name, a path or a link target: literal bytes, {@code *} for any bytes including slashes, {@code ?}
 * for one character, {@code [...]} for one of several characters. A byte that is not UTF-8 counts as one character.
 * Immutable; any number of threads may match with one pattern.
 */
@Internal
public final class BytePattern {

    /** A part of a pattern. */
    public sealed interface Part {}

    /** Bytes that match themselves. */
    public record Literal(ByteString bytes) implements Part {}

    /** A wildcard. */
    public enum Wild implements Part {
        /** Any number of characters. */
        STAR,
        /** One character. */
        ONE
    }

    /**
     * One character from a set of ranges.
     *
     * @param isNegated whether the character must be outside all ranges
     * @param ranges first and last characters as numbers, in pairs
     */
    public record OneOf(boolean isNegated, List<Integer> ranges) implements Part {

        public OneOf {
            ranges = List.copyOf(ranges);
        }

        public boolean matches(int character) {
            boolean isIn = false;
            for (int i = 0; i < ranges.size() && !isIn; i += 2) {
                isIn = character >= ranges.get(i) && character <= ranges.get(i + 1);
            }
            return isIn != isNegated;
        }
    }

    // A byte that is not UTF-8 becomes a number above all characters.
    private static final int NO_CHARACTER = Character.MAX_CODE_POINT + 1;

    private final List<Part> parts;
    private final boolean ignoresCase;
    private final byte[] head;
    private final byte[] tail;
    private final boolean isLiteral;
    private final Matcher middle;

    /**
     * Creates a pattern.
     *
     * @param parts the parts; no two stars and no two literals are adjacent
     * @param ignoresCase whether a character also matches its upper and lower case
     */
    public BytePattern(List<Part> parts, boolean ignoresCase) {
        this.parts = List.copyOf(parts);
        this.ignoresCase = ignoresCase;
        // The bytes of a character in another case may be others, so only characters can be compared then.
        head = ignoresCase ? new byte[0] : literal(parts, 0);
        tail = ignoresCase ? new byte[0] : literal(parts, parts.size() - 1);
        isLiteral = !ignoresCase && (parts.isEmpty() || parts.size() == 1 && parts.getFirst() instanceof Literal);
        middle = new Matcher(
                isLiteral
                        ? List.of()
                        : parts.subList(head.length > 0 ? 1 : 0, parts.size() - (tail.length > 0 ? 1 : 0)),
                ignoresCase);
    }

    private static byte[] literal(List<Part> parts, int at) {
        return at >= 0 && at < parts.size() && parts.get(at) instanceof Literal literal
                ? literal.bytes().toBytes()
                : new byte[0];
    }

    /** Returns the pattern that matches only these bytes. */
    public static BytePattern of(ByteString bytes) {
        return new BytePattern(bytes.length() == 0 ? List.of() : List.of(new Literal(bytes)), false);
    }

    /** Returns the pattern that matches everything that begins with these bytes. */
    public static BytePattern prefix(ByteString bytes) {
        return new BytePattern(bytes.length() == 0 ? List.of(Wild.STAR) : List.of(new Literal(bytes), Wild.STAR),
                false);
    }

    /** Returns the parts. */
    public List<Part> parts() {
        return parts;
    }

    /** Returns whether a character also matches its upper and lower case. */
    public boolean ignoresCase() {
        return ignoresCase;
    }

    /** Returns whether the pattern matches exactly one sequence of bytes. */
    public boolean isLiteral() {
        return isLiteral;
    }

    /** Returns the bytes with which every match begins. */
    public ByteString head() {
        return ByteString.of(head);
    }

    /** Returns the bytes with which every match ends. */
    public ByteString tail() {
        return ByteString.of(tail);
    }

    /** Returns the bytes that are contained in every match and in nothing else; empty if there are none. */
    public ByteString part() {
        boolean isPart = !ignoresCase && parts.size() == 3 && parts.getFirst() == Wild.STAR
                && parts.getLast() == Wild.STAR;
        return isPart && parts.get(1) instanceof Literal literal ? literal.bytes() : ByteString.empty();
    }

    /** Returns whether everything that begins with {@link #head()} and ends with {@link #tail()} matches. */
    public boolean isHeadOrTail() {
        return isLiteral() || parts.contains(Wild.STAR) && (parts.size() == 1
                || !ignoresCase && parts.size() == 2 && parts.stream().anyMatch(Literal.class::isInstance));
    }

    /** Returns whether the pattern matches these bytes. */
    public boolean matches(byte[] bytes) {
        return matches(bytes, 0, bytes.length);
    }

    /** Returns whether the pattern matches the bytes of an array from an index on, up to another one. */
    public boolean matches(byte[] bytes, int from, int to) {
        int rest = to - from - tail.length;
        if (isLiteral) {
            return to - from == head.length && isAt(bytes, from, head);
        }
        return rest >= head.length && isAt(bytes, from, head) && isAt(bytes, from + rest, tail) && (middle.isAnything()
                || middle.matches(characters(Arrays.copyOfRange(bytes, from + head.length, from + rest))));
    }

    // Mostly a few bytes: the methods of Arrays take longer until they are compiled.
    private static boolean isAt(byte[] bytes, int at, byte[] part) {
        for (int i = 0; i < part.length; i++) {
            if (bytes[at + i] != part[i]) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether the pattern matches these bytes. */
    public boolean matches(ByteString bytes) {
        // Compares head and tail byte by byte, as a store does; only the bytes between them are decoded to characters.
        int rest = bytes.length() - tail.length;
        if (isLiteral) {
            return bytes.length() == head.length && bytes.has(head, 0);
        }
        if (rest < head.length || !bytes.has(head, 0) || !bytes.has(tail, rest)) {
            return false;
        }
        return middle.isAnything()
                || middle.matches(characters(Arrays.copyOfRange(bytes.toBytes(), head.length, rest)));
    }

    @Override
    public boolean equals(Object object) {
        return object instanceof BytePattern other && parts.equals(other.parts) && ignoresCase == other.ignoresCase;
    }

    @Override
    public int hashCode() {
        return parts.hashCode() * 2 + (ignoresCase ? 1 : 0);
    }

    @Override
    public String toString() {
        return (ignoresCase ? "~" : "") + parts;
    }

    /** Returns the characters of bytes as numbers. */
    static int[] characters(byte[] bytes) {
        int[] characters = new int[bytes.length];
        int count = 0;
        int at = 0;
        while (at < bytes.length) {
            int length = Utf8.sequenceLength(bytes, at);
            if (length == 0) {
                characters[count++] = NO_CHARACTER + (bytes[at] & 0xFF);
                at++;
            } else {
                characters[count++] = length == 1
                        ? bytes[at]
                        : new String(bytes, at, length, StandardCharsets.UTF_8).codePointAt(0);
                at += length;
            }
        }
        return Arrays.copyOf(characters, count);
    }

    // As java.util.regex does: some characters have one upper case and two lower cases, some the other way round.
    private static int fold(int character) {
        return character > Character.MAX_CODE_POINT
                ? character
                : Character.toLowerCase(Character.toUpperCase(character));
    }

    /** Matches parts against characters; on a mismatch, the last star takes one more character. */
    private static final class Matcher {

        private final List<Object> steps = new ArrayList<>();
        private final boolean ignoresCase;

        Matcher(List<Part> parts, boolean ignoresCase) {
            this.ignoresCase = ignoresCase;
            for (Part part : parts) {
                if (part instanceof Literal literal) {
                    for (int character : characters(literal.bytes().toBytes())) {
                        steps.add(ignoresCase ? fold(character) : character);
                    }
                } else {
                    steps.add(part);
                }
            }
        }

        boolean isAnything() {
            return steps.size() == 1 && steps.getFirst() == Wild.STAR;
        }

        boolean matches(int[] characters) {
            int step = 0;
            int at = 0;
            int starStep = -1;
            int starAt = 0;
            while (at < characters.length) {
                if (step < steps.size() && steps.get(step) == Wild.STAR) {
                    starStep = step++;
                    starAt = at;
                } else if (step < steps.size() && isMatch(steps.get(step), characters[at])) {
                    step++;
                    at++;
                } else if (starStep >= 0) {
                    step = starStep + 1;
                    at = ++starAt;
                } else {
                    return false;
                }
            }
            while (step < steps.size() && steps.get(step) == Wild.STAR) {
                step++;
            }
            return step == steps.size();
        }

        private boolean isMatch(Object step, int character) {
            return switch (step) {
                case Integer literal -> literal == (ignoresCase ? fold(character) : character);
                case OneOf oneOf -> ignoresCase ? isMatchInAnyCase(oneOf, character) : oneOf.matches(character);
                default -> true;
            };
        }

        // A negated set excludes a character in both cases.
        private static boolean isMatchInAnyCase(OneOf oneOf, int character) {
            if (character > Character.MAX_CODE_POINT) {
                return oneOf.matches(character);
            }
            boolean lower = oneOf.matches(fold(character));
            boolean upper = oneOf.matches(Character.toUpperCase(character));
            return oneOf.isNegated() ? lower && upper : lower || upper;
        }
    }
}
