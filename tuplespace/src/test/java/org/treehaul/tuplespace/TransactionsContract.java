// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.time.Duration;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.treehaul.tuplespace.Shapes.Circle;
import org.treehaul.tuplespace.Shapes.Job;
import org.treehaul.tuplespace.Shapes.Shape;
import org.treehaul.tuplespace.Shapes.Square;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.tuple.Order;
import org.treehaul.tuplespace.tuple.Template;

/** The contract of every space, with any store: transactions, and atomic work. */
abstract class TransactionsContract extends SpaceFixture {
    private static final int ACCOUNTS = 5;

    @Test
    void writesAreInvisibleOutsideUntilTheCommit() throws Exception {
        try (Transaction transaction = space.begin(LONG)) {
            transaction.write(new Circle("a", 1));
            assertThat(transaction.read(CIRCLES, NOW).isFound()).isTrue();
            assertThat(transaction.count(CIRCLES)).isEqualTo(1);
            assertThat(space.count(CIRCLES)).isZero();
            assertThat(space.readIfExists(CIRCLES, LONG)).isEqualTo(new Result.Empty<>());
            CompletableFuture<Result<Circle>> waiting = space.readAsync(CIRCLES, LONG);
            transaction.commit();
            assertThat(waiting).succeedsWithin(LONG).isEqualTo(new Result.Found<>(new Circle("a", 1)));
        }
        assertThat(space.count(CIRCLES)).isEqualTo(1);
    }

    @Test
    void tuplesWrittenAndTakenInOneTransactionAreNeverVisible() throws Exception {
        try (Transaction transaction = space.begin(LONG)) {
            transaction.write(new Circle("a", 1));
            assertThat(transaction.take(CIRCLES, NOW).isFound()).isTrue();
            assertThat(transaction.take(CIRCLES, NOW).isFound()).isFalse();
            transaction.commit();
        }
        assertThat(space.count(CIRCLES)).isZero();
    }

    @Test
    void closingATransactionRestoresTakenTuplesAndDropsWrittenOnes() throws Exception {
        space.write(new Circle("a", 1));
        try (Transaction transaction = space.begin(LONG)) {
            assertThat(transaction.take(CIRCLES, NOW).isFound()).isTrue();
            assertThat(transaction.take(CIRCLES, NOW).isFound()).isFalse();
            transaction.write(new Circle("b", 2));
            assertThat(space.count(CIRCLES)).isZero();
        }
        assertThat(space.contents(CIRCLES)).containsExactly(new Circle("a", 1));
    }

    @Test
    void aReadLockAllowsReadsAndBlocksTakesOfOthers() throws Exception {
        space.write(new Circle("a", 1));
        Transaction one = space.begin(LONG);
        Transaction other = space.begin(LONG);
        assertThat(one.read(CIRCLES, NOW).isFound()).isTrue();
        assertThat(other.read(CIRCLES, NOW).isFound()).isTrue();
        assertThat(space.read(CIRCLES, NOW).isFound()).isTrue();
        assertThat(space.take(CIRCLES, NOW)).isEqualTo(new Result.Locked<>());
        assertThat(one.take(CIRCLES, NOW)).isEqualTo(new Result.Locked<>());
        CompletableFuture<Result<Circle>> waiting = one.takeAsync(CIRCLES, LONG);
        other.commit();
        assertThat(waiting).succeedsWithin(LONG).extracting(Result::isFound).isEqualTo(true);
        one.commit();
        assertThat(space.count(CIRCLES)).isZero();
    }

    @Test
    void aTransactionWhoseLeaseEndsIsUndone() throws Exception {
        space.write(new Circle("a", 1));
        Transaction transaction = space.begin(Duration.ofSeconds(10));
        transaction.take(CIRCLES, NOW);
        transaction.write(new Circle("b", 1));
        CompletableFuture<Result<Circle>> waiting = transaction.takeAsync(CIRCLES.equal("name", "c"), LONG);
        clock.pass(Duration.ofSeconds(9));
        transaction.lease().renew(Duration.ofSeconds(10));
        clock.pass(Duration.ofSeconds(9));
        assertThat(space.count(CIRCLES)).isZero();
        clock.pass(Duration.ofSeconds(2));
        assertThat(space.contents(CIRCLES)).containsExactly(new Circle("a", 1));
        space.sweep();
        assertThat(waiting).failsWithin(LONG);
        assertThat(space.contents(CIRCLES)).containsExactly(new Circle("a", 1));
        reason(SpaceException.Reason.TRANSACTION_ENDED, transaction::commit);
        reason(SpaceException.Reason.TRANSACTION_ENDED, () -> transaction.write(new Circle("c", 1)));
        reason(SpaceException.Reason.UNKNOWN_LEASE, () -> transaction.lease().renew(LONG));
        transaction.close();
    }

