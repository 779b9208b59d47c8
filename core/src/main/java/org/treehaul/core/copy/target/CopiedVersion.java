// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.target;

import java.lang.foreign.MemorySegment;

import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.fs.time.StoredTimes;

/**
 * The version of an entry that was copied, as far as its copy shows it.
 *
 * @param size in bytes
 */
public record CopiedVersion(EntryKind kind, long size, Timestamp mtime) {

    /**
     * Returns whether an entry may be the copy. Only the times of files are compared.
     *
     * @param times compares them
     * @param directory the directory that contains the entry
     * @param name its name there
     */
    public boolean mayBeIn(FileStatus copy, StoredTimes times, int directory, MemorySegment name) {
        if (!EntryKind.isKnown(copy.mode()) || copy.kind() != kind) {
            return false;
        }
        return switch (kind) {
            case REGULAR -> copy.size() == size && times.hasTime(copy, directory, name, mtime);
            case SYMLINK -> copy.size() == size;
            default -> true;
        };
    }
}
