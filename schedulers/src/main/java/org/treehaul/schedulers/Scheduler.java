// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers;

import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * Where jobs run. Each call runs programs of the scheduler, waits for them a bounded time and knows nothing from
 * earlier calls; any thread may call.
 * <p>
 * Jobs run in the directory of their transfer, find what they need in {@code launch} (see {@link Launch}) and write to
 * {@code log}. What the scheduler says of a job is good for looking and for making sure that it has ended, never as a
 * proof that its work is done.
 */
public interface Scheduler {
    /** Returns its name as {@link #named} takes it. */
    String name();

    /**
     * Returns the scripts that a request would be submitted as, one for each job array or job, in order. Nothing is
     * submitted or written; at most the scheduler is asked for its limits.
     */
    List<Script> render(JobRequest request) throws SchedulerException;

    /**
     * Submits jobs. The scripts stay in {@code launch} of the transfer's directory.
     *
     * @throws SchedulerException if the scheduler refuses. Where the request is more than one array, those before the
     *         refused one stand: {@link SchedulerException#submitted} names them.
     */
    Submission submit(JobRequest request) throws SchedulerException;

    /**
     * Asks for the state of jobs.
     *
     * @param ids as {@link Submission#ids} gave them
     * @return for an id of one job its state by that id; for an id of an array those of its jobs, by ids of their own
     *         that begin with the array's, and without those that the scheduler has forgotten. An id that the scheduler
     *         says it does not know is {@link JobState#GONE}; one that its answer leaves out is
     *         {@link JobState#UNKNOWN}.
     * @throws SchedulerException if it does not answer; nothing is known then
     */
    Map<String, JobState> states(Collection<String> ids) throws SchedulerException;

    /**
     * Asks why jobs wait.
     *
     * @return the reasons, each once, in the scheduler's words; without that a job waits for another one of its
     *         transfer
     * @throws SchedulerException if it does not answer
     */
    List<String> reasons(Collection<String> ids) throws SchedulerException;

    /**
     * Cancels jobs and waits until none of them can run any more. Those that have ended or are unknown are no failure.
     *
     * @throws SchedulerException if the scheduler refuses, or some may still run; the message names them
     */
    void cancel(Collection<String> ids) throws SchedulerException;

    /** Returns processes of this machine, each in a session of its own, that outlive this one. */
    static Scheduler local() {
        return local(System.getenv());
    }

    /** Returns {@link #local()} with the environment that its programs get. */
    static Scheduler local(Map<String, String> environment) {
        return new LocalScheduler(new Programs(environment));
    }

    /** Returns Slurm. */
    static Scheduler slurm() {
        return slurm(System.getenv());
    }

    /** Returns {@link #slurm()} with the environment in which its programs are looked up and run. */
    static Scheduler slurm(Map<String, String> environment) {
        return new SlurmScheduler(new Programs(environment));
    }

    /** Returns a PBS of this dialect. */
    static Scheduler pbs(PbsDialect dialect) {
        return pbs(dialect, System.getenv());
    }

    /** Returns {@link #pbs(PbsDialect)} with the environment in which its programs are looked up and run. */
    static Scheduler pbs(PbsDialect dialect, Map<String, String> environment) {
        return new PbsScheduler(new Programs(environment), dialect);
    }

    /**
     * Returns the scheduler of this machine: Slurm where it answers, else PBS of the dialect that its version tells.
     */
    static Scheduler detect() throws SchedulerException {
        return named("auto", System.getenv());
    }

    /**
     * Returns the scheduler of a name: {@code local}, {@code slurm}, {@code pbs} (the dialect is told by its version),
     * {@code openpbs}, {@code torque} or {@code auto}.
     *
     * @throws SchedulerException if there is none such on this machine; says what was looked for
     * @throws IllegalArgumentException if there is no such name
     */
    static Scheduler named(String name, Map<String, String> environment) throws SchedulerException {
        return new Detection(environment).named(name);
    }
}
