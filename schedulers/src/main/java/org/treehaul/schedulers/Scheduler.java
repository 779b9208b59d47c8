// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers;

import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * A scheduler that runs jobs. Each call runs programs of the scheduler, waits for them for a bounded time and keeps no
 * result of earlier calls; any thread may call.
 * <p>
 * Jobs run in the directory of their transfer, read what they need from {@code launch} (see {@link Launch}) and write
 * to {@code log}. Callers may use the reported state of a job for display and to make sure that it has ended, never as
 * proof that its work is done.
 * <p>
 * A scheduler of another jar can submit the scripts that {@link #local()} renders, with options of its own; see
 * {@link SchedulerProvider}.
 */
public interface Scheduler {
    /** Returns its name, which {@link #named} accepts. */
    String name();

    /**
     * Returns the scripts that {@link #submit} would submit for a request, one for each job array or job, in order.
     * Submits and writes nothing; at most queries the scheduler for its limits.
     */
    List<Script> render(JobRequest request) throws SchedulerException;

    /**
     * Submits jobs. The scripts stay in {@code launch} of the transfer's directory.
     *
     * @throws SchedulerException if the scheduler refuses. If the request needs more than one array, those before the
     *         refused one stay submitted: {@link SchedulerException#submitted} names them.
     */
    Submission submit(JobRequest request) throws SchedulerException;

    /**
     * Checks the options of a request before a long preparation such as planning. Submits and keeps nothing; jobs that
     * the request runs after are ignored.
     * <p>
     * The check is one-sided: a request that passes may still be refused by {@link #submit}, because a scheduler may be
     * unable to test a request (PBS), or may not answer now.
     *
     * @throws SchedulerException if the scheduler would refuse the request whatever the load of the cluster
     */
    default void check(JobRequest request) throws SchedulerException {
        // This machine accepts any request.
    }

    /**
     * Returns those of the workers' options that suit a single job of one process, such as the job that finishes. Keeps
     * all of them unless the scheduler knows better.
     *
     * @param options options for the queue, as the user typed them
     */
    default List<String> optionsOfOneJob(List<String> options) {
        return options;
    }

    /**
     * Queries the state of jobs.
     *
     * @param ids ids from {@link Submission#ids}
     * @return for the id of one job its state by that id; for the id of an array the states of its jobs, by ids of
     *         their own that begin with the array's, and without jobs that the scheduler has forgotten. An id that the
     *         scheduler reports as unknown is {@link JobState#GONE}; one that its answer omits is
     *         {@link JobState#UNKNOWN}.
     * @throws SchedulerException if it does not answer; nothing is known then
     */
    Map<String, JobState> states(Collection<String> ids) throws SchedulerException;

    /**
     * Queries why jobs wait.
     *
     * @return the distinct reasons, in the scheduler's words; without the reason that a job waits for another one of
     *         its transfer
     * @throws SchedulerException if it does not answer
     */
    List<String> reasons(Collection<String> ids) throws SchedulerException;

    /**
     * Cancels jobs and waits until none of them can run any more. Jobs that have ended or are unknown are no failure.
     *
     * @throws SchedulerException if the scheduler refuses, or some may still run; the message names them
     */
    void cancel(Collection<String> ids) throws SchedulerException;

    /**
     * Returns the scheduler that starts processes on this machine, each in its own session; they outlive this process.
     */
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

    /** Returns the scheduler of this machine, as {@link #named} does for {@code auto}. */
    static Scheduler detect() throws SchedulerException {
        return named("auto", System.getenv());
    }

    /**
     * Returns the scheduler with this name: {@code local}, {@code slurm}, {@code pbs} (its version shows the dialect),
     * {@code openpbs}, {@code torque}, a name of another jar's {@link SchedulerProvider}, or {@code auto}: Slurm if it
     * answers, else PBS, else the one that a provider of another jar detects.
     *
     * @throws SchedulerException if there is no such name, and the message lists the existing ones; if this machine has
     *         no such scheduler, and the message names the programs that were tried; or if two providers have the same
     *         name or detect a scheduler
     */
    static Scheduler named(String name, Map<String, String> environment) throws SchedulerException {
        return StandardSchedulers.named(name, environment);
    }

    /**
     * Returns all names that {@link #named} accepts: {@code auto}, those of TreeHaul, then those of other jars.
     *
     * @throws SchedulerException if a provider cannot be loaded, or two have the same name
     */
    static List<String> names() throws SchedulerException {
        return StandardSchedulers.names();
    }
}
