// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.target;

import org.treehaul.core.entry.FileStatus;

/**
 * Identifies a version of a file: while all these values are the same, so are the data, as far as a file system shows.
 *
 * @param device number of the device
 * @param inode number of the inode
 * @param size size in bytes
 * @param mtimeSeconds seconds of the last change of the data
 * @param mtimeNanos its nanoseconds
 * @param ctimeSeconds seconds of the last change of the status
 * @param ctimeNanos its nanoseconds
 */
public record SourceIdentity(long device, long inode, long size, long mtimeSeconds, int mtimeNanos, long ctimeSeconds,
        int ctimeNanos) {

    /** Returns the identity of a file in its current version. */
    public static SourceIdentity of(FileStatus status) {
        return new SourceIdentity(status.device(), status.inode(), status.size(), status.mtimeSeconds(),
                status.mtimeNanos(), status.ctimeSeconds(), status.ctimeNanos());
    }

    /**
     * Returns whether both are the same version, possibly seen by different nodes: each node numbers its devices in its
     * own way.
     */
    public boolean isSameVersion(SourceIdentity other) {
        return inode == other.inode && size == other.size && mtimeSeconds == other.mtimeSeconds
                && mtimeNanos == other.mtimeNanos && ctimeSeconds == other.ctimeSeconds
                && ctimeNanos == other.ctimeNanos;
    }
}
