// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.condition;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.ByteString;

/**
 * The servers of a file as one value of the field {@link FileField#SERVER}: {@code ,node1,node2,}. A condition holds if
 * it holds for one of them, so its pattern becomes one for the whole value: {@code node*} becomes {@code *,node*}.
 */
@Internal
public final class ServerNames {

    private static final byte SEPARATOR = ',';
    private static final List<Integer> SEPARATORS = List.of((int) SEPARATOR, (int) SEPARATOR);

    private ServerNames() {}

    /** Returns the value of servers, whose names contain no comma; null if there are none. */
    public static @Nullable ByteString value(List<String> servers) {
        return servers.isEmpty() ? null : ByteString.of("," + String.join(",", servers) + ",");
    }

    /** Returns the servers in a value. */
    public static List<String> of(@Nullable ByteString value) {
        String text = value == null ? "" : text(value);
        return text.isEmpty() ? List.of() : List.of(text.split(",", -1));
    }

    /** Returns a value for users: the names with commas between them, in printable characters only. */
    public static String text(ByteString value) {
        String text = value.toString();
        int start = text.startsWith(",") ? 1 : 0;
        int end = text.length() > start && text.endsWith(",") ? text.length() - 1 : text.length();
        return text.substring(start, end);
    }

    /**
     * Returns the problem of a pattern for names, or null: a comma, or a star between other parts, would also match
     * what spans two names.
     */
    static @Nullable String problem(List<BytePattern.Part> parts) {
        for (int i = 0; i < parts.size(); i++) {
            BytePattern.Part part = parts.get(i);
            if (part == BytePattern.Wild.STAR && i > 0 && i < parts.size() - 1) {
                return "a '*' can only be at the beginning and at the end of the name of a server";
            }
            boolean hasComma = switch (part) {
                case BytePattern.Literal literal -> text(literal).indexOf(SEPARATOR) >= 0;
                case BytePattern.OneOf oneOf -> !oneOf.isNegated() && oneOf.matches(SEPARATOR);
                case BytePattern.Wild wild -> false;
            };
            if (hasComma) {
                return "no name of a server contains a ','";
            }
        }
        return null;
    }

    /** Returns the pattern for the whole value that matches if a pattern without {@link #problem} matches a name. */
    static List<BytePattern.Part> inValue(List<BytePattern.Part> name) {
        List<BytePattern.Part> parts = new ArrayList<>();
        parts.add(BytePattern.Wild.STAR);
        boolean isOpenAtStart = name.getFirst() == BytePattern.Wild.STAR;
        StringBuilder literal = new StringBuilder(isOpenAtStart ? "" : ",");
        for (BytePattern.Part part : name.subList(isOpenAtStart ? 1 : 0, name.size())) {
            if (part instanceof BytePattern.Literal more) {
                literal.append(text(more));
            } else if (part != BytePattern.Wild.STAR) {
                addLiteral(parts, literal);
                parts.add(withoutSeparator(part));
            }
        }
        if (name.getLast() != BytePattern.Wild.STAR) {
            literal.append((char) SEPARATOR);
        }
        addLiteral(parts, literal);
        if (parts.size() > 1) {
            parts.add(BytePattern.Wild.STAR);
        }
        return parts;
    }

    private static BytePattern.Part withoutSeparator(BytePattern.Part part) {
        if (part instanceof BytePattern.OneOf oneOf) {
            List<Integer> ranges = new ArrayList<>(oneOf.ranges());
            ranges.addAll(oneOf.isNegated() ? SEPARATORS : List.of());
            return new BytePattern.OneOf(oneOf.isNegated(), ranges);
        }
        return new BytePattern.OneOf(true, SEPARATORS);
    }

    /** Returns the pattern for a name from which {@link #inValue} made another one. */
    static List<BytePattern.Part> ofName(List<BytePattern.Part> value) {
        if (value.size() < 2) {
            return value;
        }
        List<BytePattern.Part> parts = new ArrayList<>();
        int last = value.size() - 2;
        for (int i = 1; i <= last; i++) {
            switch (value.get(i)) {
                case BytePattern.Literal literal -> addName(parts, text(literal), i == 1, i == last);
                case BytePattern.OneOf oneOf -> addOneOf(parts, oneOf, i == 1, i == last);
                case BytePattern.Wild wild -> parts.add(wild);
            }
        }
        return parts;
    }

    private static void addName(List<BytePattern.Part> parts, String text, boolean isFirst, boolean isLast) {
        boolean isClosedAtStart = isFirst && text.startsWith(",");
        boolean isClosedAtEnd = isLast && text.length() > (isClosedAtStart ? 1 : 0) && text.endsWith(",");
        if (isFirst && !isClosedAtStart) {
            parts.add(BytePattern.Wild.STAR);
        }
        addLiteral(parts, new StringBuilder(
                text.substring(isClosedAtStart ? 1 : 0, isClosedAtEnd ? text.length() - 1 : text.length())));
        if (isLast && !isClosedAtEnd) {
            parts.add(BytePattern.Wild.STAR);
        }
    }

    private static void addOneOf(List<BytePattern.Part> parts, BytePattern.OneOf oneOf, boolean isFirst,
            boolean isLast) {
        if (isFirst) {
            parts.add(BytePattern.Wild.STAR);
        }
        int known = oneOf.ranges().size() - (oneOf.isNegated() ? SEPARATORS.size() : 0);
        parts.add(known == 0
                ? BytePattern.Wild.ONE
                : new BytePattern.OneOf(oneOf.isNegated(), oneOf.ranges().subList(0, known)));
        if (isLast) {
            parts.add(BytePattern.Wild.STAR);
        }
    }

    private static void addLiteral(List<BytePattern.Part> parts, StringBuilder literal) {
        if (!literal.isEmpty()) {
            parts.add(new BytePattern.Literal(ByteString.of(literal.toString().getBytes(StandardCharsets.ISO_8859_1))));
            literal.setLength(0);
        }
    }

    // Byte by byte, so that any bytes can become a literal again.
    private static String text(BytePattern.Literal literal) {
        return new String(literal.bytes().toBytes(), StandardCharsets.ISO_8859_1);
    }
}
