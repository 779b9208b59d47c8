// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import org.treehaul.core.entry.TreePath;

/** Says which entries a walk passes over. Used by many threads at once. */
@FunctionalInterface
public interface EntryFilter {

    /**
     * Returns whether the walk passes over an entry, and with it over all that stands in it.
     *
     * @param path where the entry stands below its root, never the root itself
     * @param isDirectory whether it is a directory
     */
    boolean excludes(TreePath path, boolean isDirectory);

    /** Returns the filter that lets everything through. */
    static EntryFilter none() {
        return NoFilter.INSTANCE;
    }
}
