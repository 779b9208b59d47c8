// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;

/** The files that show that the destinations of a plan are mounted. */
public final class PlanTokens {

    private PlanTokens() {}

    /**
     * Writes them again where they are missing.
     *
     * @throws PlanException when one cannot be written; those before it are there
     */
    public static void write(FileSystemCalls calls, Plan plan) throws PlanException {
        try (FileAccess access = FileAccess.open(calls)) {
            new Tokens(access, plan.header().token()).write(plan.header().tokenDirectories());
        }
    }
}
