// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import org.treehaul.core.entry.ByteString;

/**
 * That so much of a tree is not listed any more that this may be a fault: a file system of which a part is down may
 * list too little without any error.
 *
 * @param root the whole path of the tree
 * @param known how many entries the index knows of it
 * @param missing how many of them are not listed any more
 */
public record TreeLoss(ByteString root, long known, long missing) {
    /** Smaller trees change by so much every day. */
    private static final long LEAST = 1000;
    private static final int PART = 10;

    /** Returns whether this is more than a run may remove without being told to. */
    boolean isSuspicious() {
        return known >= LEAST && missing > known / PART;
    }
}
