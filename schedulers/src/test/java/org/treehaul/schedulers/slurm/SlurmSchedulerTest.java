// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.slurm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.treehaul.schedulers.JobState;

class SlurmSchedulerTest {

    @ParameterizedTest
    @CsvSource({"PENDING, WAITING", "RUNNING, RUNNING", "COMPLETING, RUNNING", "SUSPENDED, RUNNING",
            "NEWFANGLED, RUNNING", "COMPLETED, SUCCEEDED", "FAILED, FAILED", "OUT_OF_MEMORY, FAILED",
            "CANCELLED, CANCELLED", "CANCELLED by 1000, CANCELLED", "TIMEOUT, TIMED_OUT", "NODE_FAIL, LOST",
            "PREEMPTED, LOST"})
    void statesOfSlurmAreRead(String word, JobState state) {
        assertThat(SlurmScheduler.state(word)).isEqualTo(state);
    }
}
