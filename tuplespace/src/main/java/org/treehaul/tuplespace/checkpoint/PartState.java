// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.checkpoint;

import org.treehaul.tuplespace.tuple.Bytes;

/**
 * The state of a part, as stored in the space.
 *
 * @param run name of the run
 * @param generation number of the checkpoint, which grows
 * @param part name of the part
 * @param state the data that the part needs to continue from there
 */
public record PartState(String run, long generation, String part, Bytes state) {
    public PartState {
        // The name of the run becomes a part of a file name.
        if (run.isEmpty() || run.startsWith(".") || run.contains("/") || run.contains("\0") || generation < 0) {
            throw new IllegalArgumentException("run \"" + run + "\", generation " + generation);
        }
    }
}
