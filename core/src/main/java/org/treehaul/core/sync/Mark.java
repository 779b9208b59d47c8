// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

import org.treehaul.core.entry.FileStatus;

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
