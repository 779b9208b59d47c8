// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import java.io.IOException;

/**
 * Ownership of a plan: shows whether another process has ended the planning, or started it again in the same directory.
 * A planner that others believed dead may still be running.
 */
@FunctionalInterface
public interface PlanClaim {

    /**
     * Returns whether planning may continue. Several threads call this every few seconds, before creating files of the
     * plan, and before sealing it.
     */
    boolean isHeld() throws IOException;

    /** Returns the claim of a planner whose directory no other process uses: it is always held. */
    static PlanClaim always() {
        return () -> true;
    }
}
