// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.options;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.TreePath;

/** Skips nothing; compared by identity, so that a walk without filters builds no paths. */
@Internal
public enum NoFilter implements EntryFilter {
    INSTANCE;

    @Override
    public boolean excludes(TreePath path, boolean isDirectory) {
        return false;
    }
}
