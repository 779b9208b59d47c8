// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.checkpoint;

import java.util.Map;

import org.treehaul.tuplespace.tuple.Bytes;

/**
 * A complete generation.
 *
 * @param generation number of the generation
 * @param states the state of each part
 */
public record Checkpoint(long generation, Map<String, Bytes> states) {
    public Checkpoint {
        states = Map.copyOf(states);
    }
}
