// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.request;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The jobs that carry out a transfer. Immutable; each {@code with} method returns a changed copy.
 *
 * @param scheduler the name of the scheduler; {@code auto} for the one of the machine
 * @param jobs the number of workers; 0 for the default
 * @param maxRunning the number of jobs that may run at once; 0 for no limit
 * @param queue lines of options for the scheduler, given with each job
 * @param walltime the time limit of a job
 * @param finishQueue lines of options for the finishing job; empty if none were given, which differs from an empty list
 * @param finishWalltime the time limit of the finishing job
 * @param requeue whether a job that its time limit stopped is queued again
 * @param pre commands that each job runs before its work
 * @param post commands that each job runs after its work
 * @param onComplete the command that runs when the transfer is finished
 * @param ranks the number of ranks that share the work by messages; 0 for independent jobs
 * @param distribution how the ranks share the work; empty without ranks
 */
public record JobOptions(String scheduler, int jobs, int maxRunning, List<String> queue, Optional<Duration> walltime,
        Optional<List<String>> finishQueue, Optional<Duration> finishWalltime, boolean requeue, List<String> pre,
        List<String> post, Optional<String> onComplete, int ranks, String distribution) {

    /** The name that selects the scheduler of the machine. */
    public static final String AUTO = "auto";

    private static final int USUAL_JOBS = 8;

    /**
     * Creates options.
     *
     * @throws IllegalArgumentException if a number is negative, an option for the queue has more than one line, a time
     *         limit is not positive, or only one of ranks and distribution is given
     */
    public JobOptions {
        queue = List.copyOf(queue);
        finishQueue = finishQueue.map(List::copyOf);
        pre = List.copyOf(pre);
        post = List.copyOf(post);
        require(!scheduler.isEmpty(), "a scheduler without a name");
        require(jobs >= 0 && maxRunning >= 0 && ranks >= 0,
                "numbers of jobs below 0: " + jobs + ", " + maxRunning + ", " + ranks);
        require(ranks > 0 == !distribution.isEmpty(), ranks + " ranks with distribution '" + distribution + "'");
        queue.forEach(JobOptions::requireLine);
        finishQueue.ifPresent(lines -> lines.forEach(JobOptions::requireLine));
        walltime.ifPresent(JobOptions::requirePositive);
        finishWalltime.ifPresent(JobOptions::requirePositive);
    }

    private static void requireLine(String option) {
        require(option.chars().noneMatch(c -> c == '\n' || c == '\r' || c == 0),
                "an option for the queue must be one line");
    }

    private static void requirePositive(Duration limit) {
        require(limit.toSeconds() >= 1, "a time limit of " + limit);
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new IllegalArgumentException(message);
        }
    }

    /** Returns the default number of jobs of a scheduler, without any other option. */
    public static JobOptions of(String scheduler) {
        return new JobOptions(scheduler, 0, 0, List.of(), Optional.empty(), Optional.empty(), Optional.empty(), false,
                List.of(), List.of(), Optional.empty(), 0, "");
    }

    /** Returns how many workers process the transfer at the same time. */
    public int workers() {
        return ranks > 0 ? ranks : jobs > 0 ? jobs : scheduler.equals("local") ? 1 : USUAL_JOBS;
    }

    /** Returns a copy with another scheduler and without the queue options, which another scheduler does not know. */
    public JobOptions withScheduler(String name) {
        return new JobOptions(name, jobs, maxRunning, List.of(), walltime, Optional.empty(), finishWalltime, requeue,
                pre, post, onComplete, ranks, distribution);
    }

    /** Returns a copy with another number of jobs, 0 for the default. */
    public JobOptions withJobs(int number) {
        return new JobOptions(scheduler, number, maxRunning, queue, walltime, finishQueue, finishWalltime, requeue, pre,
                post, onComplete, ranks, distribution);
    }

    /** Returns a copy with other options for the queue. */
    public JobOptions withQueue(List<String> lines) {
        return new JobOptions(scheduler, jobs, maxRunning, lines, walltime, finishQueue, finishWalltime, requeue, pre,
                post, onComplete, ranks, distribution);
    }

    /** Returns a copy with another time limit of a job. */
    public JobOptions withWalltime(Duration limit) {
        return new JobOptions(scheduler, jobs, maxRunning, queue, Optional.of(limit), finishQueue, finishWalltime,
                requeue, pre, post, onComplete, ranks, distribution);
    }

    /** Returns a copy whose workers are this number of ranks, which share the work by a distribution. */
    public JobOptions withRanks(int number, String sharing) {
        return new JobOptions(scheduler, jobs, maxRunning, queue, walltime, finishQueue, finishWalltime, requeue, pre,
                post, onComplete, number, sharing);
    }

    /** Returns a copy with the command to run when the transfer is finished, or with none. */
    public JobOptions withOnComplete(Optional<String> command) {
        return new JobOptions(scheduler, jobs, maxRunning, queue, walltime, finishQueue, finishWalltime, requeue, pre,
                post, command, ranks, distribution);
    }
}
