// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.tuple;

/**
 * An aggregate function over tuples or over each group of them. Absent components are ignored, as in SQL.
 *
 * @param function the function
 * @param component component to aggregate; empty for the count
 */
public record Aggregate(Function function, String component) {

    /** The aggregate functions. */
    public enum Function {
        COUNT,
        SUM,
        MIN,
        MAX
    }

    public Aggregate {
        if ((function == Function.COUNT) != component.isEmpty()) {
            throw new IllegalArgumentException(function + " of component \"" + component + "\"");
        }
    }

    /** Returns the count of tuples, a Long. */
    public static Aggregate count() {
        return new Aggregate(Function.COUNT, "");
    }

    /** Returns the sum of a component: a Double for float and double, else a Long; 0 if there are no values. */
    public static Aggregate sum(String component) {
        return new Aggregate(Function.SUM, component);
    }

    /** Returns the least value of a component, null if there are no values. */
    public static Aggregate min(String component) {
        return new Aggregate(Function.MIN, component);
    }

    /** Returns the greatest value of a component, null if there are no values. */
    public static Aggregate max(String component) {
        return new Aggregate(Function.MAX, component);
    }
}
