// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;

/**
 * A list of paths to walk instead of everything below a root, kept as a tree of names. A listed path is walked with all
 * that stands below it; the directories on the way to it are entered but not listed, also through symbolic links.
 *
 * <p>
 * Memory grows with the list, about 100 bytes for each name that differs. Not to be changed once a walk has it.
 */
public final class PathSelection {

    private final Map<ByteString, PathSelection> children = new LinkedHashMap<>();
    private boolean whole;

    /** Makes a selection of nothing. */
    public PathSelection() {}

    /** Adds a path, with all that stands below it. */
    public void add(TreePath path) {
        PathSelection node = this;
        for (ByteString name : path.names()) {
            node = node.children.computeIfAbsent(name, n -> new PathSelection());
        }
        node.whole = true;
    }

    boolean isWhole() {
        return whole;
    }

    Map<ByteString, PathSelection> children() {
        return children;
    }

    /** Returns whether a name in this directory is on the way to a listed path without being listed itself. */
    boolean leadsThrough(ByteString name) {
        PathSelection child = children.get(name);
        return child != null && !child.whole;
    }

    /** Returns the part of a selection that applies in a directory: null where everything in it is walked. */
    static @Nullable PathSelection below(@Nullable PathSelection parent, ByteString name) {
        PathSelection child = parent == null ? null : parent.children.get(name);
        return child == null || child.whole ? null : child;
    }
}
