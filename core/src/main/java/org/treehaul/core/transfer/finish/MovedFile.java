// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.finish;

import java.util.List;

import org.treehaul.core.copy.target.CopiedVersion;
import org.treehaul.core.copy.target.SourceIdentity;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.Identity;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.plan.format.ManifestEntry;
import org.treehaul.core.plan.format.PlannedFile;
import org.treehaul.core.transfer.journal.RootedPath;

/**
 * A file of a move whose copies are complete, or another entry that is no directory, in the version that was copied.
 *
 * @param group the number of its hard-link group, 0 for none
 * @param names its names in the sources
 * @param inode its inode number, unsigned 64 bits
 * @param device the number of its device during planning
 * @param size its size in bytes
 */
record MovedFile(long group, List<RootedPath> names, EntryKind kind, long inode, long device, long size,
        Timestamp mtime, Timestamp ctime) {

    /** Returns a file according to the plan. */
    static MovedFile of(List<ManifestEntry> names) {
        ManifestEntry first = names.getFirst();
        Timestamp ctime = first.ctime();
        if (ctime == null) {
            throw new IllegalStateException("a plan without identities");
        }
        return new MovedFile(first.group(),
                names.stream().map(name -> new RootedPath(name.root(), name.path())).toList(), first.kind(),
                first.inode(), first.device(), first.size(), first.mtime(), ctime);
    }

    /** Returns a file in chunks, in the version that workers copied. */
    static MovedFile of(PlannedFile file, List<RootedPath> names, SourceIdentity copied) {
        return new MovedFile(file.group(), names, EntryKind.REGULAR, copied.inode(), file.device(), copied.size(),
                new Timestamp(copied.mtimeSeconds(), copied.mtimeNanos()),
                new Timestamp(copied.ctimeSeconds(), copied.ctimeNanos()));
    }

    /**
     * Returns the identity by which a name is recognised.
     *
     * @param isBegun whether a name may have been removed, which changes the ctime of the others
     */
    Identity identity(boolean isBegun) {
        return new Identity(kind, inode, device, isBegun ? null : ctime, mtime);
    }

    /** Returns what the copies show of the file. */
    CopiedVersion version() {
        return new CopiedVersion(kind, size, mtime);
    }
}
