// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.store;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.locality.Locality;
import org.treehaul.core.storage.SourceTree;
import org.treehaul.core.walk.FoundValues;

/**
 * An entry of a store, as conditions and lists see it. No file is open.
 *
 * @param tree the tree in which it was found
 * @param root the root of the tree as the user gave it
 * @param path the path below the root
 */
public record StoredEntry(SourceTree tree, ByteString root, TreePath path,
        FileStatus status) implements FoundValues.UnopenedSubject {

    @Override
    public byte[] nameBytes() {
        return path.isRoot() ? root.toBytes() : path.nameBytes();
    }

    @Override
    public EntryKind kind() {
        return status.kind();
    }

    @Override
    public long inode() {
        return status.inode();
    }

    @Override
    public int rootIndex() {
        return 0;
    }

    @Override
    public int depth() {
        return path.depth();
    }

    @Override
    public ByteString linkTarget() throws SystemCallException {
        return tree.linkTarget(path);
    }

    @Override
    public @Nullable ByteString servers(Supplier<Locality> locality) throws SystemCallException {
        return tree.servers(path);
    }

    @Override
    public boolean isEmptyDirectory() throws SystemCallException {
        boolean[] isEmpty = {true};
        tree.list(path, (name, kind) -> isEmpty[0] = false);
        return isEmpty[0];
    }
}