    @Test
    void aCommittedTransactionTakesNoMore() {
        Transaction transaction = space.begin(LONG);
        transaction.commit();
        reason(SpaceException.Reason.TRANSACTION_ENDED, transaction::commit);
        reason(SpaceException.Reason.TRANSACTION_ENDED, () -> transaction.take(CIRCLES, LONG));
        transaction.close();
    }

    @Test
    void aFailedHandlerReturnsItsTuple() throws Exception {
        space.write(new Job(1, "new", null));
        assertThatIllegalArgumentException().isThrownBy(() -> space.handle(JOBS, NOW, LONG, job -> {
            assertThat(space.count(JOBS)).isZero();
            throw new IllegalArgumentException("no");
        }));
        assertThat(space.count(JOBS)).isEqualTo(1);
        assertThat(space.handle(JOBS, NOW, LONG, job -> {
        }).isFound()).isTrue();
        assertThat(space.count(JOBS)).isZero();
    }

    @Test
    void theLeaseOfAHandlerBeginsWithItsTuple() throws Exception {
        Duration lease = Duration.ofMillis(60);
        AtomicInteger looks = new AtomicInteger();
        FutureTask<Result<Job>> handling = new FutureTask<>(
                () -> space.handle(JOBS, LONG, lease, job -> clock.pass(lease.minusMillis(1))));
        Thread thread = Thread.ofPlatform().daemon().unstarted(handling);
        space.close();
        space = open(SpaceOptions.defaults().clock(() -> {
            if (Thread.currentThread().equals(thread)) {
                looks.incrementAndGet();
            }
            return clock.instant();
        }));
        thread.start();
        for (int i = 0; i < 4; i++) {
            // After twenty more reads of the clock, the space has renewed the lease after the time has passed.
            int enough = looks.get() + 20;
            Awaitility.await().atMost(LONG).until(() -> looks.get() >= enough || handling.isDone());
            clock.pass(lease.minusMillis(10));
        }
        space.write(new Job(1, "new", null));
        assertThat(handling.get(60, TimeUnit.SECONDS)).isEqualTo(new Result.Found<>(new Job(1, "new", null)));
        assertThat(space.count(JOBS)).isZero();
    }

    @Test
    void waitersOfATransactionGetTuplesWrittenInIt() {
        try (Transaction transaction = space.begin(LONG)) {
            CompletableFuture<Result<Job>> reading = transaction.readAsync(numbered(1), LONG);
            CompletableFuture<Result<Job>> taking = transaction.takeAsync(numbered(2), LONG);
            CompletableFuture<Result<Job>> outside = space.takeAsync(numbered(1), LONG);
            transaction.writeAll(List.of(new Job(1, "new", null), new Job(2, "new", null)), Lease.FOREVER);
            assertThat(reading).succeedsWithin(LONG).isEqualTo(new Result.Found<>(new Job(1, "new", null)));
            assertThat(taking).succeedsWithin(LONG).isEqualTo(new Result.Found<>(new Job(2, "new", null)));
            assertThat(outside).isNotDone();
            transaction.commit();
            assertThat(outside).succeedsWithin(LONG).isEqualTo(new Result.Found<>(new Job(1, "new", null)));
        }
    }

    @Test
    void closingTheSpaceWithinAtomicallyLeavesNoOtherCallerWaiting() throws Exception {
        assertThatExceptionOfType(SpaceException.class).isThrownBy(() -> space.atomically(tuples -> {
            tuples.write(new Job(1, "new", null));
            space.close();
            return 1;
        })).satisfies(e -> assertThat(e.reason()).isEqualTo(SpaceException.Reason.CLOSED));
        CompletableFuture<Lease> other = CompletableFuture.supplyAsync(() -> space.write(new Job(2, "new", null)));
        assertThatThrownBy(() -> other.get(LONG.toSeconds(), TimeUnit.SECONDS))
                .hasCauseInstanceOf(SpaceException.class);
    }

