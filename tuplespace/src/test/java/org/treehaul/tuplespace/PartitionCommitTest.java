// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.treehaul.tuplespace.Shapes.Job;
import org.treehaul.tuplespace.memory.MemoryStore;
import org.treehaul.tuplespace.partition.PartitionOptions;
import org.treehaul.tuplespace.partition.PartitionedStore;
import org.treehaul.tuplespace.partition.Placement;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.Store;

/** Commits of partitions of which some do not answer for a while. */
class PartitionCommitTest {
    private static final int PARTITIONS = 2;

    private final AtomicInteger failures = new AtomicInteger();
    private TupleSpace space;

    @SuppressWarnings("NullAway") // set before each test
    PartitionCommitTest() {}

    @BeforeEach
    void open() {
        SpaceOptions options = SpaceOptions.defaults();
        Thread tester = Thread.currentThread();
        Intruder failing = Intruder.always(() -> {
            // The thread that sweeps makes calls too.
            int left = Thread.currentThread().equals(tester) ? failures.getAndDecrement() : 0;
            if (left > 0) {
                throw new SpaceException(SpaceException.Reason.IO, "no answer, " + left);
            }
        });
        space = Space.over(listener -> PartitionedStore.open(
                Collections.nCopies(PARTITIONS,
                        collector -> failing.around(new MemoryStore(options.store(), collector))),
                PartitionOptions.ofFirst(PARTITIONS), options.store(), listener), options);
    }

    private static Job job(int partition) {
        return IntStream.iterate(0, number -> number + 1)
                .mapToObj(number -> new Job(number, "new", null))
                .filter(job -> Placement.of(job, "number", PARTITIONS) == partition)
                .findFirst()
                .orElseThrow();
    }

    /** Asserts that tuples which a transaction of some partitions has taken are back after its commit has failed. */
    private void isUndone(int partitions, int failing, Consumer<Transaction> after) throws Exception {
        List<Job> jobs = IntStream.range(0, partitions).mapToObj(PartitionCommitTest::job).toList();
        space.writeAll(jobs, Lease.FOREVER);
        try (TupleSpace all = space) {
            Transaction transaction = all.begin(Lease.FOREVER);
            for (Job job : jobs) {
                assertThat(transaction.take(SpaceFixture.numbered(job.number()), Duration.ZERO).isFound()).isTrue();
            }
            failures.set(failing);
            assertThatExceptionOfType(SpaceException.class).isThrownBy(transaction::commit)
                    .withMessage("no answer, " + failing);
            failures.set(0);
            after.accept(transaction);
            assertThat(all.takeAll(SpaceFixture.JOBS, 9)).containsExactlyInAnyOrderElementsOf(jobs);
            SpaceFixture.reason(SpaceException.Reason.TRANSACTION_ENDED, transaction::commit);
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 1"})
    void aTransactionWhoseCommitFailsIsUndoneAtOnce(int partitions, int failing) throws Exception {
        isUndone(partitions, failing, transaction -> {
        });
    }

    @ParameterizedTest
    @CsvSource({"1, 2", "2, 2", "2, 3"})
    void aTransactionThatCannotBeUndoneAtOnceIsUndoneWhenItIsClosed(int partitions, int failing) throws Exception {
        isUndone(partitions, failing, Transaction::close);
    }

    @ParameterizedTest
    @CsvSource({"1, 2", "2, 2", "2, 3"})
    void aTransactionThatCannotBeUndoneAtOnceIsUndoneByTheSweep(int partitions, int failing) throws Exception {
        isUndone(partitions, failing, transaction -> space.sweep());
    }

    /** Returns a space over one partition for which more than a minute passes in the first removal. */
    private static TupleSpace slow() {
        FakeClock clock = new FakeClock();
        SpaceOptions options = SpaceOptions.defaults().clock(clock);
        // The founding of the space has removed three times.
        Intruder slow = Intruder.of("remove", 4, true, () -> clock.pass(Duration.ofSeconds(61)));
        return Space.over(listener -> PartitionedStore.open(
                List.of(collector -> slow.around(new MemoryStore(options.store(), collector))),
                PartitionOptions.ofFirst(1), options.store(), listener), options);
    }

    @Test
    void aRemovalThatTakesLongerThanTheLeaseOfAChangeIsMade() {
        List<Job> jobs = IntStream.range(0, 70_000).mapToObj(number -> new Job(number, "new", null)).toList();
        try (TupleSpace slow = slow()) {
            slow.writeAll(jobs, Lease.FOREVER);
            assertThat(slow.remove(SpaceFixture.JOBS)).isEqualTo(jobs.size());
            assertThat(slow.count(SpaceFixture.JOBS)).isZero();
        }
        try (TupleSpace slow = slow()) {
            slow.writeAll(jobs, Lease.FOREVER);
            long removed = slow.atomically(alone -> alone.remove(SpaceFixture.JOBS));
            assertThat(removed).isEqualTo(jobs.size());
            assertThat(slow.count(SpaceFixture.JOBS)).isZero();
        }
    }

    @Test
    void aPartThatCouldNotBeAbortedIsAbortedByTheSweep() throws Exception {
        Set<Object> open = ConcurrentHashMap.newKeySet();
        AtomicInteger failing = new AtomicInteger();
        SpaceOptions options = SpaceOptions.defaults();
        try (TupleSpace one = Space.over(listener -> PartitionedStore.open(
                List.of(collector -> noting(new MemoryStore(options.store(), collector), open, failing)),
                PartitionOptions.ofFirst(1), options.store(), listener), options);
                Transaction transaction = one.begin(Lease.FOREVER)) {
            one.write(job(0));
            // The first call finds the tuple, and the next one begins the part of the transaction.
            failing.set(2);
            assertThatExceptionOfType(SpaceException.class)
                    .isThrownBy(() -> transaction.read(SpaceFixture.JOBS, Duration.ZERO).orElseThrow())
                    .withMessage("no answer, 2");
            assertThat(open).hasSize(1);
            one.sweep();
            assertThat(open).isEmpty();
            SpaceFixture.reason(SpaceException.Reason.TRANSACTION_ENDED, transaction::commit);
        }
    }

    /** Returns a store that notes its transactions; after one has begun, so many calls of this thread fail. */
    private static Store noting(Store store, Set<Object> open, AtomicInteger failing) {
        Thread tester = Thread.currentThread();
        return (Store) Proxy.newProxyInstance(Store.class.getClassLoader(), new Class<?>[]{Store.class},
                (proxy, method, arguments) -> {
                    boolean isFailing = !open.isEmpty() && Thread.currentThread().equals(tester);
                    int left = isFailing && failing.get() > 0 ? failing.getAndDecrement() : 0;
                    if (left > 0) {
                        throw new SpaceException(SpaceException.Reason.IO, "no answer, " + left);
                    }
                    try {
                        Object result = method.invoke(store, arguments);
                        if (method.getName().equals("begin")) {
                            open.add(result);
                        } else if (Set.of("abort", "commit").contains(method.getName())) {
                            open.remove(arguments[0]);
                        }
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
