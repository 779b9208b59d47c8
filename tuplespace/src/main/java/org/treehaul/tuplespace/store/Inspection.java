// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.store;

import java.util.List;

/**
 * What was found when a whole durable store was read.
 *
 * @param tuples how many tuples were read
 * @param unchecked how many of them have no checksum, as a version without checksums wrote them
 * @param problems what is damaged, in words; none where the store is whole
 */
public record Inspection(long tuples, long unchecked, List<String> problems) {
    public Inspection {
        problems = List.copyOf(problems);
    }

    /** Returns whether nothing is damaged. */
    public boolean isWhole() {
        return problems.isEmpty();
    }
}
