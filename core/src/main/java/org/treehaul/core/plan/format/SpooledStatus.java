// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.format;

import org.treehaul.core.entry.DataBytes;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.Timestamp;

/**
 * The part of an entry's status that planning needs.
 *
 * @param ctimeSeconds seconds of the last change of the status
 * @param ctimeNanos its nanoseconds, or {@link #NO_CHANGE_TIME} if the plan does not need it
 */
public record SpooledStatus(EntryKind kind, long size, long blocks, long mtimeSeconds, int mtimeNanos, long inode,
        long device, long ctimeSeconds, int ctimeNanos) {

    /** The value of {@code ctimeNanos} if the time is not recorded. */
    public static final int NO_CHANGE_TIME = -1;

    /** Creates a status without the time of the last change of the status. */
    public SpooledStatus(EntryKind kind, long size, long blocks, long mtimeSeconds, int mtimeNanos, long inode,
            long device) {
        this(kind, size, blocks, mtimeSeconds, mtimeNanos, inode, device, 0, NO_CHANGE_TIME);
    }

    public static SpooledStatus of(FileStatus status) {
        return new SpooledStatus(status.kind(), status.size(), status.blocks(), status.mtimeSeconds(),
                status.mtimeNanos(), status.inode(), status.device());
    }

    /** Returns a status that includes the time of its last change. */
    public static SpooledStatus withChangeTime(FileStatus status) {
        return new SpooledStatus(status.kind(), status.size(), status.blocks(), status.mtimeSeconds(),
                status.mtimeNanos(), status.inode(), status.device(), status.ctimeSeconds(), status.ctimeNanos());
    }

    /** Returns the bytes to read, according to an estimate. */
    public long dataBytes(DataBytes estimate) {
        return estimate.of(kind, device, size, blocks);
    }

    /** Returns whether the time of the last change of the status is recorded. */
    public boolean hasChangeTime() {
        return ctimeNanos != NO_CHANGE_TIME;
    }

    /** Returns a status without blocks: a manifest holds the bytes of data instead. */
    public static SpooledStatus of(ManifestEntry entry) {
        Timestamp ctime = entry.ctime();
        return new SpooledStatus(entry.kind(), entry.size(), 0, entry.mtime().seconds(), entry.mtime().nanos(),
                entry.inode(), entry.device(), ctime == null ? 0 : ctime.seconds(),
                ctime == null ? NO_CHANGE_TIME : ctime.nanos());
    }
}
