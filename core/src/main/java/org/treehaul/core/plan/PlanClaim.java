// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import java.io.IOException;

/**
 * Whether a plan is still its planner's: that nobody has ended it, or begun to plan the same anew in the same place. A
 * planner that was thought dead may live on.
 */
@FunctionalInterface
public interface PlanClaim {

    /**
     * Returns whether planning may go on; asked every few seconds, before files of the plan are made, and before the
     * seal, by several threads.
     */
    boolean isHeld() throws IOException;

    /** Returns that of a planner whose place nobody else knows. */
    static PlanClaim always() {
        return () -> true;
    }
}
