// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import org.treehaul.core.entry.TreePath;

/**
 * A directory of a transfer, when all that goes into it is copied.
 *
 * @param root the position of its pair
 * @param path where it stands below that
 * @param modeBefore the permission bits that stood at the destination before the transfer; -1 when nothing did
 * @param isIncomplete whether it was not listed to its end: then it does not get the times that say it is complete
 */
public record FinalDirectory(int root, TreePath path, int modeBefore, boolean isIncomplete) {

    /** Returns whether it stood at the destination before the transfer. */
    public boolean wasThere() {
        return modeBefore >= 0;
    }
}
