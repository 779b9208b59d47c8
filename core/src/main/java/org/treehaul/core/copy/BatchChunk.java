// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import org.treehaul.core.entry.TreePath;

/**
 * A part of a large file that is copied by itself.
 *
 * @param root the position of the file's pair
 * @param path where the file stands below that
 * @param number by which the caller knows the chunk
 * @param from the offset of its first byte
 * @param to the offset behind its last, in the file as it was planned
 * @param isLast whether no chunk follows: then it goes as far as the file does by now
 */
public record BatchChunk(int root, TreePath path, int number, long from, long to, boolean isLast) {

    /** Makes a chunk. */
    public BatchChunk {
        if (from < 0 || to <= from) {
            throw new IllegalArgumentException("no chunk: " + from + " to " + to);
        }
    }
}
