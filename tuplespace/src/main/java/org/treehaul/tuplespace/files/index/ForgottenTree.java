// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import java.util.Objects;

import org.treehaul.core.entry.ByteString;

/**
 * A tree that was removed from an index.
 *
 * @param root absolute path of the tree
 * @param entries number of entries that were removed; those that another indexed tree contains stay
 */
public record ForgottenTree(ByteString root, long entries) {

    public ForgottenTree {
        Objects.requireNonNull(root);
    }
}
