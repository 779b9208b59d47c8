// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.Timestamp;

/** What a plan keeps of an entry's status. */
record SpooledStatus(EntryKind kind, long size, long mtimeSeconds, int mtimeNanos, long inode, long device) {

    static SpooledStatus of(FileStatus status) {
        return new SpooledStatus(status.kind(), status.size(), status.mtimeSeconds(), status.mtimeNanos(),
                status.inode(), status.device());
    }

    static SpooledStatus of(ManifestEntry entry) {
        return new SpooledStatus(entry.kind(), entry.size(), entry.mtime().seconds(), entry.mtime().nanos(),
                entry.inode(), entry.device());
    }

    Timestamp mtime() {
        return new Timestamp(mtimeSeconds, mtimeNanos);
    }
}
