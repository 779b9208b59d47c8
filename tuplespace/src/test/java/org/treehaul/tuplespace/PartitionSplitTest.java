// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.core.testing.InMemory;
import org.treehaul.tuplespace.Shapes.Circle;
import org.treehaul.tuplespace.Shapes.Job;
import org.treehaul.tuplespace.memory.MemoryStore;
import org.treehaul.tuplespace.partition.PartitionOptions;
import org.treehaul.tuplespace.partition.PartitionedStore;
import org.treehaul.tuplespace.postgresql.PostgresProvider;
import org.treehaul.tuplespace.sqlite.SqliteProvider;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.StoreListener;
import org.treehaul.tuplespace.tuple.Aggregate;

/** Splits of partitions lose no tuple and double none while other processes use the space or die. */
class PartitionSplitTest {
    private static final Duration NOW = Duration.ZERO;
    private static final Duration LONG = Duration.ofSeconds(60);
    /** Longer than the leases of splits and commits. */
    private static final Duration LEASES = Duration.ofSeconds(61);
    private static final int JOBS = 12;
    /** The test over a server tries one in so many steps; a campaign tries all. */
    private static final int FEW = 10;

    private final FakeClock clock = new FakeClock();
    private final SpaceOptions options = SpaceOptions.defaults().clock(clock);

    @TempDir(factory = InMemory.class)
    Path directory;

    private final Map<Path, List<SpaceUri>> schemas = new HashMap<>();
    private int opened;
    private boolean isInPostgres;
    private boolean isEachStep;

    @SuppressWarnings("NullAway") // set by JUnit
    PartitionSplitTest() {}

    /** An open space over several stores. */
    private static final class Opened implements AutoCloseable {
        final List<Store> stores = new ArrayList<>();
        @SuppressWarnings("NullAway") // set when opened
        PartitionedStore store;
        final TupleSpace space;

        @SuppressWarnings("NullAway")
        Opened(int first, List<Function<StoreListener, Store>> openers, SpaceOptions options,
                UnaryOperator<Store> wrapper) {
            List<Function<StoreListener, Store>> wrapped = new ArrayList<>();
            for (Function<StoreListener, Store> opener : openers) {
                wrapped.add(listener -> {
                    Store own = opener.apply(listener);
                    stores.add(own);
                    return wrapper.apply(own);
                });
            }
            space = Space.over(listener -> {
                store = PartitionedStore.open(wrapped, PartitionOptions.ofFirst(first), options.store(), listener);
                return store;
            }, options);
        }

        Set<Job> jobs() {
            try (Stream<Job> all = space.contents(SpaceFixture.JOBS)) {
                Set<Job> jobs = new HashSet<>();
                all.forEach(job -> assertThat(jobs.add(job)).as("%s once", job).isTrue());
                return jobs;
            }
        }

        /** Closes the stores as the end of the process does. */
        void die() {
            try {
                space.close();
            } catch (Intruder.Death e) {
                // A dead process closes nothing.
            }
            stores.forEach(Store::close);
        }

        @Override
        public void close() {
            space.close();
        }
    }

    private Opened inMemory(int first, int stores) {
        return inMemory(first, stores, -1, store -> store);
    }

    /** Returns a space of which one store is wrapped. */
    private Opened inMemory(int first, int stores, int wrapped, UnaryOperator<Store> wrapper) {
        return new Opened(first,
                IntStream.range(0, stores).<Function<StoreListener, Store>>mapToObj(number -> listener -> {
                    Store store = new MemoryStore(options.store(), listener);
                    return number == wrapped ? wrapper.apply(store) : store;
                }).toList(), options, store -> store);
    }

    private Opened inFiles(int first, Path at, int stores, SpaceOptions with, UnaryOperator<Store> wrapper) {
        return new Opened(first,
                IntStream.range(0, stores)
                        .<Function<StoreListener, Store>>mapToObj(number -> listener -> new SqliteProvider()
                                .open(SpaceUri.of(at.resolve("p" + number)), with.store(), listener))
                        .toList(),
                with, wrapper);
    }

    /** Keeps partitions in a server; a place names the same schemas each time. */
    private Opened inPostgres(int first, Path at, int stores, SpaceOptions with, UnaryOperator<Store> wrapper) {
        List<SpaceUri> own = schemas.computeIfAbsent(at,
                none -> IntStream.range(0, stores).mapToObj(number -> PostgresServer.shared().fresh()).toList());
        return new Opened(first,
                own.stream()
                        .<Function<StoreListener, Store>>map(
                                uri -> listener -> new PostgresProvider().open(uri, with.store(), listener))
                        .toList(),
                with, wrapper);
    }

