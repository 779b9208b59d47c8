// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.transfer;

import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.condition.BytePattern;
import org.treehaul.core.condition.Field;
import org.treehaul.core.condition.NumberSet;
import org.treehaul.core.condition.TextCondition;
import org.treehaul.core.entry.ByteString;
import org.treehaul.tuplespace.tuple.Component;
import org.treehaul.tuplespace.tuple.Template;
import org.treehaul.tuplespace.tuple.TupleType;

/**
 * A field of rows and its values.
 *
 * @param field the field
 * @param isOwn whether the tuple has a component of this name with the values, so that the store can compare them
 * @param value returns the value of a row: text, bytes, a number, a flag or a constant; null if it has none
 */
record WorkColumn(Field field, boolean isOwn, Function<WorkRow, @Nullable Object> value) {

    static WorkColumn own(Field field, Function<WorkRow, @Nullable Object> value) {
        return new WorkColumn(field, true, value);
    }

    static WorkColumn of(Field field, Function<WorkRow, @Nullable Object> value) {
        return new WorkColumn(field, false, value);
    }

    @Nullable ByteString text(WorkRow row) {
        return switch (value.apply(row)) {
            case ByteString bytes -> bytes;
            case String text -> ByteString.of(text.getBytes(StandardCharsets.UTF_8));
            case null -> null;
            default -> throw new IllegalStateException(field.label());
        };
    }

    @Nullable Long number(WorkRow row) {
        return switch (value.apply(row)) {
            case Enum<?> constant -> field.number(constant);
            case Boolean flag -> flag ? 1L : 0L;
            case Number number -> number.longValue();
            case null -> null;
            default -> throw new IllegalStateException(field.label());
        };
    }

    /** Adds a condition to a template, as far as a store can judge it; the caller checks the matches again. */
    <T extends Record> Template<T> narrow(Template<T> template, TupleType<T> type, NumberSet set) {
        if (!isOwn || set.hasMissing()) {
            return template;
        }
        Component component = type.component(field.label());
        if (component.type().isEnum()) {
            Object[] constants = component.type().getEnumConstants();
            Set<Object> accepted = IntStream.range(0, constants.length)
                    .filter(set::contains)
                    .mapToObj(index -> constants[index])
                    .collect(Collectors.toSet());
            return accepted.isEmpty() ? template : template.in(component.name(), accepted);
        }
        if (set.ranges().size() != 1 || component.type() == boolean.class) {
            return template;
        }
        NumberSet.Range range = set.ranges().getFirst();
        boolean isInt = component.type() == int.class;
        long most = isInt ? Integer.MAX_VALUE : Long.MAX_VALUE;
        return range.low() > most
                ? template
                : template.range(component.name(), range.low(), Math.min(most, range.high()));
    }

    /** Adds a condition to a template, as the other method does. */
    <T extends Record> Template<T> narrow(Template<T> template, TupleType<T> type, TextCondition condition) {
        boolean isOne = isOwn && !condition.isNegated() && !condition.hasMissing() && condition.any().size() == 1;
        BytePattern pattern = condition.any().isEmpty() ? null : condition.any().getFirst();
        if (!isOne || pattern == null || !pattern.isLiteral()) {
            return template;
        }
        if (type.component(field.label()).type() != String.class) {
            return template.equal(field.label(), pattern.head());
        }
        return pattern.head().utf8().map(text -> template.equal(field.label(), text)).orElse(template);
    }
}
