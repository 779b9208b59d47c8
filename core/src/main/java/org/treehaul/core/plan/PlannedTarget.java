// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.fs.Directory;

/**
 * The target of a source directory, as the walk found it, and the number of entries that the plan leaves in it.
 *
 * @param directory the existing directory, or null if there is none
 * @param mode its permissions
 * @param need the counter of the space needed on its file system
 * @param left the number of entries of the source directory that are not in the plan; null if they are not counted
 */
record PlannedTarget(@Nullable Directory directory, OptionalInt mode, RoomNeeds.Need need, @Nullable AtomicLong left) {

    PlannedTarget(@Nullable Directory directory, OptionalInt mode, RoomNeeds.Need need) {
        this(directory, mode, need, null);
    }

    /** Returns the target of a directory whose copy does not exist yet. */
    static PlannedTarget none(RoomNeeds.Need need) {
        return new PlannedTarget(null, OptionalInt.empty(), need);
    }

    /** Returns a copy that counts the entries that are not in the plan. */
    PlannedTarget counting() {
        return new PlannedTarget(directory, mode, need, new AtomicLong());
    }

    /** Counts an entry of the source directory that is not in the plan, or no longer counts it if the number is -1. */
    void leave(int entries) {
        if (left != null) {
            left.addAndGet(entries);
        }
    }

    /** Returns whether entries of the source directory are not in the plan, as far as they are counted. */
    boolean leavesAny() {
        return left != null && left.get() > 0;
    }
}
