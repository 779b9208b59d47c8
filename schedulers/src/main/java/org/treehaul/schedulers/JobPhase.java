// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers;

import java.util.Locale;

/** The work that a job does in the directory of its transfer. */
public enum JobPhase {
    /** Claims batches and works on them until none is left; any number of workers may run at once. */
    WORKER,
    /** Finishes the transfer after all workers: directories, large files and the result. */
    FINISH,
    /** Makes the plan. */
    PLAN;

    /** Returns the word for it in the names of jobs and files. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the TreeHaul command that such a job runs in the directory of its transfer. */
    public String command() {
        return this == PLAN ? "planner" : word();
    }
}
