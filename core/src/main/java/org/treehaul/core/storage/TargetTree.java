// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.storage;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.SystemCallException;

/**
 * A tree into which entries are copied, as one thread sees it. Each thread opens its own.
 *
 * <p>
 * Paths begin at the root of the tree, which is the path without names. The directory that contains an entry was made
 * by {@link #makeDirectory} before, perhaps by another thread. A store keeps the metadata of the source that it
 * supports.
 */
public interface TargetTree extends AutoCloseable {

    /**
     * Returns the status of an entry; for a symbolic link, that of the link itself.
     *
     * @return null if there is no such entry
     */
    @Nullable FileStatus find(TreePath entry) throws SystemCallException;

    /**
     * Makes a directory. If it will get the metadata of the source, only this user has access to it until then. Does
     * nothing if it exists.
     *
     * @throws SystemCallException ENOTDIR or EEXIST if another kind of entry has the name
     */
    void makeDirectory(TreePath directory, FileStatus source) throws SystemCallException;

    /**
     * Gives a directory its metadata, after everything below it was copied.
     *
     * @param source the metadata of the source
     */
    void finishDirectory(TreePath directory, EntryMetadata source) throws SystemCallException;

    /**
     * Creates an empty file that has no name yet.
     *
     * @param file the path at which it will be committed
     * @param source the metadata that it will have then
     */
    NewFile create(TreePath file, EntryMetadata source) throws SystemCallException;

    /**
     * Makes a symbolic link, in place of an existing entry that is no directory.
     *
     * @throws SystemCallException EPERM or EOPNOTSUPP if the store has no symbolic links
     */
    void makeLink(TreePath link, ByteString target, EntryMetadata source) throws SystemCallException;

    /**
     * Makes a FIFO, socket or device like the source, in place of an existing entry that is no directory.
     *
     * @throws SystemCallException EPERM or EOPNOTSUPP if the store has no such entries
     */
    void makeNode(TreePath node, EntryMetadata source) throws SystemCallException;

    /** Releases the resources of this thread. The caller has committed or discarded all files before. */
    @Override
    void close();
}
