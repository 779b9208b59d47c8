// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.entry.TreePath;

/**
 * One entry of a batch, or a chunk of one, as it was when it was planned.
 *
 * @param index its place in the manifest, from 0: what journals call it by
 * @param root its root's place in the header
 * @param path where it stands below that root; the root itself where that is no directory
 * @param kind its kind, never a directory: those are finished, not copied in batches. Of a followed link that of its
 *        target
 * @param size bytes of the whole file
 * @param mtime when its data were changed
 * @param inode its inode number, unsigned 64 bits
 * @param device the device it is on
 * @param group the number of its hard-link group, whose names stand together in one batch; 0 for none
 * @param chunk which part of the file this is, or null for all of it
 */
public record ManifestEntry(int index, int root, TreePath path, EntryKind kind, long size, Timestamp mtime, long inode,
        long device, long group, @Nullable ChunkRange chunk) {

    /** Makes an entry. */
    public ManifestEntry {
        if (kind == EntryKind.DIRECTORY) {
            throw new IllegalArgumentException("a directory is no entry of a manifest: " + path);
        }
        if (index < 0 || root < 0 || size < 0) {
            throw new IllegalArgumentException("less than 0: " + index + ", " + root + ", " + size);
        }
        if (chunk != null && chunk.to() > size) {
            throw new IllegalArgumentException(chunk + " of " + size + " bytes");
        }
    }

    /** Returns the bytes of data that are to be copied for it: none but of regular files. */
    public long bytes() {
        return chunk != null ? chunk.bytes() : kind.hasData() ? size : 0;
    }
}
