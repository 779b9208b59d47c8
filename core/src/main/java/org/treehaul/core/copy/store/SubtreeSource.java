// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.store;

import java.util.SortedMap;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.storage.SourceFile;
import org.treehaul.core.storage.SourceTree;

/**
 * An entry of a tree, and everything below it, as a tree of its own.
 *
 * @param tree the whole tree, which this one closes
 * @param base the path of the entry
 */
public record SubtreeSource(SourceTree tree, TreePath base) implements SourceTree {

    @Override
    public void list(TreePath directory, Listing listing) throws SystemCallException {
        tree.list(below(base, directory), listing);
    }

    @Override
    public FileStatus status(TreePath entry) throws SystemCallException {
        return tree.status(below(base, entry));
    }

    @Override
    public SourceFile open(TreePath file) throws SystemCallException {
        return tree.open(below(base, file));
    }

    @Override
    public ByteString linkTarget(TreePath link) throws SystemCallException {
        return tree.linkTarget(below(base, link));
    }

    @Override
    public @Nullable ByteString servers(TreePath entry) throws SystemCallException {
        return tree.servers(below(base, entry));
    }

    @Override
    public SortedMap<ByteString, ByteString> attributes(SourceFile file, FileStatus status) throws SystemCallException {
        return tree.attributes(file, status);
    }

    @Override
    public SortedMap<ByteString, ByteString> attributes(TreePath entry, FileStatus status) throws SystemCallException {
        return tree.attributes(below(base, entry), status);
    }

    /** Returns the path in the whole tree. */
    static TreePath below(TreePath base, TreePath path) {
        if (path.isRoot()) {
            return base;
        }
        return base.isRoot() ? path : TreePath.of(path.below(ByteString.of(base.toBytes())).toBytes());
    }

    @Override
    public void close() {
        tree.close();
    }
}
