// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.files;

import java.util.Set;
import java.util.SortedMap;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileId;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.storage.SourceFile;
import org.treehaul.core.storage.SourceTree;

/**
 * A tree of this host that is copied into a stage, without the directories of the stage: their segments would become
 * segments in them, which the copy would find again.
 *
 * @param own the directories of the stage, see {@link StageStore#ownDirectories}
 */
public record GuardedSource(SourceTree tree, Set<FileId> own) implements SourceTree {

    @Override
    public void list(TreePath directory, Listing listing) throws SystemCallException {
        tree.list(directory, listing);
    }

    @Override
    public FileStatus status(TreePath entry) throws SystemCallException {
        FileStatus status = tree.status(entry);
        if (status.kind() == EntryKind.DIRECTORY && own.contains(FileId.of(status))) {
            throw new SystemCallException("this is a directory of the stage itself", 0);
        }
        return status;
    }

    @Override
    public SourceFile open(TreePath file) throws SystemCallException {
        return tree.open(file);
    }

    @Override
    public ByteString linkTarget(TreePath link) throws SystemCallException {
        return tree.linkTarget(link);
    }

    @Override
    public @Nullable ByteString servers(TreePath entry) throws SystemCallException {
        return tree.servers(entry);
    }

    @Override
    public SortedMap<ByteString, ByteString> attributes(SourceFile file, FileStatus status) throws SystemCallException {
        return tree.attributes(file, status);
    }

    @Override
    public SortedMap<ByteString, ByteString> attributes(TreePath entry, FileStatus status) throws SystemCallException {
        return tree.attributes(entry, status);
    }

    @Override
    public void close() {
        tree.close();
    }
}
