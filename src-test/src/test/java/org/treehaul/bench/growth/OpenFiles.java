// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench.growth;

import java.util.ArrayDeque;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.fs.Errno;

/**
 * The descriptors of generated files and directories, whose numbers no descriptor of the kernel has, and the real ones
 * of the directory that contains them. Safe for any number of threads; a position is used by one thread at a time, as
 * that of a descriptor of the kernel.
 */
final class OpenFiles {

    // Beyond the limit of any process.
    private static final int FIRST = 1 << 24;
    private static final int MOST = 1 << 16;

    /** An open file, or a directory. */
    static final class Position {
        /** The number of the open entry, as {@link GeneratedPlaces} gives it. */
        final long place;
        /** The offset of the next byte, or the number of the next entry. */
        long at;

        private Position(long place) {
            this.place = place;
        }
    }

    private final AtomicReferenceArray<@Nullable Position> open = new AtomicReferenceArray<>(MOST);
    private final Set<Integer> tops = ConcurrentHashMap.newKeySet();
    // Guarded by itself.
    private final ArrayDeque<Integer> free = new ArrayDeque<>();
    private int used;

    /** Opens a place; returns its descriptor, or -EMFILE. */
    int add(long place) {
        int slot;
        synchronized (free) {
            if (free.isEmpty() && used == MOST) {
                return -Errno.EMFILE;
            }
            slot = free.isEmpty() ? used++ : free.pop();
        }
        open.set(slot, new Position(place));
        return FIRST + slot;
    }

    /** Remembers a real descriptor of the directory that contains the trees, unless it is an error; returns it. */
    int real(int descriptor) {
        if (descriptor >= 0) {
            tops.add(descriptor);
        }
        return descriptor;
    }

    /** Returns whether a real descriptor is that of the directory that contains the trees. */
    boolean isTop(int descriptor) {
        return tops.contains(descriptor);
    }

    /** Returns what a descriptor has open; null for a real one. */
    @Nullable Position position(int descriptor) {
        return descriptor < FIRST ? null : open.get(descriptor - FIRST);
    }

    /** Closes a generated descriptor; returns false for a real one, which the caller closes. */
    boolean close(int descriptor) {
        if (descriptor < FIRST) {
            // Before it is closed: another thread may get its number.
            tops.remove(descriptor);
            return false;
        }
        open.set(descriptor - FIRST, null);
        synchronized (free) {
            free.push(descriptor - FIRST);
        }
        return true;
    }
}
