// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import java.util.OptionalInt;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.fs.Directory;

/**
 * The target of a source directory, as the walk found it.
 *
 * @param directory the existing directory, or null if there is none
 * @param mode its permissions
 * @param need the counter of the space needed on its file system
 */
record PlannedTarget(@Nullable Directory directory, OptionalInt mode, RoomNeeds.Need need) {

    /** Returns the target of a directory whose copy does not exist yet. */
    static PlannedTarget none(RoomNeeds.Need need) {
        return new PlannedTarget(null, OptionalInt.empty(), need);
    }
}
