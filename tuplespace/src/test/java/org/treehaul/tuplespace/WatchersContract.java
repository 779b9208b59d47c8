// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.treehaul.tuplespace.Shapes.Job;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.tuple.Template;

/** Spaces that share a store, as processes do: each notices what the others change. */
abstract class WatchersContract {
    static final Template<Job> JOBS = Template.of(Job.class);
    static final Duration LONG = Duration.ofSeconds(60);
    /** A caller who waits tries once more at the end of its time, so that must come after the test has failed. */
    static final Duration EVER = Duration.ofHours(1);
    static final Duration NOW = Duration.ZERO;

    final BlockingQueue<Integer> heard = new LinkedBlockingQueue<>();

    /** Opens the store of the test, each time as another process does. */
    abstract TupleSpace open();

    /** Returns the partition of a job; events keep the order of writing within each. */
    int partition(Job job) {
        return 0;
    }

    Registration hear(TupleSpace space) {
        return space.on(JOBS, EnumSet.of(EventKind.WRITTEN), event -> heard.add(event.tuple().number()));
    }

    int next() throws InterruptedException {
        Integer next = heard.poll(60, TimeUnit.SECONDS);
        return next == null ? -1 : next;
    }

    static Job job(int number) {
        return new Job(number, "new", null);
    }

    @Test
    void aCallerThatWaitsGetsTheTupleOfAnotherProcess() {
        try (TupleSpace one = open(); TupleSpace other = open()) {
            for (int i = 0; i < 3; i++) {
                CompletableFuture<Result<Job>> waiting = one.takeAsync(JOBS, EVER);
                other.write(job(i));
                assertThat(waiting).succeedsWithin(LONG).isEqualTo(new Result.Found<>(job(i)));
            }
        }
    }

    @Test
    void eventsOfOtherProcessesComeOnceAndInTheirOrder() throws Exception {
        try (TupleSpace one = open(); TupleSpace other = open(); TupleSpace third = open()) {
            other.write(job(-1));
            hear(one);
            for (int i = 0; i < 20; i++) {
                (i % 2 == 0 ? other : third).write(job(i));
            }
            other.atomically(tuples -> {
                tuples.write(job(20));
                return tuples.writeAll(IntStream.range(21, 3000).mapToObj(WatchersContract::job).toList(),
                        Lease.FOREVER);
            });
            Map<Integer, List<Integer>> all = new TreeMap<>();
            for (int i = 0; i < 3000; i++) {
                int number = next();
                all.computeIfAbsent(partition(job(number)), none -> new ArrayList<>()).add(number);
            }
            assertThat(all)
                    .isEqualTo(IntStream.range(0, 3000).boxed().collect(Collectors.groupingBy(i -> partition(job(i)))));
        }
    }

    @Test
    void aNewWatcherIsNotNotifiedOfEarlierWrites() throws Exception {
        try (TupleSpace space = open(); TupleSpace writer = open()) {
            hear(space).close();
            writer.write(job(1));
            hear(space);
            writer.write(job(2));
            assertThat(next()).isEqualTo(2);
        }
    }

    @Test
    void aTupleThatOneProcessReadsInATransactionIsNotTakenByAnother() throws Exception {
        try (TupleSpace space = open(); TupleSpace other = open(); Transaction reading = space.begin(LONG)) {
            space.write(job(1));
            assertThat(reading.read(JOBS, NOW).isFound()).isTrue();
            assertThat(other.take(JOBS, NOW)).isEqualTo(new Result.Locked<>());
            CompletableFuture<Result<Job>> waiting = other.takeAsync(JOBS, EVER);
            reading.commit();
            assertThat(waiting).succeedsWithin(LONG).isEqualTo(new Result.Found<>(job(1)));
        }
    }

    @Test
    void aCallerThatWaitsForHeldTuplesTakesOneOfThoseThatAnotherProcessGivesBack() throws Exception {
        try (TupleSpace one = open(); TupleSpace other = open()) {
            other.writeAll(List.of(job(1), job(2)), Lease.FOREVER);
            for (int left = 1; left >= 0; left--) {
                CompletableFuture<Result<Job>> waiting;
                try (Transaction holding = other.begin(LONG)) {
                    assertThat(holding.takeAll(JOBS, 2)).hasSize(left + 1);
                    waiting = one.takeIfExistsAsync(JOBS, EVER);
                    assertThat(waiting).isNotDone();
                }
                assertThat(waiting).succeedsWithin(LONG).extracting(Result::isFound).isEqualTo(true);
                assertThat(one.count(JOBS)).isEqualTo(left);
            }
        }
    }

    @Test
    void noTupleIsTakenTwiceByManyProcesses() throws Exception {
        int count = 300;
        Set<Integer> taken = ConcurrentHashMap.newKeySet();
        Set<Integer> doubles = ConcurrentHashMap.newKeySet();
        Set<Integer> undone = ConcurrentHashMap.newKeySet();
        List<TupleSpace> spaces = List.of(open(), open(), open(), open());
        List<FutureTask<Boolean>> takers = IntStream.range(0, 4).mapToObj(i -> new FutureTask<>(() -> {
            while (taken.size() < count) {
                Job job = i % 2 == 0 ? taken(spaces.get(i)) : takenInTransaction(spaces.get(i), undone);
                if (job != null && !taken.add(job.number())) {
                    doubles.add(job.number());
                }
            }
            return true;
        })).toList();
        takers.forEach(taker -> Thread.ofPlatform().daemon().start(taker));
        for (int i = 0; i < count; i++) {
            spaces.get(i % 4).write(job(i));
        }
        for (FutureTask<Boolean> taker : takers) {
            assertThat(taker.get(60, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(doubles).isEmpty();
        assertThat(undone).isNotEmpty();
        assertThat(spaces.getFirst().count(JOBS)).isZero();
        spaces.forEach(TupleSpace::close);
    }

    private static @Nullable Job taken(TupleSpace space) throws InterruptedException {
        return space.take(JOBS, Duration.ofMillis(20)).tuple().orElse(null);
    }

    /** Undoes the first take of each tuple. */
    private static @Nullable Job takenInTransaction(TupleSpace space, Set<Integer> undone) throws InterruptedException {
        try (Transaction transaction = space.begin(LONG)) {
            Job job = transaction.take(JOBS, Duration.ofMillis(20)).tuple().orElse(null);
            if (job != null && !undone.add(job.number())) {
                transaction.commit();
                return job;
            }
            return null;
        }
    }
}
