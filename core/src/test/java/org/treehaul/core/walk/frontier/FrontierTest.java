// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.frontier;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class FrontierTest {

    /** Numbers, several packed together. */
    private static final class Numbers implements Frontier.Work<Numbers> {
        private int from;
        private int to;

        Numbers(int from, int to) {
            this.from = from;
            this.to = to;
        }

        @Override
        public int units() {
            return to - from;
        }

        @Override
        public Numbers takeOne() {
            if (units() == 1) {
                return this;
            }
            from++;
            return new Numbers(from - 1, from);
        }

        @Override
        public Numbers takeHalf() {
            int middle = to - units() / 2;
            Numbers half = new Numbers(middle, to);
            to = middle;
            return half;
        }
    }

    private static int next(Frontier<Numbers> frontier, int worker) throws InterruptedException {
        return Objects.requireNonNull(frontier.take(worker)).from;
    }

    private static List<Integer> drain(Frontier<Numbers> frontier, int worker) throws InterruptedException {
        List<Integer> taken = new ArrayList<>();
        Numbers work = frontier.take(worker);
        while (work != null) {
            assertThat(work.units()).isEqualTo(1);
            taken.add(work.from);
            frontier.done();
            work = frontier.take(worker);
        }
        return taken;
    }

    @Test
    void aWorkerTakesItsNewestWorkFirst() throws InterruptedException {
        Frontier<Numbers> frontier = new Frontier<>(2, 2);
        frontier.push(0, new Numbers(0, 1));
        frontier.push(0, new Numbers(1, 4));
        assertThat(drain(frontier, 0)).containsExactly(1, 2, 3, 0);
    }

    @Test
    void aThiefGetsTheOldestWorkWhole() throws InterruptedException {
        Frontier<Numbers> frontier = new Frontier<>(2, 2);
        frontier.push(0, new Numbers(0, 3));
        frontier.push(0, new Numbers(10, 11));
        assertThat(next(frontier, 1)).isZero();
        assertThat(next(frontier, 1)).isEqualTo(1);
        assertThat(next(frontier, 0)).isEqualTo(10);
        assertThat(next(frontier, 0)).isEqualTo(2);
    }

    @Test
    void theOnlyWorkOfAVictimIsHalved() throws InterruptedException {
        Frontier<Numbers> frontier = new Frontier<>(2, 2);
        frontier.push(0, new Numbers(0, 5));
        assertThat(next(frontier, 1)).isEqualTo(3);
        assertThat(next(frontier, 0)).isZero();
        assertThat(next(frontier, 1)).isEqualTo(4);
        assertThat(next(frontier, 0)).isEqualTo(1);
    }

    @Test
    void theWalkEndsWhenNoDirectoryWaitsOrIsInProgress() throws InterruptedException {
        Frontier<Numbers> frontier = new Frontier<>(1, 1);
        assertThat(frontier.take(0)).isNull();
        frontier.push(0, new Numbers(0, 1));
        assertThat(next(frontier, 0)).isZero();
        assertThat(frontier.isOver()).isFalse();
        frontier.done();
        assertThat(frontier.isOver()).isTrue();
        assertThat(frontier.take(0)).isNull();
    }

    @Test
    void pollingDoesNotWait() {
        Frontier<Numbers> frontier = new Frontier<>(2, 1);
        frontier.hold();
        assertThat(frontier.poll(0)).isNull();
        frontier.push(0, new Numbers(0, 1));
        assertThat(frontier.poll(1)).as("not active").isNull();
        assertThat(frontier.poll(0)).isNotNull();
    }

    @Test
    void aHeldFrontierKeepsWaitersUntilItIsReleased() throws Exception {
        Frontier<Numbers> frontier = new Frontier<>(1, 1);
        frontier.hold();
        try (ExecutorService thread = Executors.newSingleThreadExecutor()) {
            Future<List<Integer>> taken = thread.submit(() -> drain(frontier, 0));
            Awaitility.await().until(() -> frontier.idle() == 1);
            assertThat(taken.isDone()).isFalse();
            frontier.push(0, new Numbers(7, 8));
            Awaitility.await().until(() -> frontier.idle() == 1);
            frontier.release();
            assertThat(taken.get()).containsExactly(7);
        }
    }

    @Test
    void stoppingWakesAllAndDropsWhatWaits() throws Exception {
        Frontier<Numbers> frontier = new Frontier<>(3, 2);
        frontier.hold();
        try (ExecutorService threads = Executors.newFixedThreadPool(3)) {
            List<Future<List<Integer>>> taken = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                int worker = i;
                taken.add(threads.submit(() -> drain(frontier, worker)));
            }
            Awaitility.await().until(() -> frontier.idle() == 2);
            frontier.stop();
            for (Future<List<Integer>> each : taken) {
                assertThat(each.get()).isEmpty();
            }
            frontier.push(0, new Numbers(0, 5));
            assertThat(frontier.take(0)).isNull();
        }
    }

    @Test
    void workersBeyondTheActiveOnesTakeNothingUntilTheyAreActivated() throws Exception {
        Frontier<Numbers> frontier = new Frontier<>(2, 1);
        frontier.push(1, new Numbers(0, 2));
        try (ExecutorService thread = Executors.newSingleThreadExecutor()) {
            Future<Integer> taken = thread.submit(() -> next(frontier, 1));
            assertThat(next(frontier, 0)).as("stolen from a worker that is not active").isNotNegative();
            assertThat(taken.isDone()).isFalse();
            frontier.activate(2);
            assertThat(taken.get()).isNotNegative();
        }
    }

    // A tree of work: each number leads to two smaller ones, pushed by the worker that takes it.
    @Property(tries = 30)
    void noWorkIsLostOrDoneTwiceHoweverWorkersComeAndGo(@ForAll @IntRange(min = 1, max = 8) int workers,
            @ForAll @IntRange(min = 1, max = 13) int depth) throws Exception {
        Frontier<Numbers> frontier = new Frontier<>(workers, workers);
        List<Integer> done = Collections.synchronizedList(new ArrayList<>());
        AtomicInteger inHand = new AtomicInteger();
        AtomicLong endedEarly = new AtomicLong();
        CountDownLatch begin = new CountDownLatch(1);
        int last = (1 << depth) - 1;
        frontier.push(0, new Numbers(1, 2));
        try (ExecutorService threads = Executors.newFixedThreadPool(workers + 1)) {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < workers; i++) {
                int worker = i;
                running.add(threads.submit(() -> {
                    begin.await();
                    Numbers work = frontier.take(worker);
                    while (work != null) {
                        inHand.incrementAndGet();
                        done.add(work.from);
                        if (2 * work.from <= last) {
                            frontier.push(worker, new Numbers(2 * work.from, 2 * work.from + 2));
                        }
                        inHand.decrementAndGet();
                        frontier.done();
                        work = frontier.take(worker);
                    }
                    endedEarly.addAndGet(inHand.get());
                    return null;
                }));
            }
            running.add(threads.submit(() -> {
                begin.await();
                while (!frontier.isOver()) {
                    frontier.activate(1 + ThreadLocalRandom.current().nextInt(workers));
                    Thread.onSpinWait();
                }
                return null;
            }));
            begin.countDown();
            for (Future<?> each : running) {
                each.get();
            }
        }
        assertThat(endedEarly).hasValue(0);
        assertThat(done).hasSize(last);
        assertThat(done.stream().distinct().count()).isEqualTo(last);
    }
}
