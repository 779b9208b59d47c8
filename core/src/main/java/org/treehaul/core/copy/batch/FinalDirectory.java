// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.batch;

import org.treehaul.core.entry.TreePath;

/**
 * A directory of a transfer, after everything in it was copied.
 *
 * @param root position of its pair
 * @param path path of the directory below that root
 * @param modeBefore permission bits at the destination before the transfer; -1 if the directory did not exist
 * @param isIncomplete whether its listing was not read to the end: then it does not get the times that would indicate
 *        completeness
 */
public record FinalDirectory(int root, TreePath path, int modeBefore, boolean isIncomplete) {

    /** Returns whether it existed at the destination before the transfer. */
    public boolean wasThere() {
        return modeBefore >= 0;
    }
}
