// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.entry;

import org.treehaul.core.annotation.Internal;

/** Identifies a file on this host: all its names, and no other file, have the same device and inode. Immutable. */
@Internal
public record FileId(long device, long inode) {

    /** Returns the identity of the file with a status. */
    public static FileId of(FileStatus status) {
        return new FileId(status.device(), status.inode());
    }

    // The JVM would make 14 classes at the start of a run for equals and hashCode that it generates.
    @Override
    public boolean equals(Object object) {
        return object instanceof FileId other && device == other.device && inode == other.inode;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(device) * 31 + Long.hashCode(inode);
    }
}
