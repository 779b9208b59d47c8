// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.options;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;

/**
 * The part of a tree that is walked instead of everything below its root, as a tree of names. Each of its nodes is the
 * part that applies in a directory. Filled by one thread; must not change after it was passed to a walk.
 */
public abstract sealed class PathSelection permits SelectedPaths, SelectedEntries {

    private boolean marked;

    PathSelection() {}

    /** Returns the node of a path; nodes that are missing are created. */
    abstract PathSelection node(TreePath path);

    /** Returns the node of a path below one of its own kind; nodes that are missing are created. */
    static <S extends PathSelection> S node(S top, TreePath path, Function<S, Map<ByteString, S>> children,
            Supplier<S> maker) {
        S node = top;
        for (ByteString name : path.names()) {
            node = children.apply(node).computeIfAbsent(name, any -> maker.get());
        }
        return node;
    }

    /** Returns the nodes of the names in this directory, in the order in which they were added. */
    @Internal
    public abstract Map<ByteString, ? extends PathSelection> children();

    /** Returns the part that applies in a directory of this one; null if it is not on the way, or walked entirely. */
    @Internal
    public abstract @Nullable PathSelection below(ByteString name);

    /** Returns whether the walk follows this directory on the way if it is a symbolic link. */
    public abstract boolean isFollowed();

    /** Marks a directory on the way, or the root, as reached through a symbolic link, which may be followed again. */
    public void follow(TreePath directory) {
        node(directory).marked = true;
    }

    /** Returns whether this directory was marked by {@link #follow}. */
    boolean isMarked() {
        return marked;
    }

    /** Returns whether a directory was marked by {@link #follow}. */
    public boolean follows(TreePath directory) {
        PathSelection node = this;
        for (ByteString name : directory.names()) {
            node = node.children().get(name);
            if (node == null) {
                return false;
            }
        }
        return node.marked;
    }

    /** Returns the directories on the way to a path that were marked by {@link #follow}. */
    public List<TreePath> followedOnTheWayTo(TreePath path) {
        List<TreePath> followed = new ArrayList<>();
        TreePath at = TreePath.root();
        PathSelection node = this;
        for (ByteString name : path.names()) {
            if (node.marked) {
                followed.add(at);
            }
            at = at.child(name.toBytes());
            node = node.children().get(name);
            if (node == null) {
                break;
            }
        }
        return followed;
    }
}
