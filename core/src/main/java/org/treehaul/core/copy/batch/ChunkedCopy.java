// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.batch;

import java.util.List;

import org.treehaul.core.copy.target.SourceIdentity;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;

/**
 * A large file whose chunks are all copied, or the remaining names of one.
 *
 * @param root position of its pair
 * @param path path of the file below that root
 * @param chunks all chunks in order, as they were reported; empty if only names remain, which are copied like those of
 *        any other file
 * @param links further names of the file, which become links to it
 * @param isFailed whether the copy of this name failed, so that only the further names remain
 */
public record ChunkedCopy(int root, TreePath path, List<Chunk> chunks, List<Name> links, boolean isFailed) {

    /**
     * A copied chunk.
     *
     * @param from offset of its first byte
     * @param to offset after its last byte
     * @param source the version of the file from which it was read
     * @param proof hash for verification; empty if that was not requested
     */
    public record Chunk(long from, long to, SourceIdentity source, ByteString proof) {}

    /**
     * Another name of the file.
     *
     * @param root position of its pair
     * @param path path of the name below that root
     */
    public record Name(int root, TreePath path) {}

    public ChunkedCopy {
        chunks = List.copyOf(chunks);
        links = List.copyOf(links);
        if (isFailed && !chunks.isEmpty()) {
            throw new IllegalArgumentException("failed, but still to be completed: " + path);
        }
    }

    /**
     * Creates a file whose chunks are all copied or, without chunks, whose names are copied one by one like any other
     * file.
     */
    public ChunkedCopy(int root, TreePath path, List<Chunk> chunks, List<Name> links) {
        this(root, path, chunks, links, false);
    }
}
