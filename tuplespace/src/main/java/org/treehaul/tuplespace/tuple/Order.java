// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.tuple;

import java.util.Comparator;
import java.util.function.Function;
import java.util.function.ToLongFunction;

import org.jspecify.annotations.Nullable;

/**
 * An order of tuples by one component. Absent values come first, or last in descending order; equal values are in the
 * order in which they were written.
 *
 * @param component the component; empty for the order of writing
 * @param isDescending whether the greatest value comes first
 */
public record Order(String component, boolean isDescending) {

    /** Returns the ascending order by a component. */
    public static Order by(String component) {
        return new Order(component, false);
    }

    /** Returns the order in which the tuples were written. */
    public static Order ofWriting() {
        return new Order("", false);
    }

    /** Returns the descending order. */
    public Order descending() {
        return new Order(component, true);
    }

    /**
     * Returns a comparator of objects that hold tuples.
     *
     * @param tuple returns the tuple of an object
     * @param number returns the object's position in the order of writing
     */
    public <T> Comparator<T> comparator(Function<T, Record> tuple, ToLongFunction<T> number) {
        Comparator<T> byWriting = Comparator.comparingLong(number);
        if (component.isEmpty()) {
            return isDescending ? byWriting.reversed() : byWriting;
        }
        Comparator<T> byValue = (one, other) -> {
            Object a = value(tuple.apply(one));
            Object b = value(tuple.apply(other));
            return a == null || b == null ? Boolean.compare(a != null, b != null) : Kind.compare(a, b);
        };
        return (isDescending ? byValue.reversed() : byValue).thenComparing(byWriting);
    }

    /**
     * Checks whether tuples of a type can be put in this order.
     *
     * @throws IllegalArgumentException if the type is a record class without this component
     */
    public void check(Class<?> type) {
        if (!component.isEmpty() && type.isRecord()) {
            TupleType.of(type.asSubclass(Record.class)).component(component);
        }
    }

    private @Nullable Object value(Record tuple) {
        TupleType<?> type = TupleType.of(tuple);
        return type.has(component) ? type.component(component).canonical(tuple) : null;
    }
}
