// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.move;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

import org.treehaul.core.copy.target.CopiedVersion;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.entry.TreePath;

/**
 * An entry of a source whose copy is complete, with the version that was copied.
 *
 * @param root position of the pair
 * @param links the number of names that the file had
 */
record CopiedEntry(int root, TreePath path, long device, long inode, long links, int mode, int uid, int gid, long size,
        long mtimeSeconds, int mtimeNanos, long ctimeSeconds, int ctimeNanos) {

    static CopiedEntry of(int root, TreePath path, FileStatus status) {
        return new CopiedEntry(root, path, status.device(), status.inode(), status.linkCount(), status.mode(),
                (int) status.uid(), (int) status.gid(), status.size(), status.mtimeSeconds(), status.mtimeNanos(),
                status.ctimeSeconds(), status.ctimeNanos());
    }

    boolean isSameFile(FileStatus now) {
        return now.device() == device && now.inode() == inode;
    }

    boolean isSameFile(CopiedEntry other) {
        return other.device == device && other.inode == inode;
    }

    /** Returns whether data and metadata are still those that were copied, apart from the number of names. */
    boolean hasSameData(FileStatus now) {
        return isSameFile(now) && now.size() == size && now.mtimeSeconds() == mtimeSeconds
                && now.mtimeNanos() == mtimeNanos && now.mode() == mode && (int) now.uid() == uid
                && (int) now.gid() == gid;
    }

    boolean isUnchanged(FileStatus now) {
        return hasSameData(now) && now.ctimeSeconds() == ctimeSeconds && now.ctimeNanos() == ctimeNanos;
    }

    /** Returns what the copy shows of the entry. */
    CopiedVersion version() {
        return new CopiedVersion(EntryKind.ofMode(mode), size, new Timestamp(mtimeSeconds, mtimeNanos));
    }

    /** Returns the same entry in the list of another pair. */
    CopiedEntry in(int otherRoot) {
        return new CopiedEntry(otherRoot, path, device, inode, links, mode, uid, gid, size, mtimeSeconds, mtimeNanos,
                ctimeSeconds, ctimeNanos);
    }

    void write(DataOutputStream out) throws IOException {
        byte[] bytes = path.toBytes();
        out.writeInt(root);
        out.writeInt(bytes.length);
        out.write(bytes);
        for (long value : new long[]{device, inode, links, size, mtimeSeconds, ctimeSeconds}) {
            out.writeLong(value);
        }
        for (int value : new int[]{mode, uid, gid, mtimeNanos, ctimeNanos}) {
            out.writeInt(value);
        }
    }

    static CopiedEntry read(DataInputStream in) throws IOException {
        int root = in.readInt();
        TreePath path = TreePath.of(in.readNBytes(in.readInt()));
        long[] longs = new long[6];
        for (int i = 0; i < longs.length; i++) {
            longs[i] = in.readLong();
        }
        int[] ints = new int[5];
        for (int i = 0; i < ints.length; i++) {
            ints[i] = in.readInt();
        }
        return new CopiedEntry(root, path, longs[0], longs[1], longs[2], ints[0], ints[1], ints[2], longs[3], longs[4],
                ints[3], longs[5], ints[4]);
    }
}
