// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.condition;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;

/** Parses one condition: a field, an operator, and values separated by commas. */
final class ConditionParser {

    private static final List<String> OPERATORS = List.of("!~=", "!=", "<=", ">=", "^=", "~=", "=", "<", ">");

    private final ByteString source;
    private final byte[] bytes;
    private final FieldValues values;
    private final Vocabulary vocabulary;
    private int at;

    /** A condition: a set of numbers for a numeric field, else a condition on bytes. */
    record Parsed(Field field, @Nullable NumberSet numbers, @Nullable TextCondition text) {}

    ConditionParser(ByteString source, FieldValues values, Vocabulary vocabulary) {
        this.source = source;
        this.bytes = source.toBytes();
        this.values = values;
        this.vocabulary = vocabulary;
    }

    /** Parses the condition. */
    Parsed parse() {
        Field field = field();
        String operator = operator(field);
        if (field.file().filter(FileField::isOnlyIndexed).isPresent() && !values.isIndex()) {
            throw wrong(0, "only an index knows " + field.label() + "; see 'treehaul help query'");
        }
        return switch (field.type()) {
            case FILE -> new Parsed(Field.of(FileField.MTIME), newerThan(), null);
            case AGE -> new Parsed(Field.of(FileField.MTIME), ages(field, operator), null);
            case TEXT ->
                new Parsed(field, null, new PatternParser(source, at, values.isIndex()).parse(field, operator));
            case HASH -> new Parsed(field, null, hash(operator));
            default -> new Parsed(field, numbers(field, operator), null);
        };
    }

    private Field field() {
        while (isLetter(at) || at > 0 && at < bytes.length && bytes[at] == '-' && isLetter(at + 1)) {
            at++;
        }
        String name = ascii(0, at);
        if (at == 0) {
            throw wrong(0, "a condition must start with a field; fields: " + vocabulary.names());
        }
        return vocabulary.named(name)
                .orElseThrow(() -> wrong(0, "unknown field '" + name + "'; fields: " + vocabulary.names()));
    }

    private boolean isLetter(int index) {
        return index < bytes.length
                && (bytes[index] >= 'a' && bytes[index] <= 'z' || bytes[index] >= 'A' && bytes[index] <= 'Z');
    }

    private NumberSet newerThan() {
        try {
            return values.newerThan(ByteString.of(Arrays.copyOfRange(bytes, at, bytes.length)));
        } catch (IllegalArgumentException e) {
            throw wrong(at, String.valueOf(e.getMessage()));
        }
    }

    // The older an entry, the smaller its time.
    private NumberSet ages(Field age, String operator) {
        return numbers(age, switch (operator) {
            case "<" -> ">";
            case "<=" -> ">=";
            case ">" -> "<";
            case ">=" -> "<=";
            default -> operator;
        });
    }

    private String operator(Field field) {
        int name = at;
        skipBlanks();
        if (at == bytes.length) {
            throw wrong(at, "no operator and no value; quote the condition, because a shell interprets < and >");
        }
        String rest = ascii(at, Math.min(bytes.length, at + 3));
        String operator = operator(rest);
        if (operator.isEmpty()) {
            throw wrong(at, "no operator; operators: " + String.join(" ", usable(field)));
        }
        if (!usable(field).contains(operator)) {
            throw wrong(at, "'" + operator + "' cannot be used with " + field.label() + "; operators: "
                    + String.join(" ", usable(field)));
        }
        at += operator.length();
        if (field.type() != FileField.Type.TEXT && field.type() != FileField.Type.FILE) {
            skipBlanks();
        } else if (at - operator.length() > name) {
            throw wrong(name, "write " + field.label() + operator + "VALUE without blanks around " + operator
                    + ", because a blank may belong to the value");
        }
        return operator;
    }

    /** Returns the operator with which a text begins, empty if there is none. */
    private static String operator(String text) {
        for (String operator : OPERATORS) {
            if (text.startsWith(operator)) {
                return operator;
            }
        }
        return "";
    }

    private void skipBlanks() {
        while (at < bytes.length && bytes[at] == ' ') {
            at++;
        }
    }

    private static List<String> usable(Field field) {
        return switch (field.type()) {
            case TEXT -> List.of("=", "!=", "^=", "~=", "!~=");
            case FILE -> List.of("=");
            case SIZE, COUNT, TIME, AGE -> List.of("=", "!=", "<", "<=", ">", ">=");
            case HASH, KIND, WORD, MODE, OWNER, GROUP, LABEL, FLAG -> List.of("=", "!=");
        };
    }

