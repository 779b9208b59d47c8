// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.options;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;

/**
 * Selects paths: the walk visits each with everything below it. It enters the directories on the way to them without
 * listing them.
 *
 * <p>
 * Memory grows with the list: about 100 bytes for each distinct name.
 */
public final class SelectedPaths extends PathSelection {

    private final Map<ByteString, SelectedPaths> children = new LinkedHashMap<>();
    private final boolean followsLinks;
    private boolean whole;

    private SelectedPaths(boolean followsLinks) {
        this.followsLinks = followsLinks;
    }

    /** Returns an empty selection. Symbolic links on the way to its paths are followed. */
    public static SelectedPaths following() {
        return new SelectedPaths(true);
    }

    /**
     * Returns an empty selection. Symbolic links on the way to its paths are followed only if {@link #follow} or the
     * walk requires it.
     */
    public static SelectedPaths strict() {
        return new SelectedPaths(false);
    }

    /** Adds a path with everything below it. */
    public void add(TreePath path) {
        node(path).whole = true;
    }

    /** Adds a directory without its content. */
    public void addDirectory(TreePath path) {
        node(path);
    }

    @Override
    SelectedPaths node(TreePath path) {
        return node(this, path, SelectedPaths::children, () -> new SelectedPaths(followsLinks));
    }

    @Override
    public boolean isFollowed() {
        return followsLinks || isMarked();
    }

    /** Returns whether a path is listed, or below a listed path. */
    public boolean covers(TreePath path) {
        SelectedPaths node = this;
        for (ByteString name : path.names()) {
            if (node.whole) {
                return true;
            }
            node = node.children.get(name);
            if (node == null) {
                return false;
            }
        }
        return node.whole;
    }

    /**
     * Returns the listed paths at or below a path; or only the path itself, if it is below a listed path or none is
     * listed there.
     */
    public List<TreePath> listedBelow(TreePath path) {
        SelectedPaths node = this;
        for (ByteString name : path.names()) {
            SelectedPaths child = node.whole ? null : node.children.get(name);
            if (child == null) {
                return List.of(path);
            }
            node = child;
        }
        List<TreePath> listed = new ArrayList<>();
        node.addListed(path, listed);
        return listed.isEmpty() ? List.of(path) : listed;
    }

    private void addListed(TreePath path, List<TreePath> listed) {
        if (whole) {
            listed.add(path);
            return;
        }
        children.forEach((name, child) -> child.addListed(path.child(name.toBytes()), listed));
    }

    /**
     * Returns the listed paths below a path, but not itself. If it is listed, they are visited with it, unless it is no
     * directory.
     */
    @Internal
    public List<TreePath> listedBeyond(TreePath path) {
        SelectedPaths node = this;
        for (ByteString name : path.names()) {
            node = node.children.get(name);
            if (node == null) {
                return List.of();
            }
        }
        if (node.children.isEmpty()) {
            return List.of();
        }
        List<TreePath> listed = new ArrayList<>();
        node.children.forEach((name, child) -> child.addListed(path.child(name.toBytes()), listed));
        return listed;
    }

    boolean isWhole() {
        return whole;
    }

    /** Returns whether a name in this directory is on the way to a listed path without being listed itself. */
    @Internal
    public boolean leadsThrough(ByteString name) {
        return below(name) != null;
    }

    @Internal
    @Override
    public Map<ByteString, SelectedPaths> children() {
        return children;
    }

    @Internal
    @Override
    public @Nullable SelectedPaths below(ByteString name) {
        SelectedPaths child = children.get(name);
        return child == null || child.whole ? null : child;
    }
}
