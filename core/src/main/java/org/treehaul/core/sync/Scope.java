// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.walk.FoundValues;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.SelectedPaths;

/**
 * The part of the source that a run covers: all of it, or listed paths with everything below them.
 *
 * @param source the path of the source
 * @param list the listed paths, or null
 * @param where the conditions that its entries meet
 */
record Scope(ByteString source, @Nullable SelectedPaths list, FileQuery where) {

    /** Returns whether paths are listed. */
    boolean isOfList() {
        return list != null;
    }

    /** Returns whether only some entries of a directory belong to the part. */
    boolean isSelective() {
        return !where.isAll();
    }

    /** Returns the same part without conditions. */
    Scope withoutConditions() {
        return new Scope(source, list, FileQuery.all());
    }

    /** Returns the values of entries of either side for the conditions; paths begin with the source. */
    FoundValues values() {
        return new FoundValues(List.of(Root.of(source)));
    }

    /** Returns the root of a walk that covers the part. */
    Root root() {
        return list == null ? Root.of(source) : Root.of(source, list);
    }

    /** Returns the root of a walk that covers a selection. */
    Root root(SelectedPaths selection) {
        return Root.of(source, selection);
    }

    /** Returns whether a list leads through a directory without covering it. */
    boolean isOnTheWay(TreePath path) {
        return list != null && !list.covers(path);
    }

    /** Returns whether an entry was looked up because of a list, not found in a directory. */
    boolean isLookedUp(TreePath path) {
        return !path.isRoot() && isOnTheWay(path.parent());
    }

    /** Returns the listed paths at or below a directory on the way to them. */
    List<TreePath> listedBelow(TreePath path) {
        return list == null ? List.of(path) : list.listedBelow(path);
    }

    /** Adds an entry to a selection of the source, a directory without its content if only some of it belongs to it. */
    void select(SelectedPaths selection, Found found) {
        if (found.kind() == EntryKind.DIRECTORY && isSelective()) {
            selectDirectory(selection, found.path());
        } else {
            select(selection, found.path());
            if (list != null) {
                // The walk reports those that lead through a link.
                list.listedBeyond(found.path()).forEach(selection::add);
            }
        }
    }

    /** Adds a path, with everything below it, to a selection of the source. */
    void select(SelectedPaths selection, TreePath path) {
        selection.add(path);
        follow(selection, path);
    }

    /** Adds a directory, without its content, to a selection of the source. */
    void selectDirectory(SelectedPaths selection, TreePath path) {
        selection.addDirectory(path);
        follow(selection, path);
    }

    // As the walk of the list did: only there are links on the way to other entries followed.
    private void follow(SelectedPaths selection, TreePath path) {
        if (list == null) {
            return;
        }
        TreePath at = path;
        while (!at.isRoot()) {
            if (isOnTheWay(at)) {
                selection.follow(at);
            }
            at = at.parent();
        }
    }
}
