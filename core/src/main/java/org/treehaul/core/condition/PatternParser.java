// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.condition;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.treehaul.core.entry.ByteString;

/** Parses the values of a condition on a field of text: patterns separated by commas. */
final class PatternParser {

    private final ByteString source;
    private final byte[] bytes;
    private final boolean isIndex;
    private int at;

    /**
     * Creates a parser.
     *
     * @param source the whole condition
     * @param at the position of the first byte of the values
     * @param isIndex whether the entries are those of an index
     */
    PatternParser(ByteString source, int at, boolean isIndex) {
        this.source = source;
        this.bytes = source.toBytes();
        this.at = at;
        this.isIndex = isIndex;
    }

    /**
     * Parses all values of a condition.
     *
     * @throws ConditionException if one is no pattern, or matches no value of the field
     */
    TextCondition parse(Field field, String operator) {
        List<BytePattern> any = new ArrayList<>();
        boolean hasMissing = false;
        boolean isPrefix = operator.equals("^=");
        boolean ignoresCase = operator.endsWith("~=");
        do {
            int start = at;
            List<BytePattern.Part> parts = pattern(!isPrefix);
            if (at == start && field.isOptional() && !isPrefix) {
                hasMissing = true;
            } else if (at == start) {
                throw wrong(start, "no value for " + field.label());
            } else {
                any.add(checked(field, new BytePattern(parts, ignoresCase), start, isPrefix));
            }
        } while (at++ < bytes.length);
        return new TextCondition(operator.startsWith("!"), any, hasMissing);
    }

    private BytePattern checked(Field field, BytePattern pattern, int start, boolean isPrefix) {
        byte[] head = pattern.head().toBytes();
        boolean isPath = field.isPath();
        if (isIndex && isPath && head.length > 0 && head[0] != '/') {
            throw wrong(start, "paths in an index start with '/'; write a whole path, or */ before the end of one");
        }
        if ((field.isOf(FileField.NAME) || field.isOf(FileField.EXTENSION)) && contains(pattern.parts(), (byte) '/')) {
            throw wrong(start, "no name contains a '/'; use the field path");
        }
        if (field.isOf(FileField.EXTENSION) && contains(pattern.parts(), (byte) '.')) {
            throw wrong(start, "no extension contains a '.'; write extension=h5, or name=*.tar.gz");
        }
        if (field.isOf(FileField.SERVER)) {
            return server(isPrefix ? BytePattern.prefix(pattern.head()) : pattern, start);
        }
        if (isPrefix) {
            return BytePattern.prefix(pattern.head());
        }
        int length = head.length;
        while (isPath && pattern.isLiteral() && length > 1 && head[length - 1] == '/') {
            length--;
        }
        return length == head.length ? pattern : BytePattern.of(ByteString.of(Arrays.copyOf(head, length)));
    }

    private BytePattern server(BytePattern pattern, int start) {
        String problem = ServerNames.problem(pattern.parts());
        if (problem != null) {
            throw wrong(start, problem);
        }
        return new BytePattern(ServerNames.inValue(pattern.parts()), pattern.ignoresCase());
    }

    private static boolean contains(List<BytePattern.Part> parts, byte wanted) {
        for (BytePattern.Part part : parts) {
            if (part instanceof BytePattern.Literal literal) {
                for (byte b : literal.bytes().toBytes()) {
                    if (b == wanted) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    // Parses up to the next comma.
    private List<BytePattern.Part> pattern(boolean hasWildcards) {
        List<BytePattern.Part> parts = new ArrayList<>();
        ByteArrayOutputStream literal = new ByteArrayOutputStream();
        while (at < bytes.length && bytes[at] != ',') {
            byte b = bytes[at];
            if (b == '\\') {
                literal.write(escaped());
            } else if (hasWildcards && (b == '*' || b == '?' || b == '[')) {
                endLiteral(parts, literal);
                if (b == '[') {
                    parts.add(oneOf());
                    continue;
                }
                BytePattern.Wild wild = b == '*' ? BytePattern.Wild.STAR : BytePattern.Wild.ONE;
                if (wild == BytePattern.Wild.ONE || parts.isEmpty() || parts.getLast() != wild) {
                    parts.add(wild);
                }
                at++;
            } else {
                literal.write(b);
                at++;
            }
        }
        endLiteral(parts, literal);
        return parts;
    }

    private static void endLiteral(List<BytePattern.Part> parts, ByteArrayOutputStream literal) {
        if (literal.size() > 0) {
            parts.add(new BytePattern.Literal(ByteString.of(literal.toByteArray())));
            literal.reset();
        }
    }

    // Parses an escape sequence.
    private int escaped() {
        int start = at;
        int next = at + 1 < bytes.length ? bytes[at + 1] : -1;
        at += 2;
        return switch (next) {
            case 'n' -> '\n';
            case 't' -> '\t';
            case 'r' -> '\r';
            case 'x' -> hex(start);
            default -> {
                if (next < ' ' || next == 0x7F || Character.isLetterOrDigit(next)) {
                    throw wrong(start, "unknown escape after a backslash; write \\\\ for a backslash");
                }
                yield next;
            }
        };
    }

    private int hex(int start) {
        int high = at < bytes.length ? Character.digit(bytes[at], 16) : -1;
        int low = at + 1 < bytes.length ? Character.digit(bytes[at + 1], 16) : -1;
        at += 2;
        if (high < 0 || low < 0) {
            throw wrong(start, "two hexadecimal digits must follow \\x");
        }
        return high << 4 | low;
    }

    private BytePattern.OneOf oneOf() {
        int start = at++;
        boolean isNegated = at < bytes.length && (bytes[at] == '!' || bytes[at] == '^');
        if (isNegated) {
            at++;
        }
        List<Integer> ranges = new ArrayList<>();
        boolean isFirst = true;
        while (at < bytes.length && (isFirst || bytes[at] != ']')) {
            isFirst = false;
            int low = character();
            int high = low;
            if (at + 1 < bytes.length && bytes[at] == '-' && bytes[at + 1] != ']') {
                at++;
                high = character();
            }
            if (high < low) {
                throw wrong(start, "a range in [] ends before it starts");
            }
            ranges.add(low);
            ranges.add(high);
        }
        if (at >= bytes.length) {
            throw wrong(start, "a '[' without a ']'; write \\[ for the character itself");
        }
        at++;
        return new BytePattern.OneOf(isNegated, ranges);
    }

    // Parses one character between brackets.
    private int character() {
        if (bytes[at] == '\\') {
            int escaped = escaped();
            return escaped < 0x80 ? escaped : BytePattern.characters(new byte[]{(byte) escaped})[0];
        }
        int first = BytePattern.characters(Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + 4)))[0];
        at += first > Character.MAX_CODE_POINT ? 1 : ByteString.of(Character.toString(first)).length();
        return first;
    }

    private ConditionException wrong(int index, String problem) {
        return ConditionException.at(source, index, problem);
    }
}
