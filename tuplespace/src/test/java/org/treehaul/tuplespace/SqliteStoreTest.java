// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.function.BiPredicate;
import java.util.function.Supplier;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.tuplespace.Shapes.Job;
import org.treehaul.tuplespace.partition.gate.Deaf;
import org.treehaul.tuplespace.store.Attempt;
import org.treehaul.tuplespace.store.Change;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.StoreListener;
import org.treehaul.tuplespace.store.StoreOptions;
import org.treehaul.tuplespace.store.StoreProviders;
import org.treehaul.tuplespace.tuple.Template;

/** A store in a file, as one of the stores of a space over several uses it. */
class SqliteStoreTest {

    @TempDir
    Path directory;

    @SuppressWarnings("NullAway") // set by JUnit
    SqliteStoreTest() {}

    private static final class Listener extends Deaf {
        private final Semaphore polls = new Semaphore(0);
        private final Queue<Change> changes = new ConcurrentLinkedQueue<>();
        private volatile boolean wantsEvents;

        @Override
        public boolean isInterested() {
            return true;
        }

        @Override
        public boolean wantsEvents() {
            return wantsEvents;
        }

        @Override
        public void changed(List<Change> some) {
            changes.addAll(some);
        }

        @Override
        public void changedElsewhere() {
            polls.release();
        }

        @Override
        public void lost() {
            throw new AssertionError("changes were lost");
        }
    }

    private Store open(StoreListener listener) {
        return open(listener, StoreOptions.defaults());
    }

    private Store open(StoreListener listener, StoreOptions options) {
        SpaceUri uri = SpaceUri.of(directory);
        return StoreProviders.of(uri).open(uri, options, listener);
    }

    private static void interest(Store store, Listener listener, boolean wantsEvents) {
        listener.wantsEvents = wantsEvents;
        store.exclusively(() -> {
            store.interestChanged();
            return true;
        });
    }

    private static void write(Store store, int number) {
        store.write(List.of(new Job(number, "new", null)), Store.NEVER, Store.NONE);
    }

    @Test
    void changesAreReadFromTheBeginningOfTheWatchOn() throws Exception {
        Listener listener = new Listener();
        Listener other = new Listener();
        try (Store store = open(listener); Store writer = open(other)) {
            interest(store, listener, true);
            interest(store, listener, false);
            // The listener of a space over several stores has a registration before each of its stores knows of it.
            listener.wantsEvents = true;
            listener.polls.drainPermits();
            write(writer, 1);
            listener.polls.acquire();
            interest(store, listener, true);
            write(writer, 2);
            Awaitility.await().until(() -> !listener.changes.isEmpty());
            assertThat(listener.changes).extracting(Change::tuple).containsExactly(new Job(2, "new", null));
        }
    }

    @Test
    void aStepThatAnotherThreadRunsFindsItsOwnRecordClasses() throws Exception {
        Map<Integer, ClassLoader> seen = new ConcurrentHashMap<>();
        Map<Integer, ClassLoader> own = new ConcurrentHashMap<>();
        try (Store store = open(new Listener())) {
            write(store, 1);
            write(store, 2);
            List<Thread> takers = List.of(1, 2).stream().map(number -> {
                Thread taker = Thread.ofPlatform()
                        .unstarted(() -> store.attempt(
                                Template.of(Job.class)
                                        .test("number", String.valueOf(number), value -> isIt(value, number, seen)),
                                true, Store.NONE));
                own.put(number, new ClassLoader(SqliteStoreTest.class.getClassLoader()) {});
                taker.setContextClassLoader(own.get(number));
                return taker;
            }).toList();
            store.exclusively(() -> {
                // Both queue, and the first to get the lock runs both steps.
                takers.forEach(Thread::start);
                takers.forEach(taker -> Awaitility.await().until(isParked(taker)::get));
                return true;
            });
            for (Thread taker : takers) {
                taker.join();
            }
            assertThat(seen).isEqualTo(own);
        }
    }

    private static boolean isIt(Object value, int number, Map<Integer, ClassLoader> seen) {
        seen.put(number, Thread.currentThread().getContextClassLoader());
        return value.equals((long) number);
    }

    private static Supplier<Boolean> isParked(Thread thread) {
        return () -> thread.getState() == Thread.State.TIMED_WAITING;
    }

    @Test
    void aTransactionEndsAlsoIfItsLeaseEndsWithinAGroupOfStepsOfWhichOneTakesItsTuple() throws Exception {
        List<BiPredicate<Store, Long>> all = List.of(Store::commit, Store::prepare,
                (store, transaction) -> store.renewTransaction(transaction, Store.NEVER));
        FakeClock clock = new FakeClock();
        Template<Job> late = SpaceFixture.JOBS.test("number", "is late", number -> {
            clock.pass(Duration.ofSeconds(10));
            return false;
        });
        try (Store store = open(new Deaf(), StoreOptions.defaults().clock(clock))) {
            for (BiPredicate<Store, Long> step : all) {
                write(store, 1);
                long transaction = store.begin(clock.millis() + 10_000);
                assertThat(isTaken(store, SpaceFixture.JOBS, transaction)).isTrue();
                write(store, 2);
                List<FutureTask<Boolean>> group = List.of(new FutureTask<>(() -> isTaken(store, late, Store.NONE)),
                        new FutureTask<>(() -> isTaken(store, SpaceFixture.numbered(1), Store.NONE)),
                        new FutureTask<>(() -> step.test(store, transaction)));
                store.exclusively(() -> {
                    // They queue in this order, and the first to get the lock runs all of them.
                    group.forEach(
                            one -> Awaitility.await().until(isParked(Thread.ofPlatform().daemon().start(one))::get));
                    return true;
                });
                assertThat(group.get(0).get()).isFalse();
                assertThat(group.get(1).get()).isTrue();
                assertThat(group.get(2).get()).isFalse();
                assertThat(store.commit(transaction)).isFalse();
                assertThat(store.takeAll(SpaceFixture.JOBS, 9, Store.NONE)).containsExactly(new Job(2, "new", null));
            }
        }
    }

    private static boolean isTaken(Store store, Template<Job> template, long transaction) {
        return store.attempt(template, true, transaction) instanceof Attempt.Hit;
    }
}
