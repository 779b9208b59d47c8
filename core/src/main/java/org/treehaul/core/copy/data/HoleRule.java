// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.data;

import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.FileStatus;

/**
 * The rule that decides whether a file is searched for holes.
 *
 * @param sparse whether holes are kept, made or filled
 */
public record HoleRule(CopyOptions.When sparse) {

    // A file whose allocated size is smaller than its size by fewer bytes than this is not searched for holes: file
    // systems keep small files in the inode, and compress.
    private static final int LEAST_HOLE = 4096;

    /** Returns whether a source may have holes that the copy is to keep. */
    public boolean maySparse(FileStatus source) {
        return switch (sparse) {
            case AUTO -> source.size() - source.blocks() * 512 >= LEAST_HOLE;
            case ALWAYS -> source.size() >= LEAST_HOLE;
            case NEVER -> false;
        };
    }

    /**
     * Returns the number of bytes of a source without its holes, as far as it is known: a single unit of blocks may
     * mean that they are not known yet.
     */
    public long dataBytes(FileStatus source) {
        boolean hasHoles = maySparse(source) && source.blocks() != 1;
        return hasHoles ? Math.min(source.size(), source.blocks() * 512) : source.size();
    }
}
