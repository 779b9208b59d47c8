// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.util.HashSet;
import java.util.Set;

import org.treehaul.core.entry.TreePath;
import org.treehaul.core.plan.Plan;
import org.treehaul.core.plan.PlannedFollow;
import org.treehaul.core.walk.PathSelection;

/** The symbolic links that planning followed on the way to what was listed, and who copies is to follow as well. */
final class FollowedWays {

    private final Set<PlannedFollow> links;

    FollowedWays(Plan plan) {
        links = new HashSet<>(plan.followed());
    }

    /** Marks those on the way to an entry, and the entry where it is one, in the selection of its root. */
    void mark(PathSelection selection, int root, TreePath entry) {
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
