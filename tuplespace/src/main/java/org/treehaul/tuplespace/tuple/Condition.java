// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.tuple;

import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * What a template asks of one component, in terms of its canonical value. A value that is absent meets none of them but
 * {@link Absent} and, where its inner condition fails, {@link Not}.
 */
public sealed interface Condition {

    /** Returns the name of the component. */
    String component();

    /** Tells whether a canonical value meets it. */
    boolean isMetBy(@Nullable Object value);

    /** The same value. */
    record Equal(String component, Object value) implements Condition {
        @Override
        public boolean isMetBy(@Nullable Object other) {
            return value.equals(other);
        }
    }

    /** One of some values. */
    record In(String component, Set<Object> values) implements Condition {
        public In {
            values = Set.copyOf(values);
        }

        @Override
        public boolean isMetBy(@Nullable Object value) {
            return value != null && values.contains(value);
        }
    }

    /** Between two values, both included; null where it is open. */
    record Range(String component, @Nullable Object low, @Nullable Object high) implements Condition {
        @Override
        public boolean isMetBy(@Nullable Object value) {
            return value != null && (low == null || Kind.compare(low, value) <= 0)
                    && (high == null || Kind.compare(value, high) <= 0);
        }
    }

    /** Begins with a text or bytes. */
    record Prefix(String component, Object value) implements Condition {
        @Override
        public boolean isMetBy(@Nullable Object other) {
            return switch (other) {
                case String text -> text.startsWith((String) value);
                case Bytes bytes -> bytes.startsWith((Bytes) value);
                case null, default -> false;
            };
        }
    }

    /** Ends with a text or bytes. */
    record Suffix(String component, Object value) implements Condition {
        @Override
        public boolean isMetBy(@Nullable Object other) {
            return switch (other) {
                case String text -> text.endsWith((String) value);
                case Bytes bytes -> bytes.endsWith((Bytes) value);
                case null, default -> false;
            };
        }
    }

    /** No value. */
    record Absent(String component) implements Condition {
        @Override
        public boolean isMetBy(@Nullable Object value) {
            return value == null;
        }
    }

    /** Whatever meets a test of the canonical value, which no index can help; the description is for messages. */
    record Test(String component, String description, Predicate<Object> test) implements Condition {
        @Override
        public boolean isMetBy(@Nullable Object value) {
            return value != null && test.test(value);
        }
    }

    /** Meets at least one of other conditions on the same component. */
    record AnyOf(String component, List<Condition> conditions) implements Condition {
        public AnyOf {
            conditions = List.copyOf(conditions);
            for (Condition condition : conditions) {
                if (!condition.component().equals(component)) {
                    throw new IllegalArgumentException(condition + " is not on component " + component);
                }
            }
        }

        @Override
        public boolean isMetBy(@Nullable Object value) {
            return conditions.stream().anyMatch(condition -> condition.isMetBy(value));
        }
    }

    /** Whatever does not meet another condition, absent values included. */
    record Not(Condition condition) implements Condition {
        @Override
        public String component() {
            return condition.component();
        }

        @Override
        public boolean isMetBy(@Nullable Object value) {
            return !condition.isMetBy(value);
        }
    }
}
