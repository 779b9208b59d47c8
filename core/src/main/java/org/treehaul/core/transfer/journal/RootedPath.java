// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.journal;

import java.util.Set;

import org.treehaul.core.entry.TreePath;

/**
 * A path below one of the roots of a plan.
 *
 * @param root the number of the root
 * @param path the path below the root
 */
public record RootedPath(int root, TreePath path) {

    /** Returns whether the given places contain this one or a directory above it. */
    public boolean isWithin(Set<RootedPath> places) {
        if (places.isEmpty()) {
            return false;
        }
        TreePath at = path;
        while (!places.contains(new RootedPath(root, at))) {
            if (at.isRoot()) {
                return false;
            }
            at = at.parent();
        }
        return true;
    }
}
