// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import java.util.Arrays;

/** Packs the names of subdirectories until they are pushed to the frontier together. */
final class SiblingsBuilder<D> {

    // The flag and the NUL of a name.
    private static final int BYTES_BESIDES = 2;

    private final byte[] packed = new byte[64 * 1024];
    private int used;
    private int count;

    /** Returns whether there is no room for a name of this length, which may be more than the 255 bytes of NAME_MAX. */
    boolean isFull(int nameLength) {
        return packed.length - used < nameLength + BYTES_BESIDES;
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
