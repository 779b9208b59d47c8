// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.batch;

import java.util.HashSet;
import java.util.Set;

import org.treehaul.core.entry.TreePath;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlannedFollow;
import org.treehaul.core.walk.options.PathSelection;

/** Symbolic links that planning followed on the way to listed paths and that the copy must follow too. */
public final class FollowedSymlinks {

    private final Set<PlannedFollow> links;

    public FollowedSymlinks(Plan plan) {
        links = new HashSet<>(plan.followed());
    }

    /**
     * Marks, in the selection of a root, the links on the way to an entry and the entry itself if it is such a link.
     */
    public void mark(PathSelection selection, int root, TreePath entry) {
        if (links.isEmpty()) {
            return;
        }
        TreePath path = entry;
        while (!path.isRoot()) {
            markOne(selection, root, path);
            path = path.parent();
        }
        markOne(selection, root, path);
    }

    private void markOne(PathSelection selection, int root, TreePath path) {
        if (links.contains(new PlannedFollow(root, path))) {
            selection.follow(path);
        }
    }
}
