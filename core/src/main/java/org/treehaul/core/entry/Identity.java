// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.entry;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Internal;

/**
 * The properties by which a later process recognises an entry that an earlier one saw. Immutable.
 *
 * @param kind its kind
 * @param inode its inode number, unsigned 64 bits
 * @param device the number of its device on the host that saw it; other hosts may number their mounts differently
 * @param ctime the time of the last change of its status, or null if it is not compared: that of a directory changes
 *        with its content, and that of a file changes when one of its other names is removed
 * @param mtime the time of the last change of its data, or null if it is not compared
 * @param rights its mode and owner, or null if they are not compared
 */
@Internal
public record Identity(EntryKind kind, long inode, long device, @Nullable Timestamp ctime, @Nullable Timestamp mtime,
        @Nullable Rights rights) {

    /**
     * The mode and the owner of an entry.
     *
     * @param permissions the permission bits with set-id and sticky bits
     * @param uid the number of the owner
     * @param gid the number of the group
     */
    public record Rights(int permissions, long uid, long gid) {

        /** Returns those in a status. */
        public static Rights of(FileStatus status) {
            return new Rights(status.permissions(), status.uid(), status.gid());
        }

        /** Returns whether a status has the same. */
        public boolean areThoseOf(FileStatus status) {
            return permissions == status.permissions() && uid == status.uid() && gid == status.gid();
        }
    }

    /** Creates an identity without mode and owner. */
    public Identity(EntryKind kind, long inode, long device, @Nullable Timestamp ctime, @Nullable Timestamp mtime) {
        this(kind, inode, device, ctime, mtime, null);
    }

    /** Returns whether a status is that of the same entry, regardless of its device. */
    public boolean isThatOf(FileStatus status) {
        return isThatFile(status) && isEqualOrUnknown(ctime, status.ctime()) && isEqualOrUnknown(mtime, status.mtime())
                && (rights == null || rights.areThoseOf(status));
    }

    /** Returns whether a status is that of the same entry, perhaps changed since, regardless of its device. */
    public boolean isThatFile(FileStatus status) {
        return EntryKind.isKnown(status.mode()) && status.kind() == kind && status.inode() == inode;
    }

    private static boolean isEqualOrUnknown(@Nullable Timestamp planned, Timestamp found) {
        return planned == null || planned.equals(found);
    }
}
