// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.store;

import java.util.List;

/**
 * The result of reading a whole durable store.
 *
 * @param tuples number of tuples read
 * @param unchecked number of tuples without checksum, as a version without checksums wrote them
 * @param problems descriptions of the damage; empty for an intact store
 */
public record Inspection(long tuples, long unchecked, List<String> problems) {
    public Inspection {
        problems = List.copyOf(problems);
    }

    /** Returns whether the store is undamaged. */
    public boolean isWhole() {
        return problems.isEmpty();
    }
}
