// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.options;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;

/** Checks that a file is still the one for which a change of attributes was decided. Called on any thread. */
@Internal
@FunctionalInterface
public interface Expectation {

    /**
     * Returns whether both sides are as they were when the change was decided.
     *
     * @param path path of the entry below the root
     * @param target the status of the existing entry
     */
    boolean holds(TreePath path, FileStatus source, FileStatus target);
}
