// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.batch;

import org.treehaul.core.entry.TreePath;

/**
 * A part of a large file that is copied separately.
 *
 * @param root position of the file's pair
 * @param path path of the file below that root
 * @param number identifies the chunk to the caller
 * @param from offset of its first byte
 * @param to offset after its last byte, in the file as planned
 * @param isLast whether this is the last chunk: then it extends to the current end of the file
 */
public record BatchChunk(int root, TreePath path, int number, long from, long to, boolean isLast) {

    /** Validates the chunk. */
    public BatchChunk {
        if (from < 0 || to <= from) {
            throw new IllegalArgumentException("not a chunk: " + from + " to " + to);
        }
    }
}
