// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers;

import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * A scheduler that runs jobs. Each call runs programs of the scheduler, waits for them for a bounded time and keeps no
 * result of earlier calls. Safe for any number of threads.
 * <p>
 * Jobs run in the directory of their transfer, read what they need from {@code launch} (see {@link Launch}) and write
 * to {@code log}. Callers may use the reported state of a job for display and to make sure that it has ended, never as
 * proof that its work is done.
 * <p>
 * A scheduler of another jar can submit the scripts that {@link org.treehaul.schedulers.discovery.Schedulers#local}
 * renders, with options of its own; see {@link SchedulerProvider}.
 */
public interface Scheduler {
    /** Returns its name, which {@link org.treehaul.schedulers.discovery.Schedulers#named} accepts. */
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
        // The default implementation accepts any request.
    }

    /**
     * Returns those of the workers' options that suit a single job of one process, such as the job that finishes. The
     * default implementation returns all of them.
     *
     * @param options options for the queue, as the user typed them
     */
    default List<String> optionsOfOneJob(List<String> options) {
        return options;
    }

    /**
     * Returns whether the name of each job's log has the number with which the job's id begins, so that a job without a
     * log can be recognized. The script that {@link org.treehaul.schedulers.discovery.Schedulers#local} renders names
     * its log after its process.
     */
    default boolean namesLogsById() {
        return false;
    }

    /**
     * Returns whether it starts a job on a given host ({@link JobRequest#host}); else it gets no work that is bound to
     * hosts.
     */
    default boolean placesJobs() {
        return false;
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
     * Cancels jobs and waits until none of them can run any more. It is not a failure if jobs have ended or are
     * unknown.
     *
     * @throws SchedulerException if the scheduler refuses, or some may still run; the message names them
     */
    void cancel(Collection<String> ids) throws SchedulerException;
}