    private Opened inStores(int first, Path at, int stores, SpaceOptions with, UnaryOperator<Store> wrapper) {
        return isInPostgres ? inPostgres(first, at, stores, with, wrapper) : inFiles(first, at, stores, with, wrapper);
    }

    private static Set<Job> write(TupleSpace space, int from, int number) {
        List<Job> jobs = IntStream.range(from, from + number).mapToObj(i -> new Job(i, "new", null)).toList();
        space.writeAll(jobs, Lease.FOREVER);
        return Set.copyOf(jobs);
    }

    @Test
    void splitsSpreadTheTuplesWhoseLeasesAndWaitersGoOn() throws Exception {
        try (Opened all = inMemory(1, 8)) {
            Set<Job> jobs = Set.copyOf(IntStream.range(0, 400).mapToObj(i -> new Job(i, "new", null)).toList());
            all.space.writeAll(jobs, LONG);
            Lease kept = all.space.write(new Circle("kept", 1), LONG);
            List<Lease> cancelled = all.space
                    .writeAll(IntStream.range(0, 20).mapToObj(i -> new Circle("c" + i, i)).toList(), LONG);
            var waiting = all.space.takeAsync(SpaceFixture.CIRCLES.equal("name", "later"), LONG);
            assertThat(List.of(all.store.split(0), all.store.split(0), all.store.split(1), all.store.split(0),
                    all.store.split(3))).containsExactly(1, 2, 3, 4, 7);
            assertThat(all.store.active()).containsExactly(0, 1, 2, 3, 4, 7);
            assertThat(all.jobs()).isEqualTo(jobs);
            for (int number : all.store.active()) {
                long own = (Long) all.stores.get(number)
                        .aggregate(SpaceFixture.JOBS, List.of(), List.of(Aggregate.count()), Store.NONE)
                        .getFirst()
                        .values()
                        .getFirst();
                assertThat(own).as("partition %s", number).isBetween(20L, 140L);
            }
            for (Job job : jobs) {
                assertThat(all.space.read(SpaceFixture.numbered(job.number()), NOW).orElseThrow()).isEqualTo(job);
            }
            cancelled.forEach(Lease::cancel);
            SpaceFixture.reason(Reason.UNKNOWN_LEASE, () -> cancelled.getFirst().cancel());
            clock.pass(Duration.ofSeconds(50));
            kept.renew(LONG);
            clock.pass(Duration.ofSeconds(50));
            assertThat(all.jobs()).isEmpty();
            try (Stream<Circle> circles = all.space.contents(SpaceFixture.CIRCLES)) {
                assertThat(circles).containsExactly(new Circle("kept", 1));
            }
            all.space.write(new Circle("later", 1));
            assertThat(waiting).succeedsWithin(LONG).extracting(Result::isFound).isEqualTo(true);
        }
    }

    @Test
    void aSplitIsNoEventAndAPartitionThatIsUsedIsNotSplit() throws Exception {
        SpaceOptions impatient = SpaceOptions.defaults().clock(clock).patience(Duration.ZERO);
        Path at = directory.resolve("events");
        try (Opened all = inFiles(1, at, 3, impatient, store -> store);
                Opened other = inFiles(1, at, 3, options, store -> store)) {
            Set<Job> jobs = write(all.space, 0, JOBS);
            AtomicInteger events = new AtomicInteger();
            all.space.on(SpaceFixture.JOBS, Set.of(EventKind.values()), LONG, event -> events.incrementAndGet());
            List<String> elsewhere = new CopyOnWriteArrayList<>();
            other.space.on(SpaceFixture.JOBS, Set.of(EventKind.values()), LONG,
                    event -> elsewhere.add(event.kind() + " " + event.tuple().number()));
            try (Transaction using = all.space.begin(LONG)) {
                using.read(SpaceFixture.numbered(1), NOW);
                SpaceFixture.reason(Reason.BUSY, () -> all.store.split(0));
            }
            assertThat(all.store.split(0)).isEqualTo(1);
            assertThat(all.store.split(0)).isEqualTo(2);
            SpaceFixture.reason(Reason.ABSENT, () -> all.store.split(1));
            SpaceFixture.reason(Reason.ABSENT, () -> all.store.split(3));
            assertThat(all.jobs()).isEqualTo(jobs);
            // The end of the read lock is one.
            assertThat(events.get()).isLessThanOrEqualTo(1);
            var waiting = other.space.takeAsync(SpaceFixture.numbered(1), LONG);
            assertThat(waiting).succeedsWithin(LONG);
            all.space.write(new Job(1, "last", null));
            Awaitility.await().until(() -> elsewhere.contains("WRITTEN 1"));
            // Those of the split would have come before.
            assertThat(elsewhere).allMatch(event -> event.endsWith(" 1"));
            jobs = new HashSet<>(jobs);
            jobs.remove(new Job(1, "new", null));
            jobs.add(new Job(1, "last", null));
            assertThat(all.space.takeAll(SpaceFixture.JOBS, 99)).hasSameElementsAs(jobs);
        }
    }

