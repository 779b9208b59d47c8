// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.summary;

import java.util.Objects;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;

/**
 * The space that a directory with everything below it uses, or a single entry of another kind. Immutable.
 *
 * @param path the path, which begins with the root as the user gave it
 * @param depth number of names below the root, 0 for the root
 * @param kind kind of the entry
 * @param usage its space
 */
public record PathUsage(ByteString path, int depth, EntryKind kind, Usage usage) {

    /** Validates the values. */
    public PathUsage {
        Objects.requireNonNull(path);
        Objects.requireNonNull(kind);
        Objects.requireNonNull(usage);
        if (depth < 0) {
            throw new IllegalArgumentException("depth below 0: " + depth);
        }
    }
}
