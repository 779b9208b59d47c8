// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.request;

import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * The options for jobs that a caller gives now, which take the place of those of the last jobs. Immutable.
 *
 * @param values the options; only those given have a meaning
 * @param given the options that the caller gives, possibly as an empty list or as no limit
 */
public record JobChanges(JobOptions values, Set<Option> given) implements UnaryOperator<JobOptions> {

    /** An option for jobs: one component of {@link JobOptions}, or two for ranks. */
    public enum Option {
        SCHEDULER,
        JOBS,
        MAX_RUNNING,
        QUEUE,
        WALLTIME,
        FINISH_QUEUE,
        FINISH_WALLTIME,
        REQUEUE,
        PRE,
        POST,
        ON_COMPLETE,
        /** The number of ranks and their distribution. */
        RANKS
    }

    /** Copies the set. */
    public JobChanges {
        given = Set.copyOf(given);
    }

    /**
     * Returns the options of the last jobs with those given in their place. Ranks are forgotten if another scheduler or
     * number of jobs is given without ranks: other nodes may not have MPJ Express, and jobs always work.
     *
     * @param last the options of the last jobs
     */
    @Override
    public JobOptions apply(JobOptions last) {
        boolean areJobs = given.contains(Option.JOBS) || given.contains(Option.SCHEDULER);
        JobOptions sharing = given.contains(Option.RANKS) ? values : areJobs ? last.withRanks(0, "") : last;
        return new JobOptions(choose(Option.SCHEDULER, JobOptions::scheduler, last),
                choose(Option.JOBS, JobOptions::jobs, last), choose(Option.MAX_RUNNING, JobOptions::maxRunning, last),
                choose(Option.QUEUE, JobOptions::queue, last), choose(Option.WALLTIME, JobOptions::walltime, last),
                choose(Option.FINISH_QUEUE, JobOptions::finishQueue, last),
                choose(Option.FINISH_WALLTIME, JobOptions::finishWalltime, last),
                choose(Option.REQUEUE, JobOptions::requeue, last), choose(Option.PRE, JobOptions::pre, last),
                choose(Option.POST, JobOptions::post, last), choose(Option.ON_COMPLETE, JobOptions::onComplete, last),
                sharing.ranks(), sharing.distribution());
    }

    private <T> T choose(Option option, Function<JobOptions, T> value, JobOptions last) {
        return value.apply(given.contains(option) ? values : last);
    }
}
