// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import org.treehaul.core.entry.ByteString;

/**
 * The number of entries of a tree that are no longer listed. A large loss may be a fault: a file system that is partly
 * down may list too little without any error.
 *
 * @param root absolute path of the tree
 * @param known number of entries of the tree in the index
 * @param missing number of these entries that are no longer listed
 */
public record TreeLoss(ByteString root, long known, long missing) {
    /** Smaller trees often lose a tenth of their entries in ordinary use. */
    private static final long LEAST = 1000;
    private static final int PART = 10;

    /** Returns whether the loss is more than a run may remove without the user's consent. */
    boolean isSuspicious() {
        return known >= LEAST && missing > known / PART;
    }
}
