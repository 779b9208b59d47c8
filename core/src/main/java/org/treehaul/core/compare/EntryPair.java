// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import java.lang.foreign.MemorySegment;

import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.walk.FoundEntry;

/**
 * The two entries with the same path that a thread is comparing: how to reach each, and its status. Valid only as long
 * as the entry that the walk found.
 *
 * @param found the entry of the first tree
 * @param directoryA descriptor to which its name is relative
 * @param nameA its name
 * @param a its status
 * @param directoryB descriptor to which the name of the second tree's entry is relative
 * @param nameB its name
 * @param b its status
 * @param followA whether the first name may be a symbolic link, whose target is compared
 * @param followB whether the second name may be one
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
