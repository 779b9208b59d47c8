// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition.gate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.treehaul.tuplespace.store.Change;
import org.treehaul.tuplespace.store.StandInClasses;
import org.treehaul.tuplespace.store.Store;

/** The exclusive section over all partitions. */
class GateTest {

    @Test
    void aSweepHasItsTurnWhileThreadsMakeChangesAllTheTime() throws Exception {
        Gate gate = new Gate(new Deaf());
        AtomicBoolean isOver = new AtomicBoolean();
        CountDownLatch begun = new CountDownLatch(8);
        List<Thread> threads = IntStream.range(0, 8).mapToObj(i -> Thread.ofPlatform().start(() -> {
            while (!isOver.get()) {
                gate.change(Store.NONE, () -> {
                    begun.countDown();
                    // As a commit takes.
                    LockSupport.parkNanos(1_000_000);
                    return true;
                });
            }
        })).toList();
        begun.await();
        int turns = gate.changeOr(0, () -> 1);
        isOver.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(turns).isEqualTo(1);
    }

    /** Notes the class loader of the thread that delivers. */
    private static final class Loaders extends Deaf {
        private final List<ClassLoader> seen = new ArrayList<>();

        @Override
        public boolean isInterested() {
            return true;
        }

        @Override
        public void changed(List<Change> changes) {
            throw new AssertionError();
        }

        @Override
        public void changedElsewhere() {
            seen.add(Thread.currentThread().getContextClassLoader());
        }

        @Override
        public void lost() {
            throw new AssertionError();
        }
    }

    @Test
    void aSplitServesOperationsWithTheClassesOfTheProgram() {
        Loaders listener = new Loaders();
        Gate gate = new Gate(listener);
        ClassLoader own = Thread.currentThread().getContextClassLoader();
        ClassLoader within = StandInClasses.of(List.of(), () -> gate.exclusively(() -> {
            gate.pending().addElsewhere();
            return Thread.currentThread().getContextClassLoader();
        }));
        assertThat(within).isInstanceOf(StandInClasses.class);
        assertThat(listener.seen).containsExactly(own);
        assertThat(Thread.currentThread().getContextClassLoader()).isSameAs(own);
    }
}
