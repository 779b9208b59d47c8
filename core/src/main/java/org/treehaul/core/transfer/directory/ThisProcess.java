// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.directory;

import org.treehaul.core.state.Host;

/** Identifies this process in files that it writes. */
public final class ThisProcess {

    private ThisProcess() {}

    /**
     * Returns the name of the host, or an empty string if it cannot be read; never asks a name server, which may hang.
     */
    public static String host() {
        return Host.nameOr("");
    }

    /** Returns the id of the job that runs this process, as its scheduler names it, or an empty string. */
    public static String job() {
        String array = System.getenv().getOrDefault("SLURM_ARRAY_JOB_ID", "");
        if (!array.isEmpty()) {
            return array + "_" + System.getenv().getOrDefault("SLURM_ARRAY_TASK_ID", "");
        }
        String slurm = System.getenv().getOrDefault("SLURM_JOB_ID", "");
        return slurm.isEmpty() ? System.getenv().getOrDefault("PBS_JOBID", "") : slurm;
    }
}
