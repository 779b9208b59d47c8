// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.format;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.Identity;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.entry.TreePath;

/**
 * An entry of a batch, or a chunk of one, as planning saw it.
 *
 * @param index its position in the manifest, from 0; journals refer to it
 * @param root the index of its root in the header
 * @param path its path below that root; empty for the root itself if that is not a directory
 * @param kind its kind, never a directory: directories are finished, not copied in batches. For a followed link the
 *        kind of its target
 * @param size bytes of the whole file
 * @param mtime its modification time
 * @param inode its inode number, unsigned 64 bits
 * @param device its device
 * @param group the number of its hard-link group, all of whose names are adjacent in one batch; 0 for none
 * @param chunk the chunk of the file that this entry is, or null for the whole file
 * @param data how many of its {@link #bytes} must be read, as far as is known: all but holes. The chunks of a file have
 *        equal shares
 * @param ctime the time of the last change of its status, or null if the plan does not contain it
 */
public record ManifestEntry(int index, int root, TreePath path, EntryKind kind, long size, Timestamp mtime, long inode,
        long device, long group, @Nullable ChunkRange chunk, long data, @Nullable Timestamp ctime) {

    /** Creates an entry without the time of the last change of its status. */
    public ManifestEntry(int index, int root, TreePath path, EntryKind kind, long size, Timestamp mtime, long inode,
            long device, long group, @Nullable ChunkRange chunk, long data) {
        this(index, root, path, kind, size, mtime, inode, device, group, chunk, data, null);
    }

    /** Creates an entry. */
    public ManifestEntry {
        if (kind == EntryKind.DIRECTORY) {
            throw new IllegalArgumentException("a directory cannot be an entry of a manifest: " + path);
        }
        if (index < 0 || root < 0 || size < 0) {
            throw new IllegalArgumentException("less than 0: " + index + ", " + root + ", " + size);
        }
        if (chunk != null && chunk.to() > size) {
            throw new IllegalArgumentException(chunk + " of " + size + " bytes");
        }
        if (data < 0 || data > bytes(kind, size, chunk)) {
            throw new IllegalArgumentException(data + " bytes of data in " + bytes(kind, size, chunk));
        }
    }

    /** Returns the identity by which the entry is recognised. */
    public Identity identity() {
        // Removing one name of a file changes the ctime of all.
        return group == 0
                ? new Identity(kind, inode, device, ctime, null)
                : new Identity(kind, inode, device, null, mtime);
    }

    /** Returns the identity for an operation that changes all names of a file at once. */
    public Identity identityOfFile() {
        return new Identity(kind, inode, device, ctime, null);
    }

    /** Returns the bytes to copy for the entry: 0 unless it is a regular file. */
    public long bytes() {
        return bytes(kind, size, chunk);
    }

    static long bytes(EntryKind kind, long size, @Nullable ChunkRange chunk) {
        return chunk != null ? chunk.bytes() : kind.hasData() ? size : 0;
    }
}
