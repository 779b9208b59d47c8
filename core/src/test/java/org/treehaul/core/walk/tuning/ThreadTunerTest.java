// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.tuning;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ThreadTunerTest {

    @Test
    void growsWhileCallsWaitAndEachStepDoesMoreWork() {
        ThreadTuner tuner = new ThreadTuner(2, 64);
        assertThat(after(tuner, 100, 1.2, 0.8)).as("half of the cores wait").isEqualTo(4);
        assertThat(tuner.isSearching()).isTrue();
        assertThat(after(tuner, 200, 0.1, 1.9)).as("nearly all do").isEqualTo(16);
        assertThat(after(tuner, 800, 0.1, 1.9)).isEqualTo(64);
        assertThat(after(tuner, 3200, 0.1, 1.9)).as("the most").isEqualTo(64);
        assertThat(tuner.isSearching()).isFalse();
    }

    @Test
    void growsAtOnceIfNearlyAllThreadsWaitForTheFileSystem() {
        ThreadTuner tuner = new ThreadTuner(2, 64);
        // The start of the JVM still uses a core.
        assertThat(tuner.next(new ThreadTuner.Measured(0.04, 50, 0.9, 1.1, 1.8))).isEqualTo(32);
        assertThat(after(tuner, 1000, 0.1, 1.9)).isEqualTo(64);
    }

    @Test
    void aWalkThatIsKnownToBeFarBeginsWithManyThreadsAndTriesMore() {
        ThreadTuner tuner = new ThreadTuner(2, 64);
        assertThat(tuner.beginFar()).isEqualTo(32);
        assertThat(tuner.isSearching()).isFalse();
        assertThat(after(tuner, 1000, 0.1, 1.9)).isEqualTo(64);
        assertThat(after(tuner, 1000, 0.1, 1.9)).as("no gain").isEqualTo(32);
        assertThat(tuner.beginFar()).as("again").isEqualTo(32);
        assertThat(new ThreadTuner(2, 8).beginFar()).as("no more than the most").isEqualTo(8);
        assertThat(new ThreadTuner(96, 128).beginFar()).as("many cores").isEqualTo(128);
        assertThat(ThreadTuner.fixed(2, 3).beginFar()).as("a fixed number").isEqualTo(3);
    }

    @Test
    void triesFewThreadsAfterFarTooMany() {
        ThreadTuner tuner = new ThreadTuner(2, 64);
        assertThat(tuner.next(new ThreadTuner.Measured(0.3, 1000, 0.1, 1.9, 2))).isEqualTo(32);
        assertThat(after(tuner, 1000, 0.1, 1.9)).as("no gain").isEqualTo(2);
        assertThat(tuner.next(new ThreadTuner.Measured(0.3, 1000, 0.1, 1.9, 2))).as("rests").isEqualTo(2);
        assertThat(tuner.next(new ThreadTuner.Measured(0.3, 1000, 0.1, 1.9, 2))).isEqualTo(4);
    }

    @Test
    void aFixedNumberStays() {
        ThreadTuner tuner = ThreadTuner.fixed(2, 8);
        assertThat(tuner.threads()).isEqualTo(8);
        assertThat(tuner.next(new ThreadTuner.Measured(0.3, 1000, 0.1, 1.9, 8))).isEqualTo(8);
    }

    @Test
    void goesBackWhenMoreThreadsDidNotDoMore() {
        ThreadTuner tuner = new ThreadTuner(2, 64);
        assertThat(after(tuner, 100, 0.1, 1.9)).isEqualTo(8);
        assertThat(after(tuner, 101, 0.1, 1.9)).isEqualTo(2);
        assertThat(tuner.isSearching()).isFalse();
        assertThat(after(tuner, 101, 0.1, 1.9)).as("it rests before it tries again").isEqualTo(2);
        assertThat(after(tuner, 101, 0.1, 1.9)).as("with a smaller step").isEqualTo(4);
        assertThat(after(tuner, 101, 0.1, 1.9)).isEqualTo(2);
    }

    @Test
    void findsTheBestNumberBetweenTwoLargeSteps() {
        ThreadTuner tuner = new ThreadTuner(2, 64);
        int threads = tuner.threads();
        for (int i = 0; i < 20; i++) {
            threads = after(tuner, threads <= 16 ? threads * 100 : 100, 0.1, 1.9);
        }
        assertThat(threads).isEqualTo(16);
    }

    @Test
    void restsLongerTheOftenerItFailed() {
        ThreadTuner tuner = new ThreadTuner(2, 64);
        int tries = 0;
        for (int i = 0; i < 200; i++) {
            if (after(tuner, 100, 0.1, 1.9) > 2) {
                tries++;
            }
        }
        assertThat(tries).as("in 100 seconds").isBetween(20, 35);
    }

    @Test
    void staysWhenTheCoresAreBusyByThisProcessOrByOthers() {
        ThreadTuner tuner = new ThreadTuner(2, 64);
        assertThat(after(tuner, 100, 1.9, 0.1)).isEqualTo(2);
        assertThat(after(tuner, 100, 0.5, 0.0)).isEqualTo(2);
    }

    @Test
    void growsOnABusyMachineWhileItsThreadsWaitInCalls() {
        ThreadTuner tuner = new ThreadTuner(2, 64);
        assertThat(tuner.next(busyMachine(100, 0.8))).as("they wait for cores or other threads").isEqualTo(2);
        assertThat(tuner.next(busyMachine(100, 1.7))).as("they wait for answers").isEqualTo(8);
        assertThat(tuner.next(busyMachine(400, 6.8))).isEqualTo(32);
        assertThat(tuner.next(busyMachine(420, 30))).as("no gain").isEqualTo(8);
    }

    @Test
    void asksWhatItsThreadsWaitForOnlyIfTheCoresAreTakenByOthers() {
        ThreadTuner tuner = new ThreadTuner(2, 64);
        assertThat(tuner.needsThreadsInCalls(new ThreadTuner.Measured(0.5, 100, 0.1, 1.9, 0))).isFalse();
        assertThat(tuner.needsThreadsInCalls(new ThreadTuner.Measured(0.5, 100, 1.9, 0, 0))).isFalse();
        assertThat(tuner.needsThreadsInCalls(busyMachine(100, 0.3))).isTrue();
        assertThat(new ThreadTuner(2, 2).needsThreadsInCalls(busyMachine(100, 0.3))).as("no choice is left").isFalse();
    }

    private static ThreadTuner.Measured busyMachine(double rate, double threadsInCalls) {
        return new ThreadTuner.Measured(0.5, rate, 0.1, 0, threadsInCalls);
    }

    @Test
    void neverExceedsTheMost() {
        assertThat(new ThreadTuner(8, 3).threads()).isEqualTo(3);
    }

    private static int after(ThreadTuner tuner, double rate, double busyCores, double idleCores) {
        return tuner.next(new ThreadTuner.Measured(0.5, rate, busyCores, idleCores, 0));
    }
}
