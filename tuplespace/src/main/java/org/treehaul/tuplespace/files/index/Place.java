// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;

/**
 * A directory in the walk of a run. Computes its absolute path only when needed: in a deep chain of directories, each
 * path is as long as all names above it together.
 *
 * @param root index of its root among the roots of the run
 * @param path path below that root
 */
record Place(int root, TreePath path) {

    /** Returns the absolute path, given that of the root. */
    ByteString whole(ByteString rootPath) {
        return path.below(rootPath);
    }
}
