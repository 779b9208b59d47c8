// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.slurm;

import java.util.List;
import java.util.Map;

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
            throw ran.failure("sbatch does not work");
        }
        return new SlurmScheduler(programs);
    }
}
