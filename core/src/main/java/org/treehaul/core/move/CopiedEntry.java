// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.move;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;

/**
 * An entry of a source whose copy is complete, with the version that was copied.
 *
 * @param root position of the pair
 * @param links the number of names that the file had
 */
record CopiedEntry(int root, TreePath path, long device, long inode, long links, long size, long mtimeSeconds,
        int mtimeNanos, long ctimeSeconds, int ctimeNanos) {

    static CopiedEntry of(int root, TreePath path, FileStatus status) {
        return new CopiedEntry(root, path, status.device(), status.inode(), status.linkCount(), status.size(),
                status.mtimeSeconds(), status.mtimeNanos(), status.ctimeSeconds(), status.ctimeNanos());
    }

    boolean isSameFile(FileStatus now) {
        return now.device() == device && now.inode() == inode;
    }

    /** Returns whether data and metadata are still those that were copied, apart from the number of names. */
    boolean hasSameData(FileStatus now) {
        return isSameFile(now) && now.size() == size && now.mtimeSeconds() == mtimeSeconds
                && now.mtimeNanos() == mtimeNanos;
    }

    boolean isUnchanged(FileStatus now) {
        return hasSameData(now) && now.ctimeSeconds() == ctimeSeconds && now.ctimeNanos() == ctimeNanos;
    }

    void write(DataOutputStream out) throws IOException {
        byte[] bytes = path.toBytes();
        out.writeInt(root);
        out.writeInt(bytes.length);
        out.write(bytes);
        for (long value : new long[]{device, inode, links, size, mtimeSeconds, ctimeSeconds}) {
            out.writeLong(value);
        }
        out.writeInt(mtimeNanos);
        out.writeInt(ctimeNanos);
    }

    static CopiedEntry read(DataInputStream in) throws IOException {
        int root = in.readInt();
        TreePath path = TreePath.of(in.readNBytes(in.readInt()));
        long device = in.readLong();
        long inode = in.readLong();
        long links = in.readLong();
        long size = in.readLong();
        long mtimeSeconds = in.readLong();
        long ctimeSeconds = in.readLong();
        int mtimeNanos = in.readInt();
        return new CopiedEntry(root, path, device, inode, links, size, mtimeSeconds, mtimeNanos, ctimeSeconds,
                in.readInt());
    }
}
