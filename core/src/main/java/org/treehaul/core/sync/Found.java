// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.List;

import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;

/**
 * An entry to change, as the comparison found it.
 *
 * @param path path below both roots
 * @param kind its kind at the side that decides the work: the source, or for a removal the destination
 * @param source the source, or {@link Mark#NONE}
 * @param target the existing entry, or {@link Mark#NONE}
 */
record Found(TreePath path, EntryKind kind, Mark source, Mark target) {

    private static final List<EntryKind> KINDS = List.of(EntryKind.values());

    void write(DataOutput out) throws IOException {
        byte[] bytes = path.toBytes();
        out.writeByte(KINDS.indexOf(kind));
        out.writeInt(bytes.length);
        out.write(bytes);
        source.write(out);
        target.write(out);
    }

    static Found read(DataInput in) throws IOException {
        EntryKind kind = KINDS.get(in.readByte());
        byte[] bytes = new byte[in.readInt()];
        in.readFully(bytes);
        TreePath path = bytes.length == 0 ? TreePath.root() : TreePath.of(bytes);
        return new Found(path, kind, Mark.read(in), Mark.read(in));
    }

    /**
     * The properties by which an entry is recognised that was compared before.
     *
     * @param inode its inode number
     * @param size its size in bytes; of a directory not compared
     * @param seconds its mtime, whole seconds since 1970; of a directory not compared
     * @param nanos the nanoseconds of its mtime
     */
    record Mark(long inode, long size, long seconds, int nanos) {

        static final Mark NONE = new Mark(0, 0, 0, 0);

        static Mark of(FileStatus status) {
            return new Mark(status.inode(), status.size(), status.mtimeSeconds(), status.mtimeNanos());
        }

        /** Returns whether a file is still the one with this mark, with the same data. */
        boolean isOf(FileStatus status) {
            return equals(of(status));
        }

        void write(DataOutput out) throws IOException {
            out.writeLong(inode);
            out.writeLong(size);
            out.writeLong(seconds);
            out.writeInt(nanos);
        }

        static Mark read(DataInput in) throws IOException {
            return new Mark(in.readLong(), in.readLong(), in.readLong(), in.readInt());
        }
    }
}