    @Test
    void aProcessWithAnOldMapFindsWhatHasMoved() throws Exception {
        Path at = directory.resolve("old");
        try (Opened one = inFiles(1, at, 4, options, store -> store);
                Opened old = inFiles(1, at, 4, options, store -> store)) {
            Set<Job> jobs = write(one.space, 0, 40);
            assertThat(old.jobs()).isEqualTo(jobs);
            one.store.split(0);
            one.store.split(0);
            one.store.split(1);
            for (Job job : jobs) {
                assertThat(old.space.read(SpaceFixture.numbered(job.number()), NOW).isFound()).as("%s", job).isTrue();
            }
            assertThat(old.store.active()).containsExactly(0, 1, 2, 3);
        }
        try (Opened one = inFiles(1, at, 4, options, store -> store);
                Opened old = inFiles(1, at, 5, options, store -> store)) {
            Set<Job> jobs = one.jobs();
            assertThat(old.store.split(0)).isEqualTo(4);
            assertThat(old.jobs()).hasSize(40).isEqualTo(jobs);
            assertThatExceptionOfType(SpaceException.class).isThrownBy(one::jobs)
                    .withMessageContaining("partition 4 is missing");
        }
    }

    /**
     * Makes a change of a space of 12 jobs with something at each step of it; then its process dies, and others check.
     */
    private void atEachStep(int first, Consumer<Opened> change, BiFunction<Integer, Path, Intruder> intruder,
            Consumer<Path> reads, Consumer<Opened> check) {
        int calls = 0;
        int at = 0;
        do {
            Path here = directory.resolve("step" + opened++);
            try (Opened before = inStores(first, here, 2, options, store -> store)) {
                write(before.space, 0, JOBS);
            }
            Intruder own = intruder.apply(at, here);
            Opened dying = inStores(first, here, 2, options, own::around);
            int begin = own.calls();
            try {
                change.accept(dying);
            } catch (Intruder.Death | SpaceException e) {
                // The check shows what has been done.
            }
            dying.die();
            if (at == 0) {
                calls = own.calls();
                at = begin;
                assertThat(calls).isGreaterThan(begin + 9);
            }
            reads.accept(here);
            clock.pass(LEASES);
            try (Opened after = inStores(first, here, 2, options, store -> store)) {
                after.space.sweep();
                check.accept(after);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("at step " + at + " of " + begin + " to " + calls, e);
            }
            at += isInPostgres && !isEachStep && at > 0 ? FEW : 1;
        } while (at <= calls);
    }

    /** All tuples can be read before any lease has ended. */
    private void readAtOnce(Path here) {
        try (Opened after = inStores(1, here, 2, options, store -> store)) {
            assertThat(after.jobs()).hasSize(JOBS);
        }
    }

    private static void checkSplit(Opened after) {
        Set<Job> jobs = after.jobs();
        assertThat(jobs).hasSize(JOBS);
        if (after.store.active().size() == 1) {
            assertThat(after.store.split(0)).isEqualTo(1);
        }
        assertThat(after.jobs()).isEqualTo(jobs);
        assertThat(after.space.takeAll(SpaceFixture.JOBS, 99)).hasSize(JOBS).hasSameElementsAs(jobs);
    }

    @Test
    void aProcessThatDiesBeforeAnyStepOfASplitLosesAndDoublesNothing() {
        atEachStep(1, all -> all.store.split(0), (at, here) -> Intruder.killing(at, false), this::readAtOnce,
                PartitionSplitTest::checkSplit);
    }

