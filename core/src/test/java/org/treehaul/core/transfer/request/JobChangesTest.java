// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.request;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Options for jobs that are given now, in place of those of the last jobs. */
class JobChangesTest {

    private static final JobOptions LAST = new JobOptions("slurm", 16, 4, List.of("-p short"),
            Optional.of(Duration.ofHours(30)), Optional.of(List.of("-p long")), Optional.of(Duration.ofMinutes(5)),
            true, List.of("module load java"), List.of("date"), Optional.of("mail"), 0, "");
    private static final JobOptions NONE = JobOptions.of("local");

    @Test
    void optionsThatAreNotGivenAreThoseOfTheLastJobs() {
        assertThat(new JobChanges(NONE, Set.of()).apply(LAST)).isEqualTo(LAST);
    }

    @Test
    void allOptionsCanBeGiven() {
        assertThat(new JobChanges(NONE, EnumSet.allOf(JobChanges.Option.class)).apply(LAST.withRanks(4, "hybrid")))
                .isEqualTo(NONE);
    }

    @ParameterizedTest
    @EnumSource
    void anOptionChangesNothingElse(JobChanges.Option option) {
        JobOptions values = NONE.withRanks(3, "proximity");
        JobOptions changed = new JobChanges(values, Set.of(option)).apply(LAST);
        assertThat(changed).isNotEqualTo(LAST);
        assertThat(new JobChanges(LAST, Set.of(option)).apply(changed)).isEqualTo(LAST);
    }

    @Test
    void anEmptyListTakesThePlaceOfTheLastOne() {
        JobOptions changed = new JobChanges(NONE.withQueue(List.of()), Set.of(JobChanges.Option.QUEUE)).apply(LAST);
        assertThat(changed).isEqualTo(LAST.withQueue(List.of()));
    }

    @Test
    void ranksAreForgottenWhenOtherJobsAreGiven() {
        JobOptions ranks = LAST.withRanks(4, "hybrid");
        assertThat(new JobChanges(NONE, Set.of(JobChanges.Option.SCHEDULER)).apply(ranks).ranks()).isZero();
        assertThat(new JobChanges(NONE.withJobs(2), Set.of(JobChanges.Option.JOBS)).apply(ranks).workers())
                .isEqualTo(2);
        assertThat(new JobChanges(NONE, Set.of(JobChanges.Option.REQUEUE)).apply(ranks).ranks()).isEqualTo(4);
        assertThat(new JobChanges(NONE.withRanks(3, "proximity"),
                Set.of(JobChanges.Option.SCHEDULER, JobChanges.Option.RANKS)).apply(ranks).ranks()).isEqualTo(3);
    }
}
