// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.walk.Root;

/**
 * A source and the place that its copy is to have.
 *
 * @param source the entry to copy, with all below it or a selection
 * @param target the path of the copy itself, not of the directory that it goes into; what it stands in must be there
 */
public record CopyPair(Root source, ByteString target) {

    /** Makes a pair. */
    public CopyPair {
        if (target.length() == 0) {
            throw new IllegalArgumentException("an empty path cannot be a target");
        }
    }
}
