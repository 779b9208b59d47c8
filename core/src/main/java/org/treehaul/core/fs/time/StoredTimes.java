// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs.time;

import static org.treehaul.core.fs.LinuxConstants.O_PATH;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;

import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.fs.FileAccess;

/**
 * Compares the mtimes of copies with those of their sources, to the precision that the file system of the copy stores.
 * An entry is given by its status and its name in an open directory, or by a descriptor of its own, which may be opened
 * with O_PATH, and {@link FileAccess#emptyName()}. Not safe for several threads.
 *
 * <p>
 * The type of a file system is read once, and only if one of its entries may have a time of FAT.
 */
public final class StoredTimes {

    // MSDOS_SUPER_MAGIC of linux/magic.h: vfat and msdos.
    private static final long FAT = 0x4D44;

    private final FileAccess access;
    private final Map<Long, Boolean> fat = new HashMap<>();

    public StoredTimes(FileAccess access) {
        this.access = access;
    }

    /** Returns whether the copy has this time, apart from what its file system cannot store. */
    public boolean hasTime(FileStatus copy, int directory, MemorySegment name, Timestamp source) {
        return copy.mtime().equals(source) || copy.mtime().equals(precision(copy, directory, name).cut(source));
    }

    /**
     * Returns whether the source has a later time than the copy, apart from what the copy's file system cannot store.
     */
    public boolean isNewer(FileStatus source, FileStatus copy, int directory, MemorySegment name) {
        Timestamp there = copy.mtime();
        return source.mtime().compareTo(there) > 0
                && precision(copy, directory, name).cut(source.mtime()).compareTo(there) > 0;
    }

    /** Returns the precision to which the file system of an entry stores mtimes, as far as it shows. */
    public TimePrecision precision(FileStatus entry, int directory, MemorySegment name) {
        boolean mayBeFat = entry.mtimeNanos() == 0 && entry.mtimeSeconds() % 2 == 0
                && entry.kind() != EntryKind.SYMLINK;
        return mayBeFat && isOnFat(entry.device(), directory, name)
                ? TimePrecision.TWO_SECONDS
                : TimePrecision.of(entry);
    }

    private boolean isOnFat(long device, int directory, MemorySegment name) {
        Boolean known = fat.get(device);
        if (known != null) {
            return known;
        }
        boolean isName = !name.equals(FileAccess.emptyName());
        int entry = isName ? access.tryOpen(directory, name, O_PATH, 0) : directory;
        if (isName && entry < 0) {
            // It has vanished, or descriptors are short: this says nothing about the file system.
            return false;
        }
        try {
            boolean isFat = access.fileSystemType(entry) == FAT;
            fat.put(device, isFat);
            return isFat;
        } finally {
            if (isName) {
                access.closeQuietly(entry);
            }
        }
    }
}
