// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import java.util.List;

import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.entry.TreePath;

/**
 * A file that is copied in chunks, by any batches, and completed at the end.
 *
 * @param root its root's place in the header
 * @param path where it stands below that root
 * @param size its bytes
 * @param mtime when its data were changed
 * @param inode its inode number, unsigned 64 bits
 * @param device the device it is on
 * @param chunks number of its chunks
 * @param group the number of its hard-link group, 0 for none
 * @param links its further names, which become links to it at the end
 */
public record PlannedFile(int root, TreePath path, long size, Timestamp mtime, long inode, long device, int chunks,
        long group, List<Name> links) {

    /** Makes a file. */
    public PlannedFile {
        links = List.copyOf(links);
    }

    /**
     * A further name of it.
     *
     * @param root its root's place in the header
     * @param path where it stands below that root
     */
    public record Name(int root, TreePath path) {}
}