    private NumberSet numbers(Field field, String operator) {
        NumberSet.Range domain = field.domain();
        if (operator.equals("=") || operator.equals("!=")) {
            NumberSet set = new NumberSet(List.of(), false);
            int start = at;
            for (int end = start; end <= bytes.length; end++) {
                if (end == bytes.length || bytes[end] == ',') {
                    set = set.unite(alternative(field, start, end));
                    start = end + 1;
                }
            }
            return operator.equals("=") ? set : set.complement(domain);
        }
        // In a comparison, a date means its first moment, as in find -newermt.
        // The first moment of an age is the latest time.
        NumberSet.Range value = single(field, at, bytes.length);
        long bound = field.type() == FileField.Type.AGE ? value.high() : value.low();
        boolean isUpper = operator.startsWith("<");
        boolean isWithin = operator.endsWith("=");
        // A time too late to be represented is Long.MAX_VALUE, and no time is later.
        boolean isExact = bound != Long.MAX_VALUE || field.type() == FileField.Type.SIZE
                || field.type() == FileField.Type.COUNT;
        if (!isWithin && (bound == domain.low() && isUpper || bound == domain.high() && !isUpper && isExact)) {
            return new NumberSet(List.of(), false);
        }
        long step = isWithin || !isExact ? 0 : 1;
        return NumberSet.of(isUpper
                ? new NumberSet.Range(domain.low(), bound - step)
                : new NumberSet.Range(bound + step, domain.high()));
    }

    private NumberSet alternative(Field field, int start, int end) {
        if (start == end) {
            if (!field.isOptional()) {
                throw wrong(start, "no value for " + field.label());
            }
            return new NumberSet(List.of(), true);
        }
        String text = utf8(start, end);
        if (field.type() == FileField.Type.WORD) {
            return words(field, start, text);
        }
        if (field.type() == FileField.Type.MODE) {
            try {
                NumberSet modes = FieldValues.modes(text);
                if (modes != null) {
                    return modes;
                }
            } catch (IllegalArgumentException e) {
                throw wrong(start, String.valueOf(e.getMessage()));
            }
        }
        int dots = indexOfDots(start, end);
        if (dots < 0) {
            return NumberSet.of(single(field, start, end));
        }
        if (field.isWord()) {
            throw wrong(dots, field.label() + " has no order, so it cannot have a range");
        }
        NumberSet.Range domain = field.domain();
        boolean isDescending = field.type() == FileField.Type.AGE;
        NumberSet.Range first = dots == start ? domain : single(field, start, dots);
        NumberSet.Range last = dots + 2 == end ? domain : single(field, dots + 2, end);
        long low = isDescending ? last.low() : first.low();
        long high = isDescending ? first.high() : last.high();
        if (low > high) {
            throw wrong(start, "the range '" + text + "' ends before it starts");
        }
        return NumberSet.of(new NumberSet.Range(low, high));
    }

    private NumberSet words(Field field, int start, String text) {
        List<Integer> numbers = field.words().get(text);
        if (numbers == null) {
            throw wrong(start,
                    "'" + text + "' is not a " + field.label() + "; use " + String.join(" ", field.words().keySet()));
        }
        return NumberSet.of(numbers.stream().map(one -> new NumberSet.Range(one, one)).toList(), false);
    }

    private int indexOfDots(int start, int end) {
        for (int i = start; i + 1 < end; i++) {
            if (bytes[i] == '.' && bytes[i + 1] == '.') {
                return i;
            }
        }
        return -1;
    }

    private NumberSet.Range single(Field field, int start, int end) {
        if (start == end) {
            throw wrong(start, "no value for " + field.label());
        }
        try {
            return values.read(field, utf8(start, end));
        } catch (IllegalArgumentException e) {
            boolean isList = utf8(start, end).indexOf(',') >= 0;
            throw wrong(start, isList ? "a list can be used with = and != only" : String.valueOf(e.getMessage()));
        }
    }

    private TextCondition hash(String operator) {
        List<BytePattern> any = new ArrayList<>();
        boolean hasMissing = false;
        for (String text : utf8(at, bytes.length).split(",", -1)) {
            if (text.isEmpty()) {
                hasMissing = true;
            } else {
                try {
                    any.add(BytePattern.of(ByteString.of(HexFormat.of().parseHex(text))));
                } catch (IllegalArgumentException e) {
                    throw wrong(at, "'" + text + "' is not a hash; write two hexadecimal digits for each byte");
                }
            }
        }
        return new TextCondition(operator.equals("!="), any, hasMissing);
    }

    private String ascii(int start, int end) {
        StringBuilder text = new StringBuilder();
        for (int i = start; i < end; i++) {
            text.append((char) (bytes[i] & 0xFF));
        }
        return text.toString();
    }

    // For messages: bytes that are not UTF-8 are escaped; the result is then no valid number anyway.
    private String utf8(int start, int end) {
        ByteString part = ByteString.of(Arrays.copyOfRange(bytes, start, end));
        return part.utf8().orElseGet(part::toString);
    }

    private ConditionException wrong(int index, String problem) {
        return ConditionException.at(source, index, problem);
    }
}
