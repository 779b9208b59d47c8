// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.tuple;

/**
 * What is computed over tuples or over each group of them. Absent components are left out, as in SQL.
 *
 * @param function what is computed
 * @param component over which component, empty for the count
 */
public record Aggregate(Function function, String component) {

    /** What can be computed. */
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

    /** The number of tuples, a Long. */
    public static Aggregate count() {
        return new Aggregate(Function.COUNT, "");
    }

    /** The sum of a component: a Long, 0 when there is none; a Double for float and double. */
    public static Aggregate sum(String component) {
        return new Aggregate(Function.SUM, component);
    }

    /** The least value of a component, null when there is none. */
    public static Aggregate min(String component) {
        return new Aggregate(Function.MIN, component);
    }

    /** The greatest value of a component, null when there is none. */
    public static Aggregate max(String component) {
        return new Aggregate(Function.MAX, component);
    }
}
