// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.condition;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.ByteString;

/**
 * Conditions on rows of any kind, in the language of {@link FileQuery}. Immutable.
 * <p>
 * A row without a value in a field meets a condition on it only if the condition asks for that, as in {@code target=}.
 */
@Internal
public sealed interface RowQuery {

    /** Returns whether a row matches. */
    boolean matches(RowValues row);

    /** Returns the fields that it reads. */
    Stream<Field> read();

    /** Returns the fields that decide whether a row matches. */
    default Set<Field> fields() {
        return read().collect(Collectors.toSet());
    }

    /**
     * Passes the conditions that every matching row meets, as far as they are no alternatives.
     *
     * @param numbers receives those on numbers
     * @param texts receives those on text
     */
    default void required(BiConsumer<Field, NumberSet> numbers, BiConsumer<Field, TextCondition> texts) {}

    /** Returns the query that every row matches. */
    static RowQuery all() {
        return new And(List.of());
    }

    /**
     * Parses conditions.
     *
     * @param fields the fields that they can name; of two with one name the first counts
     * @throws ConditionException when a condition is invalid
     */
    static RowQuery parse(List<ByteString> conditions, List<Field> fields, ConditionContext context) {
        FieldValues values = new FieldValues(context);
        Vocabulary vocabulary = new Vocabulary(fields);
        return new GroupParser<>(conditions, new GroupParser.Algebra<RowQuery>() {
            @Override
            public RowQuery all() {
                return RowQuery.all();
            }

            @Override
            public RowQuery condition(ByteString word) {
                ConditionParser.Parsed parsed = new ConditionParser(word, values, vocabulary).parse();
                return parsed.text() == null
                        ? new OfNumbers(parsed.field(), Objects.requireNonNull(parsed.numbers()))
                        : new OfText(parsed.field(), parsed.text());
            }

            @Override
            public RowQuery and(RowQuery one, RowQuery other) {
                List<RowQuery> both = new ArrayList<>(((And) one).all());
                both.add(other);
                return new And(both);
            }

            @Override
            public RowQuery anyOf(List<RowQuery> ways) {
                return new Or(ways);
            }

            @Override
            public RowQuery not(RowQuery query) {
                return new Not(query);
            }
        }).parse();
    }

    /** A condition on a numeric field. */
    record OfNumbers(Field field, NumberSet set) implements RowQuery {

        @Override
        public boolean matches(RowValues row) {
            Long number = row.number(field);
            return number == null ? set.hasMissing() : set.contains(number);
        }

        @Override
        public Stream<Field> read() {
            return Stream.of(field);
        }

        @Override
        public void required(BiConsumer<Field, NumberSet> numbers, BiConsumer<Field, TextCondition> texts) {
            numbers.accept(field, set);
        }
    }

    /** A condition on a field of bytes. */
    record OfText(Field field, TextCondition condition) implements RowQuery {

        @Override
        public boolean matches(RowValues row) {
            return condition.matches(row.text(field));
        }

        @Override
        public Stream<Field> read() {
            return Stream.of(field);
        }

        @Override
        public void required(BiConsumer<Field, NumberSet> numbers, BiConsumer<Field, TextCondition> texts) {
            texts.accept(field, condition);
        }
    }

    /** All of several conditions. */
    record And(List<RowQuery> all) implements RowQuery {

        public And {
            all = List.copyOf(all);
        }

        @Override
        public boolean matches(RowValues row) {
            return all.stream().allMatch(one -> one.matches(row));
        }

        @Override
        public Stream<Field> read() {
            return all.stream().flatMap(RowQuery::read);
        }

        @Override
        public void required(BiConsumer<Field, NumberSet> numbers, BiConsumer<Field, TextCondition> texts) {
            all.forEach(one -> one.required(numbers, texts));
        }
    }

    /** At least one of several conditions. */
    record Or(List<RowQuery> ways) implements RowQuery {

        public Or {
            ways = List.copyOf(ways);
        }

        @Override
        public boolean matches(RowValues row) {
            return ways.stream().anyMatch(way -> way.matches(row));
        }

        @Override
        public Stream<Field> read() {
            return ways.stream().flatMap(RowQuery::read);
        }
    }

    /** The opposite of a condition. */
    record Not(RowQuery query) implements RowQuery {

        @Override
        public boolean matches(RowValues row) {
            return !query.matches(row);
        }

        @Override
        public Stream<Field> read() {
            return query.read();
        }
    }
}
