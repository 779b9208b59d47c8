// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import java.util.List;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;

/**
 * A large file whose chunks are all copied.
 *
 * @param root the position of its pair
 * @param path where it stands below that
 * @param chunks as {@link ChunkOutcomes} told them, in order
 * @param links its further names, which become links to it
 */
public record ChunkedCopy(int root, TreePath path, List<Chunk> chunks, List<Name> links) {

    /**
     * A chunk that is done.
     *
     * @param from the offset of its first byte
     * @param to the offset behind its last
     * @param source the version of the file that it is of
     * @param proof to read it back by; empty where that is not asked for
     */
    public record Chunk(long from, long to, SourceIdentity source, ByteString proof) {}

    /**
     * Another name of the file.
     *
     * @param root the position of its pair
     * @param path where it stands below that
     */
    public record Name(int root, TreePath path) {}

    /** Makes a value. */
    public ChunkedCopy {
        chunks = List.copyOf(chunks);
        links = List.copyOf(links);
    }
}
