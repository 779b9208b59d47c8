// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.store;

import java.util.List;

import org.treehaul.tuplespace.tuple.Kind;

/**
 * A record class as a store has it, which may be another version of the class of this program, or one that this program
 * does not have.
 *
 * @param name the name of the class
 * @param components its components, also those that it had only before
 */
public record StoredClass(String name, List<Part> components) {

    /**
     * A component.
     *
     * @param kind the kind of its canonical values
     * @param isOptional whether a value may be absent
     */
    public record Part(String name, Kind kind, boolean isOptional) {}

    /** Copies the list. */
    public StoredClass {
        components = List.copyOf(components);
    }
}
