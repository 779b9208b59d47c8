// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.listing;

import java.util.Arrays;

import org.treehaul.core.entry.EntryKind;

/**
 * Writes names in the format of a directory listing, so that the walk handles selected entries like listed ones: see
 * {@link DirectoryRecords}. The inode field, which is not used for these entries, holds the entry's number.
 */
public final class RecordWriter {

    private static final byte[] NOTHING = {};

    private byte[] records = NOTHING;
    private int used;

    public void add(byte[] name, EntryKind kind, int number) {
        // Includes the NUL; rounded up to 8 as the kernel does.
        int length = DirectoryRecords.NAME + name.length + 1 + 7 & ~7;
        if (records.length - used < length) {
            // The first record of a directory allocates only what it needs: many directories have only one.
            records = Arrays.copyOf(records, Math.addExact(used, used == 0 ? length : Math.max(length, used)));
        }
        DirectoryRecords.put(records, used, length, name, kind, number);
        used += length;
    }

    boolean isEmpty() {
        return used == 0;
    }

    public byte[] bytes() {
        return records;
    }

    public int length() {
        return used;
    }

    /** Returns the end of the whole records, from a given one on, that fit into the given number of bytes. */
    public int endOfPart(int from, int most) {
        int end = from;
        while (end < used && end + DirectoryRecords.length(records, end) - from <= most) {
            end += DirectoryRecords.length(records, end);
        }
        return end;
    }
}