    @Test
    void atomicChangesAreMadeWhollyOrNotAtAll() throws Exception {
        space.write(new Job(1, "new", null));
        assertThatIllegalArgumentException().isThrownBy(() -> space.atomically(tuples -> {
            assertThat(tuples.remove(JOBS)).isEqualTo(1);
            tuples.write(new Job(2, "new", null));
            throw new IllegalArgumentException("no");
        }));
        assertThat(space.contents(JOBS)).containsExactly(new Job(1, "new", null));
        CompletableFuture<Result<Job>> waiting = space.takeAsync(numbered(3), LONG);
        long count = space.atomically(tuples -> {
            tuples.remove(numbered(1));
            tuples.writeAll(List.of(new Job(2, "new", null), new Job(3, "new", null)), Lease.FOREVER);
            assertThat(tuples.contents(JOBS)).hasSize(2);
            return tuples.count(JOBS);
        });
        assertThat(count).isEqualTo(2);
        assertThat(waiting).succeedsWithin(LONG).isEqualTo(new Result.Found<>(new Job(3, "new", null)));
        assertThat(space.contents(JOBS)).containsExactly(new Job(2, "new", null));
    }

    @Test
    void withinAtomicallyNothingWaitsForTuplesThatOthersCannotWrite() {
        CompletableFuture<String> found = CompletableFuture.supplyAsync(() -> space.atomically(alone -> {
            alone.write(new Job(1, "new", null));
            return take(alone, numbered(1)) + " " + take(alone, numbered(2)) + " "
                    + alone.takeAllAsync(JOBS, 2, Lease.FOREVER).join();
        }));
        assertThat(found).succeedsWithin(LONG)
                .isEqualTo(new Result.Found<>(new Job(1, "new", null)) + " Empty[] Empty[]");
    }

