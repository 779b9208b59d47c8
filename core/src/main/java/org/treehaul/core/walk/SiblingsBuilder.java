// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import java.util.Arrays;

import org.treehaul.core.fs.FileAccess;

/** Packs the names of subdirectories until they are pushed to the frontier together. */
final class SiblingsBuilder<D> {

    // A name takes at most 255 bytes, its flag and its NUL.
    private static final int ROOM_FOR_ONE = FileAccess.NAME_MAX + 2;

    private final byte[] packed = new byte[64 * 1024];
    private int used;
    private int count;

    boolean isFull() {
        return packed.length - used < ROOM_FOR_ONE;
    }

    boolean isEmpty() {
        return count == 0;
    }

    int count() {
        return count;
    }

    void add(FoundEntry<D> found) {
        add(found.heap(), found.heapStart(), found.nameLength(), found.isFollowed());
    }

    void add(byte[] bytes, int start, int length, boolean followed) {
        packed[used++] = (byte) (followed ? 1 : 0);
        System.arraycopy(bytes, start, packed, used, length);
        used += length;
        packed[used++] = 0;
        count++;
    }

    /** Returns the names added since the last call, as work. */
    Work<D> build(WalkDirectory<D> parent) {
        Work<D> siblings = new Work.Siblings<>(parent, Arrays.copyOf(packed, used), 0, used, count);
        used = 0;
        count = 0;
        return siblings;
    }
}
