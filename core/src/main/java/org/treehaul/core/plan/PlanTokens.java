// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanException;

/** The token files that show that the destinations of a plan are mounted. */
public final class PlanTokens {

    private PlanTokens() {}

    /**
     * Writes missing tokens again.
     *
     * @throws PlanException if a token cannot be written; those written before it remain
     */
    public static void write(FileSystemCalls calls, Plan plan) throws PlanException {
        try (FileAccess access = FileAccess.open(calls)) {
            new Tokens(access, plan.header().token()).write(plan.header().tokenDirectories());
        }
    }
}
