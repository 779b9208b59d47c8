// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A request for jobs: some workers of a transfer, or the one job that plans or finishes it.
 *
 * @param transfer the id of the transfer
 * @param generation its generation
 * @param phase the work that the jobs do
 * @param directory the directory of the transfer, visible on every node; it holds {@code launch}, see {@link Launch}
 * @param jobs the number of jobs; 1 for all but workers
 * @param firstIndex the number of the first worker, so that the workers of several requests have different numbers
 * @param maxRunning the number of jobs that may run at once; 0 for no limit
 * @param after ids of jobs of the same scheduler; the requested jobs start when these have ended, in whatever state
 * @param options lines for the scheduler as the user gave them, each without the leading {@code #SBATCH} or
 *        {@code #PBS}
 * @param walltime the time limit to request for each job; without one the scheduler's own limits apply
 * @param requeue whether a job that the time limit stopped continues in a new one
 * @param distribution how the workers share the batches by messages, as ranks of one group that all run at the same
 *        time, one on each node; empty for workers that claim batches independently
 * @param host the name of the host on which the jobs must run; empty if any will do
 */
public record JobRequest(String transfer, int generation, JobPhase phase, Path directory, int jobs, int firstIndex,
        int maxRunning, List<String> after, List<String> options, Optional<Duration> walltime, boolean requeue,
        String distribution, String host) {

    private static final Pattern TRANSFER = Pattern.compile("[0-9]{8}-[0-9]{6}-[a-z0-9]{4}");
    // As in URIs, and not like an option.
    private static final Pattern HOST = Pattern.compile("([A-Za-z0-9_.:\\[\\]][A-Za-z0-9_.:\\[\\]-]*)?");
    // All characters that occur in the ids of the schedulers and of local jobs.
    private static final Pattern ID = Pattern.compile("[A-Za-z0-9_.:;@\\[\\]-]+");

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if the transfer is not the id of a transfer, a number is out of range, the
     *         directory is not absolute, an option has several lines, the time limit is less than a second, ranks are
     *         asked for that are not all workers of a generation running at the same time, or the host is no name
     */
    public JobRequest {
        after = List.copyOf(after);
        options = List.copyOf(options);
        require(TRANSFER.matcher(transfer).matches(), "not the id of a transfer: " + transfer);
        require(generation >= 1, "generation " + generation);
        require(directory.isAbsolute(), "not an absolute path: " + directory);
        require(jobs >= 1 && (jobs == 1 || phase == JobPhase.WORKER), jobs + " jobs to " + phase.word());
        require(firstIndex >= 0 && firstIndex <= Integer.MAX_VALUE - jobs, "first index " + firstIndex);
        require(maxRunning >= 0, "at most " + maxRunning + " running");
        for (String id : after) {
            require(ID.matcher(id).matches(), "not the id of a job: " + id);
        }
        for (String line : options) {
            // A second line would be a command in the script.
            require(line.chars().noneMatch(c -> c == '\n' || c == '\r' || c == 0),
                    "an option for the queue must be one line");
        }
        require(distribution.matches("[a-z-]*"), "not the name of a distribution: " + distribution);
        require(distribution.isEmpty() || phase == JobPhase.WORKER && firstIndex == 0 && maxRunning == 0,
                "ranks that are not all workers that run at the same time");
        require(HOST.matcher(host).matches(), "not the name of a host: " + host);
        walltime.ifPresent(limit -> require(limit.toSeconds() >= 1, "a limit of time of " + limit));
    }

    /** Creates a request for jobs that may run on any host. */
    public JobRequest(String transfer, int generation, JobPhase phase, Path directory, int jobs, int firstIndex,
            int maxRunning, List<String> after, List<String> options, Optional<Duration> walltime, boolean requeue,
            String distribution) {
        this(transfer, generation, phase, directory, jobs, firstIndex, maxRunning, after, options, walltime, requeue,
                distribution, "");
    }

    /** Returns a request for one job without limits or options. */
    public static JobRequest of(String transfer, int generation, JobPhase phase, Path directory) {
        return new JobRequest(transfer, generation, phase, directory, 1, 0, 0, List.of(), List.of(), Optional.empty(),
                false, "", "");
    }

    /** Returns a copy with this number of workers. */
    public JobRequest jobs(int number) {
        return new JobRequest(transfer, generation, phase, directory, number, firstIndex, maxRunning, after, options,
                walltime, requeue, distribution, host);
    }

    /** Returns a copy whose workers are numbered from this index. */
    public JobRequest firstIndex(int index) {
        return new JobRequest(transfer, generation, phase, directory, jobs, index, maxRunning, after, options, walltime,
                requeue, distribution, host);
    }

    /** Returns a copy that lets at most this number of jobs run at once. */
    public JobRequest maxRunning(int number) {
        return new JobRequest(transfer, generation, phase, directory, jobs, firstIndex, number, after, options,
                walltime, requeue, distribution, host);
    }

    /** Returns a copy whose jobs start when these have ended. */
    public JobRequest after(List<String> ids) {
        return new JobRequest(transfer, generation, phase, directory, jobs, firstIndex, maxRunning, ids, options,
                walltime, requeue, distribution, host);
    }

    /** Returns a copy with these lines for the scheduler. */
    public JobRequest options(List<String> lines) {
        return new JobRequest(transfer, generation, phase, directory, jobs, firstIndex, maxRunning, after, lines,
                walltime, requeue, distribution, host);
    }

    /** Returns a copy with this time limit. */
    public JobRequest walltime(Duration limit) {
        return new JobRequest(transfer, generation, phase, directory, jobs, firstIndex, maxRunning, after, options,
                Optional.of(limit), requeue, distribution, host);
    }

    /** Returns a copy that requeues, or does not requeue, a worker that its time limit stopped. */
    public JobRequest requeue(boolean again) {
        return new JobRequest(transfer, generation, phase, directory, jobs, firstIndex, maxRunning, after, options,
                walltime, again, distribution, host);
    }

    /** Returns a copy whose workers are ranks that share the batches by this distribution. */
    public JobRequest ranks(String name) {
        return new JobRequest(transfer, generation, phase, directory, jobs, firstIndex, maxRunning, after, options,
                walltime, requeue, name, host);
    }

    /** Returns a copy for jobs on this host. */
    public JobRequest at(String name) {
        return new JobRequest(transfer, generation, phase, directory, jobs, firstIndex, maxRunning, after, options,
                walltime, requeue, distribution, name);
    }

    /** Returns whether the workers are ranks of one group. */
    public boolean isRanks() {
        return !distribution.isEmpty();
    }

    /** Returns the name of the jobs, short enough for every scheduler (Torque: 15 characters). */
    public String jobName() {
        return "th-" + transfer.substring(transfer.length() - 4) + "-" + phase.word();
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new IllegalArgumentException(message);
        }
    }
}