    @Test
    @Tag("campaign")
    void aProcessThatDiesAfterAnyStepOfASplitLosesAndDoublesNothing() {
        atEachStep(1, all -> all.store.split(0), (at, here) -> Intruder.killing(at, true), this::readAtOnce,
                PartitionSplitTest::checkSplit);
    }

    private void killInPostgres(boolean isAll, boolean isAfter) {
        isInPostgres = true;
        isEachStep = isAll;
        atEachStep(1, all -> all.store.split(0), (at, here) -> Intruder.killing(at, isAfter), this::readAtOnce,
                PartitionSplitTest::checkSplit);
    }

    @Test
    void aProcessThatDiesBeforeSomeStepsOfASplitInPostgresLosesAndDoublesNothing() {
        killInPostgres(false, false);
    }

    @Test
    @Tag("campaign")
    void aProcessThatDiesBeforeOrAfterAnyStepOfASplitInPostgresLosesAndDoublesNothing() {
        killInPostgres(true, false);
        killInPostgres(true, true);
    }

    @Test
    void aSplitThatAnotherOvertakesAtAnyStepLosesAndDoublesNothing() {
        atEachStep(1, all -> all.store.split(0), (at, here) -> new Intruder(at, false, () -> {
            clock.pass(LEASES);
            try (Opened other = inFiles(1, here, 2, options.patience(Duration.ZERO), store -> store)) {
                other.store.split(0);
                assertThat(other.space.takeAll(SpaceFixture.numbered(3), 1)).hasSize(1);
                write(other.space, 3, 1);
            } catch (SpaceException busy) {
                // The first one has done it already, or is in a step that keeps others out.
            }
        }), here -> {
        }, PartitionSplitTest::checkSplit);
    }

    @Test
    void aWriteOverSeveralPartitionsWhoseProcessDiesAtAnyStepIsWholeOrAbsent() {
        atEachStep(2, all -> write(all.space, 100, 20), (at, here) -> Intruder.killing(at, true), here -> {
        }, after -> {
            assertThat(after.jobs().size()).isIn(JOBS, JOBS + 20);
            assertThat(after.space.takeAll(SpaceFixture.JOBS, 99)).hasSizeGreaterThanOrEqualTo(JOBS);
            assertThat(after.jobs()).isEmpty();
        });
    }

    private void failAtEachStep(boolean isAfter, boolean isLasting) {
        AtomicBoolean isAcknowledged = new AtomicBoolean();
        atEachStep(2, all -> {
            isAcknowledged.set(false);
            write(all.space, 100, 20);
            isAcknowledged.set(true);
        }, (at, here) -> Intruder.failing(at, isAfter, isLasting), here -> {
        }, after -> {
            int jobs = after.jobs().size();
            assertThat(jobs).isIn(isAcknowledged.get() ? JOBS + 20 : JOBS, JOBS + 20);
            assertThat(after.space.takeAll(SpaceFixture.JOBS, 99)).hasSize(jobs);
        });
    }

    @Test
    @Tag("rig")
    void aWriteOverSeveralPartitionsIsWholeOrAbsentWhicheverStepFails() {
        failAtEachStep(false, false);
    }

    @Test
    @Tag("campaign")
    void aWriteOverSeveralPartitionsIsWholeOrAbsentWhicheverStepFailsAfterItsWork() {
        failAtEachStep(true, false);
    }

    @Test
    @Tag("campaign")
    void aWriteOverSeveralPartitionsIsWholeOrAbsentIfStoresCannotBeReachedFromAnyStepOn() {
        failAtEachStep(false, true);
        failAtEachStep(true, true);
    }

    @Test
    @Tag("rig")
    void aProcessWithAnOldMapCompletesTheCommitOfADeadOneInAllPartitions() {
        List<Opened> old = new ArrayList<>();
        atEachStep(1, all -> write(all.space, 100, 20), (at, here) -> {
            old.add(inFiles(1, here, 2, options, store -> store));
            try (Opened splitting = inFiles(1, here, 2, options, store -> store)) {
                splitting.store.split(0);
            }
            return Intruder.killing(at, true);
        }, here -> {
            clock.pass(LEASES);
            try (Opened last = old.removeLast()) {
                last.space.sweep();
            }
        }, after -> assertThat(after.jobs().size()).isIn(JOBS, JOBS + 20));
    }

