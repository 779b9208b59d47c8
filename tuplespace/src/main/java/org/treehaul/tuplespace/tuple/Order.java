// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.tuple;

/**
 * An order of tuples by one component; absent values come first, or last when it descends. Equal ones in the order of
 * their writing.
 *
 * @param component the component; empty for the order of writing
 * @param isDescending whether the greatest comes first
 */
public record Order(String component, boolean isDescending) {

    /** Returns the order by a component, the least first. */
    public static Order by(String component) {
        return new Order(component, false);
    }

    /** Returns the order of writing. */
    public static Order ofWriting() {
        return new Order("", false);
    }

    /** Returns the opposite order. */
    public Order descending() {
        return new Order(component, true);
    }
}
