// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import java.lang.foreign.MemorySegment;

import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.walk.FoundEntry;

/**
 * Two entries of one path that a thread has in hand: how to reach each and what it is. Good only as long as the entry
 * that the walk found.
 *
 * @param found the entry of the first tree
 * @param directoryA descriptor that its name is relative to
 * @param nameA its name
 * @param a its status
 * @param directoryB descriptor that the name of the second tree's entry is relative to
 * @param nameB its name
 * @param b its status
 * @param followA whether the name of the first may be that of a symbolic link to what is meant
 * @param followB whether the name of the second may be
 */
record EntryPair(FoundEntry<PairedDirectory> found, int directoryA, MemorySegment nameA, FileStatus a, int directoryB,
        MemorySegment nameB, FileStatus b, boolean followA, boolean followB) {

    EntryKind kind() {
        return a.kind();
    }

    int directory(Side side) {
        return side == Side.A ? directoryA : directoryB;
    }

    MemorySegment name(Side side) {
        return side == Side.A ? nameA : nameB;
    }

    boolean follow(Side side) {
        return side == Side.A ? followA : followB;
    }

    FileStatus status(Side side) {
        return side == Side.A ? a : b;
    }
}
