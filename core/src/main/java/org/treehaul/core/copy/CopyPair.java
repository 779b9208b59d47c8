// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.walk.Root;

/**
 * A source and the path of its copy.
 *
 * @param source the entry to copy, with everything below it or a selection
 * @param target the path of the copy itself, not of the directory that will contain it; that directory must exist
 */
public record CopyPair(Root source, ByteString target) {

    public CopyPair {
        if (target.length() == 0) {
            throw new IllegalArgumentException("an empty path cannot be a target");
        }
    }
}
