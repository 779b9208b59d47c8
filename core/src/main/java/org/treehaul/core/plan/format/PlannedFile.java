// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.format;

import java.util.List;

import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.entry.TreePath;

/**
 * A file that is copied in chunks, by any batches, and completed at the end.
 *
 * @param root the index of its root in the header
 * @param path its path below that root
 * @param size its size in bytes
 * @param mtime its modification time
 * @param inode its inode number, unsigned 64 bits
 * @param device its device
 * @param chunks number of its chunks
 * @param group the number of its hard-link group, 0 for none
 * @param links its further names, which are linked to it at the end
 */
public record PlannedFile(int root, TreePath path, long size, Timestamp mtime, long inode, long device, int chunks,
        long group, List<Name> links) {

    /** Creates a file. */
    public PlannedFile {
        links = List.copyOf(links);
    }

    /**
     * A further name of the file.
     *
     * @param root the index of its root in the header
     * @param path its path below that root
     */
    public record Name(int root, TreePath path) {}
}
