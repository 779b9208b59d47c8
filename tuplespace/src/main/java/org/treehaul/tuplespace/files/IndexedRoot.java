// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import java.util.Objects;

import org.treehaul.core.entry.ByteString;

/**
 * An indexed tree: stored as a tuple beside those of its entries.
 *
 * @param root absolute path of the tree
 * @param generation number of the last index run that read the tree, from 1
 * @param finished when that run ended, in nanoseconds since 1970
 * @param entries number of entries that the run saw
 * @param failures number of entries that the run could not read
 */
public record IndexedRoot(ByteString root, long generation, long finished, long entries, long failures) {

    public IndexedRoot {
        Objects.requireNonNull(root);
    }
}
