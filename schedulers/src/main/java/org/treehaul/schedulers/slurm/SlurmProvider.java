// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.slurm;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

import org.treehaul.schedulers.Scheduler;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.SchedulerProvider;
import org.treehaul.schedulers.common.Programs;

/** Provides Slurm, which it detects by its sbatch. */
public final class SlurmProvider implements SchedulerProvider {

    /** Returns Slurm with the environment in which its programs are looked up and run. */
    public static Scheduler scheduler(Map<String, String> environment) {
        return new SlurmScheduler(new Programs(environment));
    }

    @Override
    public List<String> names() {
        return List.of("slurm");
    }

    // The text of src/common/fetch_config.c and read_config.c of Slurm 20.02 and later.
    private static final Pattern UNCONFIGURED = Pattern.compile(
            "Could not establish a configuration source|could not resolve .*slurm\\.conf|Unable to find slurm\\.conf");

    @Override
    public Scheduler named(String name, Map<String, String> environment) {
        return scheduler(environment);
    }

    @Override
    public Scheduler detect(Map<String, String> environment) throws SchedulerException {
        Programs programs = new Programs(environment);
        if (programs.find("sbatch").isEmpty()) {
            throw new SchedulerException("sbatch is not on the PATH");
        }
        Programs.Ran ran = programs.run(Programs.ASK, "sbatch", "--version");
        if (ran.code() != 0) {
            throw failure(ran, "sbatch does not work");
        }
        return new SlurmScheduler(programs);
    }

    /** Returns whether a program of Slurm failed because this host does not belong to a cluster. */
    static boolean isUnconfigured(Programs.Ran ran) {
        return UNCONFIGURED.matcher(ran.output()).find();
    }

    /** Returns the failure of a program of Slurm, in plain words if this host does not belong to a cluster. */
    static SchedulerException failure(Programs.Ran ran, String what) {
        return isUnconfigured(ran)
                ? new SchedulerException(
                        "Slurm is installed on this host but not configured: there is no slurm.conf, and no server "
                                + "provides one; run this on a host of the cluster",
                        ran.command(), ran.code(), List.of())
                : ran.failure(what);
    }
}
