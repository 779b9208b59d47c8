// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ThreadTunerTest {

    @Test
    void doublesWhileCallsWaitAndEachStepDoesMoreWork() {
        ThreadTuner tuner = new ThreadTuner(2, 64);
        double rate = 100;
        for (int expected = 4; expected <= 64; expected *= 2) {
            assertThat(tuner.next(rate, 0.1, 1.9)).isEqualTo(expected);
            rate *= 2;
        }
        assertThat(tuner.next(rate, 0.1, 1.9)).as("the most").isEqualTo(64);
    }

    @Test
    void goesBackWhenMoreThreadsDidNotDoMore() {
        ThreadTuner tuner = new ThreadTuner(2, 64);
        assertThat(tuner.next(100, 0.1, 1.9)).isEqualTo(4);
        assertThat(tuner.next(101, 0.1, 1.9)).isEqualTo(2);
        assertThat(tuner.next(101, 0.1, 1.9)).as("it rests before it tries again").isEqualTo(2);
    }

    @Test
    void staysWhenTheCoresAreBusyByThisProcessOrByOthers() {
        ThreadTuner tuner = new ThreadTuner(2, 64);
        assertThat(tuner.next(100, 1.9, 0.1)).isEqualTo(2);
        assertThat(tuner.next(100, 0.5, 0.0)).isEqualTo(2);
    }

    @Test
    void neverExceedsTheMost() {
        assertThat(new ThreadTuner(8, 3).threads()).isEqualTo(3);
    }
}