    @Test
    void aTupleWhoseLeaseIsRenewedAfterItWasCopiedOutlivesTheSplit() throws Exception {
        List<Lease> leases = new ArrayList<>();
        Intruder renewing = Intruder.of("writeWhile", 1, true, () -> {
            leases.forEach(lease -> lease.renew(LONG));
            // Less than the lease of the split, and more than those of the copies.
            clock.pass(Duration.ofSeconds(20));
        });
        try (Opened all = inMemory(1, 2, 1, renewing::around)) {
            List<Job> jobs = IntStream.range(0, 40).mapToObj(i -> new Job(i, "new", null)).toList();
            leases.addAll(all.space.writeAll(jobs, Duration.ofSeconds(10)));
            assertThat(all.store.split(0)).isEqualTo(1);
            assertThat(all.jobs()).hasSameElementsAs(jobs);
            for (Lease lease : leases) {
                lease.renew(LONG);
            }
            clock.pass(Duration.ofSeconds(50));
            assertThat(all.jobs()).hasSameElementsAs(jobs);
        }
    }

    /** Renews and cancels most leases while the first portion is copied; the renewals of its lease keep the split. */
    private void followsLeases(BiFunction<Integer, UnaryOperator<Store>, Opened> opener) {
        int number = 7000;
        List<Lease> leases = new ArrayList<>();
        Intruder changing = Intruder.of("writeWhile", 4, true, () -> {
            leases.subList(0, 6000).forEach(Lease::cancel);
            leases.subList(6000, number).forEach(lease -> lease.renew(LONG.multipliedBy(9)));
        });
        // More than the lease of the split, if each portion did not renew it.
        Intruder cancelling = Intruder.of("cancelAll", 2, true, () -> clock.pass(Duration.ofSeconds(20)));
        Intruder renewing = Intruder.of("renewAll", 1, true, () -> clock.pass(Duration.ofSeconds(20)));
        Intruder single = Intruder.of("cancel", 0, false, () -> {
        });
        Intruder renewal = Intruder.of("renew", 0, false, () -> {
        });
        try (Opened all = opener.apply(1,
                store -> single.around(renewal.around(changing.around(cancelling.around(renewing.around(store))))))) {
            leases.addAll(all.space.writeAll(IntStream.range(0, number).mapToObj(i -> new Job(i, "new", null)).toList(),
                    LONG.multipliedBy(5)));
            assertThat(all.store.split(0)).isEqualTo(1);
            assertThat(cancelling.calls()).isBetween(2, 4);
            assertThat(renewing.calls()).isBetween(1, 2);
            assertThat(single.calls() + renewal.calls()).isZero();
            Set<Job> left = Set.copyOf(IntStream.range(6000, number).mapToObj(i -> new Job(i, "new", null)).toList());
            assertThat(all.jobs()).isEqualTo(left);
            clock.pass(LONG.multipliedBy(7));
            assertThat(all.jobs()).isEqualTo(left);
            clock.pass(LONG.multipliedBy(3));
            assertThat(all.jobs()).isEmpty();
        }
    }

    @Test
    void leasesThatChangeDuringASplitAreFollowedInFewSteps() {
        followsLeases((wrapped, wrapper) -> inMemory(1, 2, wrapped, wrapper));
        Path at = directory.resolve("leases");
        followsLeases((wrapped, wrapper) -> {
            int[] number = {0};
            return inFiles(1, at, 2, options, store -> number[0]++ == wrapped ? wrapper.apply(store) : store);
        });
    }

    @Test
    void aTupleWhoseLeaseEndsDuringASplitIsReportedOnce() {
        Path at = directory.resolve("expiring");
        int[] number = {0};
        Intruder passing = Intruder.of("writeWhile", 1, true, () -> clock.pass(Duration.ofSeconds(15)));
        Intruder late = Intruder.of("remove", 4, false, () -> clock.pass(Duration.ofSeconds(10)));
        Intruder last = Intruder.of("remove", 4, true, () -> clock.pass(Duration.ofSeconds(10)));
        try (Opened all = inFiles(1, at, 2, options,
                store -> number[0]++ == 0 ? late.around(last.around(store)) : passing.around(store))) {
            List<Integer> expired = new CopyOnWriteArrayList<>();
            all.space.on(SpaceFixture.JOBS, Set.of(EventKind.EXPIRED), LONG,
                    event -> expired.add(event.tuple().number()));
            for (int i = 0; i < 3; i++) {
                // The second ones end before the step that takes the tuples, the third ones after it.
                Duration lease = Duration.ofSeconds(10 + 10 * i);
                all.space.writeAll(
                        IntStream.range(i * 20, i * 20 + 20).mapToObj(job -> new Job(job, "new", null)).toList(),
                        lease);
            }
            assertThat(all.store.split(0)).isEqualTo(1);
            assertThat(all.jobs()).isEmpty();
            all.space.sweep();
            all.stores.forEach(Store::sweep);
            all.space.write(new Job(99, "last", null), Duration.ofSeconds(1));
            clock.pass(Duration.ofSeconds(2));
            all.space.sweep();
            Awaitility.await().until(() -> expired.contains(99));
            assertThat(expired).doesNotHaveDuplicates().hasSize(61);
        }
    }

