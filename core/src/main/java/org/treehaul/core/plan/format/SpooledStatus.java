// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.format;

import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.Timestamp;

/** The part of an entry's status that planning needs. */
public record SpooledStatus(EntryKind kind, long size, long blocks, long mtimeSeconds, int mtimeNanos, long inode,
        long device) {

    public static SpooledStatus of(FileStatus status) {
        return new SpooledStatus(status.kind(), status.size(), status.blocks(), status.mtimeSeconds(),
                status.mtimeNanos(), status.inode(), status.device());
    }

    /** Returns a status without blocks: a manifest holds the bytes of data instead. */
    public static SpooledStatus of(ManifestEntry entry) {
        return new SpooledStatus(entry.kind(), entry.size(), 0, entry.mtime().seconds(), entry.mtime().nanos(),
                entry.inode(), entry.device());
    }

    Timestamp mtime() {
        return new Timestamp(mtimeSeconds, mtimeNanos);
    }
}