    private static String take(TupleOperations tuples, Template<Job> template) {
        try {
            return tuples.take(template, Lease.FOREVER).toString();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void withinAtomicallyOnlyItsOwnOperationsChangeTheSpace() throws Exception {
        Lease lease = space.write(new Job(1, "new", null));
        Transaction other = space.begin(LONG);
        other.write(new Job(2, "new", null));
        CompletableFuture<Result<Job>> waiting = space.takeAsync(numbered(3), LONG);
        List<ThrowingCallable> others = List.of(() -> space.write(new Job(9, "new", null)),
                () -> assertThat(space.take(JOBS, NOW)).isNull(), () -> space.takeAll(JOBS, 1),
                () -> space.takeAsync(JOBS, LONG), () -> space.remove(JOBS), () -> space.begin(LONG),
                () -> lease.renew(LONG), lease::cancel, () -> other.write(new Job(9, "new", null)),
                () -> assertThat(other.read(JOBS, NOW)).isNull(), other::commit, () -> other.lease().renew(LONG),
                () -> space.atomically(inner -> 1));
        space.atomically(alone -> {
            alone.write(new Job(3, "new", null));
            for (ThrowingCallable one : others) {
                assertThatThrownBy(one).isInstanceOf(IllegalStateException.class)
                        .isNotInstanceOf(SpaceException.class)
                        .hasMessageContaining("atomically");
            }
            // Reading is allowed: it sees the space as it was.
            return space.count(JOBS);
        });
        assertThat(waiting).succeedsWithin(LONG).isEqualTo(new Result.Found<>(new Job(3, "new", null)));
        assertThat(space.contents(JOBS)).containsExactly(new Job(1, "new", null));
        other.close();
        assertThat(space.take(JOBS, NOW).isFound()).isTrue();
    }

    @Test
    void aTransactionThatAnotherThreadCommitsCanBeUsedWithinAtomically() throws Exception {
        Transaction other = space.begin(LONG);
        other.write(new Job(1, "new", null));
        space.atomically(alone -> {
            Thread committing = Thread.ofPlatform().start(other::commit);
            Awaitility.await().until(() -> committing.getState() == Thread.State.WAITING || !committing.isAlive());
            Throwable refusal = catchThrowable(other::close);
            assertThat(refusal == null || refusal instanceof IllegalStateException).isTrue();
            return committing;
        }).join();
        assertThat(space.contents(JOBS)).containsExactly(new Job(1, "new", null));
    }

    @Test
    void withinAtomicallyMatchesAreReadWhileTheLeaseOfARegistrationEnds() {
        space.write(new Job(1, "new", null));
        space.on(JOBS, EnumSet.of(EventKind.WRITTEN), Duration.ofSeconds(10), event -> {
        });
        CompletableFuture<Job> found = CompletableFuture.supplyAsync(() -> space.atomically(alone -> {
            clock.pass(Duration.ofSeconds(20));
            Thread sweep = Thread.ofPlatform().daemon().start(space::sweep);
            Awaitility.await().until(() -> sweep.getState() == Thread.State.WAITING || !sweep.isAlive());
            try (MatchSet<Job> matches = space.matches(JOBS, LONG)) {
                return matches.next().orElseThrow();
            }
        }));
        assertThat(found).succeedsWithin(LONG).isEqualTo(new Job(1, "new", null));
    }

    @Test
    void contentsInATransactionAreKeptFromBeingTakenUntilItEnds() throws Exception {
        space.writeAll(List.of(new Job(1, "old", null), new Job(2, "new", null), new Job(3, "old", null)),
                Lease.FOREVER);
        try (Transaction transaction = space.begin(LONG)) {
            transaction.write(new Job(4, "old", null));
            try (Stream<Job> old = transaction.contents(JOBS.equal("state", "old"), Order.by("number"), 1)) {
                assertThat(old).containsExactly(new Job(1, "old", null));
            }
            assertThat(space.take(numbered(1), NOW)).isEqualTo(new Result.Locked<>());
            assertThat(isOneStore() || transaction.take(numbered(3), NOW).isFound()).isTrue();
            assertThat(!isOneStore() || space.take(numbered(3), NOW).isFound()).isTrue();
            try (MatchSet<Job> all = transaction.matches(JOBS, LONG)) {
                assertThat(List.of(all.next().orElseThrow().number(), all.next().orElseThrow().number(),
                        all.next().orElseThrow().number())).containsExactlyInAnyOrder(1, 2, 4);
                assertThat(all.next()).isEmpty();
            }
            assertThat(space.takeAll(JOBS, 9)).isEmpty();
            assertThat(transaction.take(numbered(2), NOW).isFound()).isTrue();
        }
        assertThat(space.takeAll(JOBS, 9)).contains(new Job(1, "old", null), new Job(2, "new", null))
                .hasSize(isOneStore() ? 2 : 3);
    }

    @Test
    void aTransactionLocksOnlyTheContentsThatItReturns() throws Exception {
        Template<Shape> shapes = Template.of(Shape.class);
        Order order = Order.by("radius").descending();
        space.writeAll(List.of(new Circle("a", 1), new Square("b", 2), new Circle("c", 3), new Square("d", 4)),
                Lease.FOREVER);
        for (int limit = 0; limit < 6; limit++) {
            for (boolean isOrdered : isOneStore() ? new boolean[]{false, true} : new boolean[]{false}) {
                try (Transaction reading = space.begin(LONG); Transaction taking = space.begin(LONG)) {
                    // Its own tuple is one of those that it reads, and invisible to the other.
                    reading.write(new Circle("own", 2));
                    Set<Shape> kept = new HashSet<>(List.of(new Circle("own", 2)));
                    if (limit % 2 == 1) {
                        kept.add(reading.read(CIRCLES.equal("name", "c"), NOW).orElseThrow());
                    }
                    List<Shape> read = isOrdered
                            ? ordered(reading, shapes, order, limit)
                            : some(reading, shapes, limit);
                    assertThat(read).hasSize(Math.min(limit, 5)).doesNotHaveDuplicates();
                    kept.addAll(read);
                    assertThat(taking.takeAll(shapes, 9)).hasSize(5 - kept.size()).noneMatch(kept::contains);
                }
            }
        }
        if (!isOneStore()) {
            return;
        }
        try (Transaction reading = space.begin(LONG)) {
            // Those without the component come last, in the order of writing.
            assertThat(ordered(reading, shapes, order, 3)).containsExactly(new Circle("c", 3), new Circle("a", 1),
                    new Square("b", 2));
            assertThat(space.takeAll(shapes, 9)).containsExactly(new Square("d", 4));
        }
        assertThat(ordered(space, shapes, order, 3)).containsExactly(new Circle("c", 3), new Circle("a", 1),
                new Square("b", 2));
        assertThatIllegalArgumentException().isThrownBy(() -> space.matches(shapes, LONG, -1));
        assertThatIllegalArgumentException().isThrownBy(() -> space.contents(shapes, order, -1));
    }

    private static List<Shape> ordered(TupleOperations tuples, Template<Shape> shapes, Order order, int limit) {
        try (Stream<Shape> all = tuples.contents(shapes, order, limit)) {
            return all.toList();
        }
    }

    private static List<Shape> some(TupleOperations tuples, Template<Shape> shapes, int limit) {
        try (MatchSet<Shape> matches = tuples.matches(shapes, LONG, limit)) {
            return Stream.generate(matches::next).takeWhile(Optional::isPresent).map(Optional::orElseThrow).toList();
        }
    }

    @Test
    void readIfExistsWaitsOnlyWhileAMatchIsLocked() throws Exception {
        assertThat(space.readIfExists(CIRCLES, LONG)).isEqualTo(new Result.Empty<>());
        space.write(new Circle("a", 1));
        Transaction transaction = space.begin(LONG);
        assertThat(transaction.take(CIRCLES, NOW).isFound()).isTrue();
        assertThat(space.readIfExists(CIRCLES, NOW)).isEqualTo(new Result.Locked<>());
        assertThat(space.takeIfExists(CIRCLES, SHORT)).isEqualTo(new Result.Locked<>());
        assertThat(space.take(CIRCLES, NOW)).isEqualTo(new Result.Locked<>());
        CompletableFuture<Result<Circle>> waiting = space.takeIfExistsAsync(CIRCLES, LONG);
        assertThat(waiting).isNotDone();
        transaction.commit();
        assertThat(waiting).succeedsWithin(LONG).isEqualTo(new Result.Empty<>());
    }

    @Test
    void takeIfExistsGetsATupleReturnedByATransaction() throws Exception {
        space.write(new Circle("a", 1));
        Transaction transaction = space.begin(LONG);
        transaction.take(CIRCLES, NOW);
        CompletableFuture<Result<Circle>> waiting = space.takeIfExistsAsync(CIRCLES, LONG);
        CompletableFuture<Result<Circle>> elsewhere = space.takeIfExistsAsync(CIRCLES.equal("name", "b"), LONG);
        assertThat(elsewhere).succeedsWithin(LONG).isEqualTo(new Result.Empty<>());
        transaction.close();
        assertThat(waiting).succeedsWithin(LONG).isEqualTo(new Result.Found<>(new Circle("a", 1)));
    }

    /** Moves one from one account to another, in a transaction that may end in any way. */
    private void move(Random random) throws InterruptedException {
        int from = random.nextInt(ACCOUNTS);
        Template<Circle> first = CIRCLES.equal("name", "a" + from);
        Template<Circle> second = CIRCLES.equal("name", "a" + (from + 1 + random.nextInt(ACCOUNTS - 1)) % ACCOUNTS);
        try (Transaction transaction = space.begin(LONG)) {
            boolean mayWait = random.nextBoolean();
            Result<Circle> one = transaction.take(first, mayWait ? SHORT : NOW);
            Result<Circle> other = mayWait ? transaction.takeIfExists(second, SHORT) : transaction.take(second, NOW);
            if (one instanceof Result.Found<Circle>(Circle(String name, Integer radius))) {
                transaction.write(new Circle(name, radius - 1));
                if (other instanceof Result.Found<Circle>(Circle(String otherName, Integer otherRadius))) {
                    transaction.write(new Circle(otherName, otherRadius + 1));
                    if (random.nextInt(4) > 0) {
                        transaction.commit();
                    }
                }
            }
        } catch (SpaceException e) {
            assertThat(e.reason()).isEqualTo(SpaceException.Reason.TRANSACTION_ENDED);
        }
    }

    @Test
    void transactionsOfManyThreadsKeepASumHoweverTheyEnd() throws Exception {
        AtomicInteger left = new AtomicInteger();
        space.on(CIRCLES, EnumSet.of(EventKind.WRITTEN, EventKind.TAKEN),
                event -> left.addAndGet(event.kind() == EventKind.WRITTEN ? 1 : -1));
        for (int i = 0; i < ACCOUNTS; i++) {
            space.write(new Circle("a" + i, 100));
        }
        List<FutureTask<Void>> movers = IntStream.range(0, 4).mapToObj(number -> new FutureTask<Void>(() -> {
            Random random = new Random(number);
            for (int i = 0; i < 25; i++) {
                move(random);
                if (number == 0 && i % 8 == 7) {
                    // The leases of all transactions end.
                    clock.pass(LONG);
                    space.sweep();
                }
            }
            return null;
        })).toList();
        movers.forEach(Thread::startVirtualThread);
        for (FutureTask<Void> mover : movers) {
            mover.get();
        }
        assertThat(space.count(CIRCLES)).isEqualTo(ACCOUNTS);
        assertThat(space.groupBy(CIRCLES, List.of("name"))).hasSize(ACCOUNTS);
        assertThat(space.sum(CIRCLES, "radius")).isEqualTo(100L * ACCOUNTS);
        Awaitility.await().untilAsserted(() -> assertThat(left).hasValue(ACCOUNTS));
    }
}
