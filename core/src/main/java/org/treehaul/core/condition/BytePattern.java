// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.condition;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.ByteString;

/**
 * A pattern for a name, a path or a link target: literal bytes, {@code *} for any bytes including slashes, {@code ?}
 * for one character, {@code [...]} for one of several characters. A byte that is not UTF-8 counts as one character.
 *
 * @param parts the parts; no two stars and no two literals are adjacent
 */
@Internal
public record BytePattern(List<Part> parts) {

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

    public BytePattern {
        parts = List.copyOf(parts);
    }

    /** Returns the pattern that matches only these bytes. */
    public static BytePattern of(ByteString bytes) {
        return new BytePattern(bytes.length() == 0 ? List.of() : List.of(new Literal(bytes)));
    }

    /** Returns the pattern that matches everything that begins with these bytes. */
    public static BytePattern prefix(ByteString bytes) {
        return new BytePattern(bytes.length() == 0 ? List.of(Wild.STAR) : List.of(new Literal(bytes), Wild.STAR));
    }

    /** Returns whether the pattern matches exactly one sequence of bytes. */
    public boolean isLiteral() {
        return parts.isEmpty() || parts.size() == 1 && parts.getFirst() instanceof Literal;
    }

    /** Returns the bytes with which every match begins. */
    public ByteString head() {
        return !parts.isEmpty() && parts.getFirst() instanceof Literal literal ? literal.bytes() : ByteString.empty();
    }

    /** Returns the bytes with which every match ends. */
    public ByteString tail() {
        return !parts.isEmpty() && parts.getLast() instanceof Literal literal ? literal.bytes() : ByteString.empty();
    }

    /** Returns whether everything that begins with {@link #head()} and ends with {@link #tail()} matches. */
    public boolean isHeadOrTail() {
        return isLiteral() || parts.contains(Wild.STAR)
                && (parts.size() == 1 || parts.size() == 2 && parts.stream().anyMatch(Literal.class::isInstance));
    }

    public boolean matches(byte[] bytes) {
        // Compares head and tail byte by byte, as a store does; only the bytes between them are decoded to characters.
        byte[] head = head().toBytes();
        if (isLiteral()) {
            return Arrays.equals(head, bytes);
        }
        byte[] tail = tail().toBytes();
        int rest = bytes.length - tail.length;
        if (rest < head.length || !Arrays.equals(head, 0, head.length, bytes, 0, head.length)
                || !Arrays.equals(tail, 0, tail.length, bytes, rest, bytes.length)) {
            return false;
        }
        List<Part> middle = parts.subList(head.length > 0 ? 1 : 0, parts.size() - (tail.length > 0 ? 1 : 0));
        return middle.equals(List.of(Wild.STAR))
                || new Matcher(middle, characters(Arrays.copyOfRange(bytes, head.length, rest))).matches();
    }

    /** Returns the characters of bytes as numbers. */
    static int[] characters(byte[] bytes) {
        int[] characters = new int[bytes.length];
        int count = 0;
        int at = 0;
        while (at < bytes.length) {
            int length = sequenceLength(bytes, at);
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

    // Returns the number of bytes of the character that begins there, 0 if none does.
    private static int sequenceLength(byte[] bytes, int at) {
        int first = bytes[at] & 0xFF;
        int length = first < 0x80
                ? 1
                : first >= 0xC2 && first < 0xE0 ? 2 : first >> 4 == 0xE ? 3 : first >> 3 == 0x1E ? 4 : 0;
        if (length < 2) {
            return length;
        }
        boolean isWhole = at + length <= bytes.length
                && ByteString.of(Arrays.copyOfRange(bytes, at, at + length)).utf8().isPresent();
        return isWhole ? length : 0;
    }

    /** Matches the parts against the characters; on a mismatch, the last star takes one more character. */
    private static final class Matcher {

        private final List<Object> steps = new ArrayList<>();
        private final int[] characters;

        Matcher(List<Part> parts, int[] characters) {
            this.characters = characters;
            for (Part part : parts) {
                if (part instanceof Literal literal) {
                    for (int character : characters(literal.bytes().toBytes())) {
                        steps.add(character);
                    }
                } else {
                    steps.add(part);
                }
            }
        }

        boolean matches() {
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

        private static boolean isMatch(Object step, int character) {
            return switch (step) {
                case Integer literal -> literal == character;
                case OneOf oneOf -> oneOf.matches(character);
                default -> true;
            };
        }
    }
}