    @Test
    void workThatKeepsOthersOutForLongerThanItsLeaseIsUndoneWithAnError() {
        try (Opened all = inMemory(2, 2)) {
            assertThatExceptionOfType(SpaceException.class).isThrownBy(() -> all.space.atomically(inside -> {
                inside.writeAll(List.of(new Job(1, "new", null), new Job(2, "new", null)), Lease.FOREVER);
                clock.pass(LEASES);
                return inside;
            })).satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.TRANSACTION_ENDED));
            assertThat(all.jobs()).isEmpty();
            Set<Job> jobs = write(all.space, 0, 10);
            assertThat(all.jobs()).isEqualTo(jobs);
        }
    }

    @Test
    void aLeaseThatEndsInTheLastStepDoesNotStopASplit() {
        // The first three make the space.
        Intruder late = Intruder.of("remove", 4, false, () -> clock.pass(LEASES));
        try (Opened all = inMemory(1, 2, 0, late::around)) {
            Set<Job> jobs = write(all.space, 0, 40);
            all.space.writeAll(IntStream.range(100, 140).mapToObj(i -> new Job(i, "leased", null)).toList(), LONG);
            assertThat(all.store.split(0)).isEqualTo(1);
            assertThat(all.jobs()).isEqualTo(jobs);
        }
    }

    @Test
    @Tag("rig")
    void aProcessWhoseClockIsAnHourAheadMakesNoWriteOverSeveralPartitionsPartial() {
        SpaceOptions ahead = SpaceOptions.defaults()
                .clock(() -> clock.instant().plus(Duration.ofHours(1)))
                .patience(Duration.ZERO);
        atEachStep(2, all -> write(all.space, 100, 20), (at, here) -> new Intruder(at, false, () -> {
            try (Opened other = inFiles(2, here, 2, ahead, store -> store)) {
                assertThat(other.stores).hasSize(2);
            } catch (SpaceException busy) {
                // The first one is in a step that keeps others out.
            }
        }), here -> {
        }, after -> assertThat(after.jobs().size()).isIn(JOBS, JOBS + 20));
    }

    @Test
    void threadsWriteAndTakeWhilePartitionsAreSplit() throws Exception {
        try (Opened all = inMemory(1, 8)) {
            Set<Integer> taken = ConcurrentHashMap.newKeySet();
            List<Thread> threads = new ArrayList<>();
            List<Throwable> failures = new CopyOnWriteArrayList<>();
            for (int i = 0; i < 2; i++) {
                int first = i * 10_000;
                threads.add(Thread.ofPlatform().unstarted(() -> {
                    for (int job = first; job < first + 3000; job++) {
                        all.space.write(new Job(job, "new", null));
                    }
                }));
                threads.add(Thread.ofPlatform().unstarted(() -> {
                    for (int job = first; job < first + 3000; job++) {
                        try {
                            assertThat(taken.add(all.space.take(SpaceFixture.JOBS, LONG).orElseThrow().number()))
                                    .isTrue();
                        } catch (InterruptedException e) {
                            throw new IllegalStateException(e);
                        }
                    }
                }));
            }
            threads.forEach(thread -> thread.setUncaughtExceptionHandler((failed, e) -> failures.add(e)));
            threads.forEach(Thread::start);
            for (int partition : new int[]{0, 0, 1, 0, 1, 2, 3}) {
                all.store.split(partition);
            }
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(failures).isEmpty();
            assertThat(taken).hasSize(6000);
            assertThat(all.jobs()).isEmpty();
        }
    }
}
