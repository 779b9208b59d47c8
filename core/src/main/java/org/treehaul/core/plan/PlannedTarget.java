// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import java.util.OptionalInt;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.fs.Directory;

/**
 * What stands at the target of a directory that is walked.
 *
 * @param directory the directory there, or null where there is none
 * @param mode its permissions
 * @param need what is counted of its file system
 */
record PlannedTarget(@Nullable Directory directory, OptionalInt mode, RoomNeeds.Need need) {

    /** Returns that nothing stands there. */
    static PlannedTarget none(RoomNeeds.Need need) {
        return new PlannedTarget(null, OptionalInt.empty(), need);
    }
}
