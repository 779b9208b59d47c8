// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import java.util.Objects;

import org.treehaul.core.entry.ByteString;

/**
 * That a tree is in an index: a tuple beside those of its entries.
 *
 * @param root the whole path of the tree
 * @param generation number of the index run that was the last to read it, from 1
 * @param finished when that run ended, in nanoseconds since 1970
 * @param entries how many entries it saw
 * @param failures how many entries it could not read
 */
public record IndexedRoot(ByteString root, long generation, long finished, long entries, long failures) {

    /** Makes a tuple. */
    public IndexedRoot {
        Objects.requireNonNull(root);
    }
}
