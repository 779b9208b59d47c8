// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.condition;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.LongStream;

import org.treehaul.core.entry.ByteString;

/** Prints conditions in the syntax of {@link ConditionParser}. */
final class ConditionPrinter {

    private ConditionPrinter() {}

    static List<String> print(FileField field, NumberSet set) {
        NumberSet.Range domain = field.domain();
        if (set.isEmpty()) {
            // Two values that no entry has at the same time.
            return List.of(field.label() + "=" + FieldValues.print(field.type(), 0),
                    field.label() + "=" + FieldValues.print(field.type(), 1));
        }
        if (set.ranges().equals(List.of(domain)) && !set.hasMissing()) {
            return List.of(field.label() + "!=");
        }
        List<String> values = new ArrayList<>();
        for (NumberSet.Range range : set.ranges()) {
            if (field.isWord()) {
                LongStream.rangeClosed(range.low(), range.high())
                        .forEach(number -> values.add(FieldValues.print(field.type(), number)));
                continue;
            }
            String low = range.low() == domain.low() ? "" : FieldValues.print(field.type(), range.low());
            String high = range.high() == domain.high() ? "" : FieldValues.print(field.type(), range.high());
            values.add(range.low() == range.high() ? FieldValues.print(field.type(), range.low()) : low + ".." + high);
        }
        if (set.hasMissing()) {
            values.add("");
        }
        return List.of(field.label() + "=" + String.join(",", values));
    }

    static String print(FileField field, TextCondition condition) {
        List<String> values = new ArrayList<>();
        for (BytePattern pattern : condition.any()) {
            values.add(switch (field) {
                case HASH -> HexFormat.of().formatHex(pattern.head().toBytes());
                case SERVER -> pattern(ServerNames.ofName(pattern.parts()));
                default -> pattern(pattern.parts());
            });
        }
        if (condition.hasMissing()) {
            values.add("");
        }
        boolean ignoresCase = condition.any().stream().anyMatch(BytePattern::ignoresCase);
        return field.label() + (condition.isNegated() ? "!" : "") + (ignoresCase ? "~=" : "=")
                + String.join(",", values);
    }

    private static String pattern(List<BytePattern.Part> parts) {
        StringBuilder text = new StringBuilder();
        for (BytePattern.Part part : parts) {
            switch (part) {
                case BytePattern.Literal literal -> literal(text, literal.bytes());
                case BytePattern.Wild wild -> text.append(wild == BytePattern.Wild.STAR ? '*' : '?');
                case BytePattern.OneOf oneOf -> oneOf(text, oneOf);
            }
        }
        return text.toString();
    }

    private static void literal(StringBuilder text, ByteString bytes) {
        String escaped = bytes.toString();
        for (int i = 0; i < escaped.length(); i++) {
            char c = escaped.charAt(i);
            if (c == ',' || c == '*' || c == '?' || c == '[') {
                text.append('\\');
            }
            text.append(c);
        }
    }

    private static void oneOf(StringBuilder text, BytePattern.OneOf oneOf) {
        text.append(oneOf.isNegated() ? "[!" : "[");
        for (int i = 0; i < oneOf.ranges().size(); i += 2) {
            character(text, oneOf.ranges().get(i));
            if (!oneOf.ranges().get(i).equals(oneOf.ranges().get(i + 1))) {
                text.append('-');
                character(text, oneOf.ranges().get(i + 1));
            }
        }
        text.append(']');
    }

    private static void character(StringBuilder text, int character) {
        if (character > Character.MAX_CODE_POINT || character < ' ' || character == 0x7F) {
            text.append("\\x").append(HexFormat.of().toHexDigits((byte) character));
        } else if (character < 0x80 && !Character.isLetterOrDigit(character)) {
            text.append('\\').append((char) character);
        } else {
            text.appendCodePoint(character);
        }
    }
}
