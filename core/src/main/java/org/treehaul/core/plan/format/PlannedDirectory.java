// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.format;

import java.util.OptionalInt;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.Identity;
import org.treehaul.core.entry.TreePath;

/**
 * A directory of the transfer, which gets its metadata once everything below it is done.
 *
 * @param root the index of its root in the header
 * @param path its path below that root
 * @param targetMode the permissions of the directory that existed at the target during planning, empty if there was
 *        none
 * @param isIncomplete whether listing it ended with an error, so that it may contain more than was planned
 * @param identity the identity of the directory, or null if the plan does not contain it
 */
public record PlannedDirectory(int root, TreePath path, OptionalInt targetMode, boolean isIncomplete,
        @Nullable Identity identity) {

    /** Creates a directory whose identity is not known. */
    public PlannedDirectory(int root, TreePath path, OptionalInt targetMode, boolean isIncomplete) {
        this(root, path, targetMode, isIncomplete, null);
    }
}
