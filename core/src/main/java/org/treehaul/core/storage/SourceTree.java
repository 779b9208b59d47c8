// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.storage;

import java.util.Collections;
import java.util.SortedMap;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.SystemCallException;

/**
 * A tree from which entries are copied, as one thread sees it. Each thread opens its own.
 *
 * <p>
 * Paths begin at the root of the tree, which is the path without names. No method follows a symbolic link. An entry
 * that does not exist is ENOENT.
 */
public interface SourceTree extends AutoCloseable {

    /** Receives the entries of a directory while it is listed. */
    interface Listing {

        /**
         * Receives an entry.
         *
         * @param name the name in the directory, without {@code .} and {@code ..}; the copy reports one that no entry
         *        can have, because it is empty or contains a slash or a NUL, as EIO of the directory
         * @return false to end the listing
         */
        boolean entry(byte[] name, EntryKind kind);
    }

    /**
     * Lists a directory in any order, each entry once. Holds a bounded part of the listing in memory. The receiver may
     * call the other methods of the tree.
     *
     * @throws SystemCallException ENOTDIR if it is no directory; after any error, entries not received are unknown
     */
    void list(TreePath directory, Listing listing) throws SystemCallException;

    /** Returns the status of an entry; for a symbolic link, that of the link itself. */
    FileStatus status(TreePath entry) throws SystemCallException;

    /**
     * Opens a regular file. The caller closes it; several files may be open. The method may also open an entry of
     * another kind if that does not wait; the caller checks the kind by the status of the file.
     *
     * @throws SystemCallException ELOOP for a symbolic link, and ENXIO or EISDIR for other kinds that are not opened
     */
    SourceFile open(TreePath file) throws SystemCallException;

    /**
     * Returns the target of a symbolic link.
     *
     * @throws SystemCallException EINVAL if the entry is no symbolic link
     */
    ByteString linkTarget(TreePath link) throws SystemCallException;

    /**
     * Returns the servers that have the data of a file, as conditions compare them: with commas before, between and
     * after them.
     *
     * @return null if the store does not know, as by default, and for an entry without data
     */
    default @Nullable ByteString servers(TreePath entry) throws SystemCallException {
        return null;
    }

    /**
     * Returns the extended attributes to copy of an open file; none by default.
     *
     * @param status its status
     */
    default SortedMap<ByteString, ByteString> attributes(SourceFile file, FileStatus status)
            throws SystemCallException {
        return Collections.emptySortedMap();
    }

    /**
     * Returns the extended attributes to copy of an entry that is not opened, such as a directory; none by default.
     *
     * @param status its status
     */
    default SortedMap<ByteString, ByteString> attributes(TreePath entry, FileStatus status) throws SystemCallException {
        return Collections.emptySortedMap();
    }

    /** Releases the resources of this thread. The caller has closed all files before. */
    @Override
    void close();
}
