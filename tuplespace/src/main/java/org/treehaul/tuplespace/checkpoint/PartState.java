// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.checkpoint;

import org.treehaul.tuplespace.tuple.Bytes;

/**
 * The state of a part as it stands in the space.
 *
 * @param run the name of what is check-pointed
 * @param generation the number of the check-point, which grows
 * @param part the name of the part
 * @param state what the part needs to go on from there
 */
public record PartState(String run, long generation, String part, Bytes state) {
    public PartState {
        // The name becomes that of a file.
        if (run.isEmpty() || run.startsWith(".") || run.contains("/") || run.contains("\0") || generation < 0) {
            throw new IllegalArgumentException("run \"" + run + "\", generation " + generation);
        }
    }
}
