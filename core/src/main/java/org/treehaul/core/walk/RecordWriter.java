// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import java.util.Arrays;

import org.treehaul.core.entry.EntryKind;

/**
 * Writes names as a listing would tell them, so that the walk takes chosen entries as it takes listed ones: see
 * {@link DirectoryRecords}. In the place of the inode's number, which nobody asks for there, stands that of the entry.
 */
final class RecordWriter {

    private static final byte[] NOTHING = {};

    private byte[] records = NOTHING;
    private int used;

    void add(byte[] name, EntryKind kind, int number) {
        // With its NUL, rounded up to 8 as the kernel does.
        int length = DirectoryRecords.NAME + name.length + 1 + 7 & ~7;
        if (records.length - used < length) {
            // The first of a directory takes what it needs: many have one.
            records = Arrays.copyOf(records, Math.addExact(used, used == 0 ? length : Math.max(length, used)));
        }
        DirectoryRecords.put(records, used, length, name, kind, number);
        used += length;
    }

    boolean isEmpty() {
        return used == 0;
    }

    byte[] bytes() {
        return records;
    }

    int length() {
        return used;
    }

    /** Returns where the records end that fit into so many bytes, from a record on. */
    int endOfPart(int from, int most) {
        int end = from;
        while (end < used && end + DirectoryRecords.length(records, end) - from <= most) {
            end += DirectoryRecords.length(records, end);
        }
        return end;
    }
}
