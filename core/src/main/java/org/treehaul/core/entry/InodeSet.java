// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.entry;

import java.util.HashMap;
import java.util.Map;

import org.treehaul.core.annotation.Internal;

/**
 * Set of files with several names, by device and inode. Each file takes 11 to 22 bytes, so that trees with 10^8 hard
 * links can be counted. Safe for any number of threads.
 */
@Internal
public final class InodeSet {

    private final Map<Long, Longs> byDevice = new HashMap<>();

    /** Adds a file and returns whether it was new. */
    public synchronized boolean add(long device, long inode) {
        return byDevice.computeIfAbsent(device, d -> new Longs()).add(inode);
    }

    /** An open hash table of longs. */
    private static final class Longs {
        private long[] slots = new long[64];
        private int used;
        private boolean hasZero;

        boolean add(long value) {
            if (value == 0) {
                // Zero marks a free slot.
                boolean isNew = !hasZero;
                hasZero = true;
                return isNew;
            }
            if (used >= slots.length / 4 * 3) {
                long[] old = slots;
                slots = new long[old.length * 2];
                for (long v : old) {
                    if (v != 0) {
                        slots[slotOf(v)] = v;
                    }
                }
            }
            int slot = slotOf(value);
            if (slots[slot] == value) {
                return false;
            }
            slots[slot] = value;
            used++;
            return true;
        }

        private int slotOf(long value) {
            // Fibonacci hashing: inode numbers come in runs, and the golden ratio spreads runs evenly.
            int slot = (int) (value * 0x9E3779B97F4A7C15L >>> 32) & slots.length - 1;
            while (slots[slot] != 0 && slots[slot] != value) {
                slot = slot + 1 & slots.length - 1;
            }
            return slot;
        }
    }
}
