// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers;

import java.util.Map;
import java.util.Optional;

/** Finds out which scheduler a machine has. */
final class Detection {

    private final Programs programs;

    Detection(Map<String, String> environment) {
        this.programs = new Programs(environment);
    }

    Scheduler named(String name) throws SchedulerException {
        return switch (name) {
            case "local" -> new LocalScheduler(programs);
            case "slurm" -> new SlurmScheduler(programs);
            case "openpbs" -> new PbsScheduler(programs, PbsDialect.OPENPBS);
            case "torque" -> new PbsScheduler(programs, PbsDialect.TORQUE);
            case "pbs" -> new PbsScheduler(programs, dialect(true).orElseThrow());
            case "auto" -> auto();
            default -> throw new IllegalArgumentException("no scheduler: " + name);
        };
    }

    // Slurm comes first: it brings a qsub of its own, which is not PBS.
    private Scheduler auto() throws SchedulerException {
        String slurm = "there is no sbatch on the PATH";
        if (programs.find("sbatch").isPresent()) {
            Programs.Ran ran = programs.run(Programs.ASK, "sbatch", "--version");
            if (ran.code() == 0) {
                return new SlurmScheduler(programs);
            }
            slurm = ran.failure("sbatch does not work").getMessage();
        }
        String pbs = "there is no qsub on the PATH";
        if (programs.find("qsub").isPresent()) {
            Optional<PbsDialect> dialect = dialect(false);
            if (dialect.isPresent()) {
                return new PbsScheduler(programs, dialect.get());
            }
            pbs = "qsub is none of OpenPBS or Torque";
        }
        throw new SchedulerException("found no scheduler for batch jobs. Slurm: " + slurm + ". PBS: " + pbs
                + ". With --scheduler local the jobs run on this machine");
    }

    private Optional<PbsDialect> dialect(boolean required) throws SchedulerException {
        Programs.Ran ran = programs.run(Programs.ASK, "qsub", "--version");
        String output = ran.output();
        if (ran.code() == 0 && output.contains("pbs_version")) {
            return Optional.of(PbsDialect.OPENPBS);
        }
        // Torque prints "Version: 6.1.3" and "Commit: ..." to standard error.
        if (ran.code() == 0 && output.matches("(?s).*(?:^|\\n)\\s*[Vv]ersion:.*")) {
            return Optional.of(PbsDialect.TORQUE);
        }
        if (required) {
            throw ran.failure("qsub does not tell a version of OpenPBS or Torque"
                    + " (the dialect can be named: openpbs or torque)");
        }
        return Optional.empty();
    }
}
