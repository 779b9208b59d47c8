// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.store;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.storage.EntryMetadata;
import org.treehaul.core.storage.NewFile;
import org.treehaul.core.storage.TargetTree;

/**
 * An entry of a tree, and everything below it, as a tree of its own into which entries are copied. The directory that
 * contains the entry exists.
 *
 * @param tree the whole tree, which this one closes
 * @param base the path of the entry
 */
public record SubtreeTarget(TargetTree tree, TreePath base) implements TargetTree {

    private TreePath below(TreePath path) {
        return SubtreeSource.below(base, path);
    }

    @Override
    public @Nullable FileStatus find(TreePath entry) throws SystemCallException {
        return tree.find(below(entry));
    }

    @Override
    public void makeDirectory(TreePath directory, FileStatus source) throws SystemCallException {
        tree.makeDirectory(below(directory), source);
    }

    @Override
    public void finishDirectory(TreePath directory, EntryMetadata source) throws SystemCallException {
        tree.finishDirectory(below(directory), source);
    }

    @Override
    public NewFile create(TreePath file, EntryMetadata source) throws SystemCallException {
        return tree.create(below(file), source);
    }

    @Override
    public void makeLink(TreePath link, ByteString target, EntryMetadata source) throws SystemCallException {
        tree.makeLink(below(link), target, source);
    }

    @Override
    public void makeNode(TreePath node, EntryMetadata source) throws SystemCallException {
        tree.makeNode(below(node), source);
    }

    @Override
    public void close() {
        tree.close();
    }
}
