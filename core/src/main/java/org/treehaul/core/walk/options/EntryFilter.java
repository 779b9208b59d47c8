// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.options;

import org.treehaul.core.entry.TreePath;

/** Decides which entries a walk skips. Many threads call it at once. */
@FunctionalInterface
public interface EntryFilter {

    /**
     * Returns whether the walk skips an entry, and with it everything below the entry.
     *
     * @param path path of the entry below its root; never the root itself
     * @param isDirectory whether the entry is a directory
     */
    boolean excludes(TreePath path, boolean isDirectory);

    /** Returns the filter that skips nothing. */
    static EntryFilter none() {
        return NoFilter.INSTANCE;
    }
}
