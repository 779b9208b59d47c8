// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.tuple;

import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * A condition on the canonical value of one component. An absent value meets only {@link Absent} and those {@link Not}
 * whose inner condition it does not meet.
 */
public sealed interface Condition {

    /** Returns the name of the component. */
    String component();

    /** Returns whether a canonical value meets the condition. */
    boolean isMetBy(@Nullable Object value);

    /** The value equals another. */
    record Equal(String component, Object value) implements Condition {
        @Override
        public boolean isMetBy(@Nullable Object other) {
            return value.equals(other);
        }
    }

    /** The value equals one of several. */
    record In(String component, Set<Object> values) implements Condition {
        public In {
            values = Set.copyOf(values);
        }

        @Override
        public boolean isMetBy(@Nullable Object value) {
            return value != null && values.contains(value);
        }
    }

    /** The value lies between two values, both inclusive; null leaves that end open. */
    record Range(String component, @Nullable Object low, @Nullable Object high) implements Condition {
        @Override
        public boolean isMetBy(@Nullable Object value) {
            return value != null && (low == null || Kind.compare(low, value) <= 0)
                    && (high == null || Kind.compare(value, high) <= 0);
        }
    }

    /** The text or byte sequence begins with another. */
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

    /** The text or byte sequence ends with another. */
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

    /** The text or byte sequence contains another. */
    record Contains(String component, Object value) implements Condition {
        @Override
        public boolean isMetBy(@Nullable Object other) {
            return switch (other) {
                case String text -> text.contains((String) value);
                case Bytes bytes -> bytes.contains((Bytes) value);
                case null, default -> false;
            };
        }
    }

    /** The component has no value. */
    record Absent(String component) implements Condition {
        @Override
        public boolean isMetBy(@Nullable Object value) {
            return value == null;
        }
    }

    /** The canonical value passes a predicate, for which no index helps; the description is for messages. */
    record Test(String component, String description, Predicate<Object> test) implements Condition {
        @Override
        public boolean isMetBy(@Nullable Object value) {
            return value != null && test.test(value);
        }
    }

    /** The value meets at least one of several conditions on the same component. */
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

    /** The value does not meet another condition; absent values included. */
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
