// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
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
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.tuple.Template;

/** What every space keeps to, whatever its store: operations, leases, transactions, those who wait. */
abstract class SpaceContract extends SpaceFixture {

    private static Template<Job> job(int number) {
        return JOBS.equal("number", number);
    }

    private static void reason(SpaceException.Reason reason, ThrowingCallable call) {
        assertThatExceptionOfType(SpaceException.class).isThrownBy(call)
                .satisfies(e -> assertThat(e.reason()).isEqualTo(reason));
    }

    @Test
    void aWrittenTupleIsReadAndTakenOnce() throws Exception {
        space.write(new Circle("a", 1));
        assertThat(space.read(CIRCLES, NOW)).isEqualTo(new Result.Found<>(new Circle("a", 1)));
        assertThat(space.take(CIRCLES, NOW).orElseThrow()).isEqualTo(new Circle("a", 1));
        assertThat(space.take(CIRCLES, NOW)).isEqualTo(new Result.Empty<>());
        assertThat(space.read(CIRCLES, NOW).tuple()).isEmpty();
    }

    @Test
    void equalTuplesAreKeptApart() throws Exception {
        space.write(new Circle("a", 1));
        space.write(new Circle("a", 1));
        assertThat(space.count(CIRCLES)).isEqualTo(2);
        assertThat(space.take(CIRCLES, NOW).isFound()).isTrue();
        assertThat(space.take(CIRCLES, NOW).isFound()).isTrue();
        assertThat(space.take(CIRCLES, NOW).isFound()).isFalse();
    }

    @Test
    void nullInAnExampleMatchesEverythingAndOneOfNullsEveryTuple() throws Exception {
        space.write(new Circle("a", 1));
        space.write(new Circle(null, 2));
        assertThat(space.read(Template.like(new Circle(null, 2)), NOW).orElseThrow().radius()).isEqualTo(2);
        assertThat(space.read(Template.like(new Circle("a", null)), NOW).orElseThrow().radius()).isEqualTo(1);
        assertThat(space.count(Template.like(new Circle(null, null)))).isEqualTo(2);
        assertThat(space.count(CIRCLES.isNull("name"))).isEqualTo(1);
    }

    @Test
    void aTemplateOfASupertypeMatchesSubtypesWhichKeepTheirType() throws Exception {
        space.write(new Circle("c", 1));
        space.write(new Square("s", 2));
        space.write(new Job(1, "new", null));
        Template<Shape> shapes = Template.of(Shape.class);
        assertThat(space.contents(shapes)).containsExactlyInAnyOrder(new Circle("c", 1), new Square("s", 2));
        assertThat(space.read(shapes.equal("name", "s"), NOW).orElseThrow()).isEqualTo(new Square("s", 2));
        assertThat(space.count(Template.of(Record.class))).isEqualTo(3);
        assertThat(space.take(Template.of(Record.class), NOW).isFound()).isTrue();
    }

    @Test
    void aTimeoutOfZeroDoesNotWaitAndANegativeOneIsRefused() {
        for (Duration negative : List.of(Duration.ofNanos(-1), Duration.ofDays(-1))) {
            assertThatIllegalArgumentException().isThrownBy(() -> space.read(CIRCLES, negative));
            assertThatIllegalArgumentException().isThrownBy(() -> space.take(CIRCLES, negative));
            assertThatIllegalArgumentException().isThrownBy(() -> space.readIfExists(CIRCLES, negative));
            assertThatIllegalArgumentException().isThrownBy(() -> space.takeIfExistsAsync(CIRCLES, negative));
            assertThatIllegalArgumentException().isThrownBy(() -> space.takeAll(CIRCLES, 1, negative));
        }
        assertThat(space.takeAsync(CIRCLES, NOW)).succeedsWithin(LONG).isEqualTo(new Result.Empty<>());
    }

    @Test
    void aTakeWaitsUntilSomethingIsWrittenAndNoLongerThanItsTimeout() throws Exception {
        assertThat(space.take(CIRCLES, SHORT)).isEqualTo(new Result.Empty<>());
        CompletableFuture<Result<Circle>> waiting = space.takeAsync(CIRCLES, LONG);
        CompletableFuture<Result<Circle>> other = CompletableFuture.supplyAsync(() -> {
            try {
                return space.read(CIRCLES.equal("name", "b"), LONG);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        assertThat(waiting).isNotDone();
        space.write(new Circle("a", 1));
        assertThat(waiting).succeedsWithin(LONG).isEqualTo(new Result.Found<>(new Circle("a", 1)));
        space.write(new Circle("b", 1));
        assertThat(other).succeedsWithin(LONG).isEqualTo(new Result.Found<>(new Circle("b", 1)));
        assertThat(space.count(CIRCLES)).isEqualTo(1);
    }

    @Test
    void aCancelledTakeTakesNothing() throws Exception {
        CompletableFuture<Result<Circle>> cancelled = space.takeAsync(CIRCLES, LONG);
        CompletableFuture<Result<Circle>> timedOut = space.takeAsync(CIRCLES, LONG).orTimeout(1, TimeUnit.MILLISECONDS);
        assertThat(timedOut).failsWithin(LONG);
        assertThat(cancelled.cancel(true)).isTrue();
        space.write(new Circle("a", 1));
        assertThat(space.take(CIRCLES, NOW).isFound()).isTrue();
        assertThat(cancelled).isCancelled();
    }

    @Test
    void anInterruptedTakeTakesNothing() throws Exception {
        Thread thread = Thread.ofPlatform().start(() -> {
            try {
                space.take(CIRCLES, LONG);
            } catch (InterruptedException e) {
                // As it should be.
            }
        });
        Awaitility.await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
        thread.interrupt();
        thread.join();
        space.write(new Circle("a", 1));
        assertThat(space.count(CIRCLES)).isEqualTo(1);
    }

    @Test
    void thoseWhoWaitAreServedInTheOrderInWhichTheyCame() {
        List<CompletableFuture<Result<Job>>> waiting = Stream.generate(() -> space.takeAsync(JOBS, LONG))
                .limit(5)
                .toList();
        for (int i = 0; i < 5; i++) {
            space.write(new Job(i, "new", null));
            assertThat(waiting.get(i)).succeedsWithin(LONG).isEqualTo(new Result.Found<>(new Job(i, "new", null)));
        }
    }

    @Test
    void severalReadersAndOneTakerAreServedByOneTuple() {
        CompletableFuture<Result<Circle>> reader = space.readAsync(CIRCLES, LONG);
        CompletableFuture<Result<Circle>> other = space.readAsync(CIRCLES, LONG);
        CompletableFuture<Result<Circle>> taker = space.takeAsync(CIRCLES, LONG);
        CompletableFuture<Result<Circle>> late = space.takeAsync(CIRCLES, LONG);
        space.write(new Circle("a", 1));
        assertThat(CompletableFuture.allOf(reader, other, taker)).succeedsWithin(LONG);
        assertThat(late).isNotDone();
        assertThat(late.cancel(false)).isTrue();
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
    void takeIfExistsGetsWhatATransactionGivesBack() throws Exception {
        space.write(new Circle("a", 1));
        Transaction transaction = space.begin(LONG);
        transaction.take(CIRCLES, NOW);
        CompletableFuture<Result<Circle>> waiting = space.takeIfExistsAsync(CIRCLES, LONG);
        CompletableFuture<Result<Circle>> elsewhere = space.takeIfExistsAsync(CIRCLES.equal("name", "b"), LONG);
        assertThat(elsewhere).succeedsWithin(LONG).isEqualTo(new Result.Empty<>());
        transaction.close();
        assertThat(waiting).succeedsWithin(LONG).isEqualTo(new Result.Found<>(new Circle("a", 1)));
    }

    @Test
    void whatATransactionWritesIsInvisibleOutsideUntilItsCommit() throws Exception {
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
    void whatIsWrittenAndTakenInOneTransactionIsNeverSeen() throws Exception {
        try (Transaction transaction = space.begin(LONG)) {
            transaction.write(new Circle("a", 1));
            assertThat(transaction.take(CIRCLES, NOW).isFound()).isTrue();
            assertThat(transaction.take(CIRCLES, NOW).isFound()).isFalse();
            transaction.commit();
        }
        assertThat(space.count(CIRCLES)).isZero();
    }

    @Test
    void closingATransactionRestoresWhatItTookAndForgetsWhatItWrote() throws Exception {
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
    void whoHandlesATupleGivesItBackWhenHeFails() throws Exception {
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
    void theLeaseOfWhoHandlesATupleBeginsWhenThereIsOne() throws Exception {
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
            // So many looks at the clock mean that it has renewed the lease after the time has passed.
            int enough = looks.get() + 20;
            Awaitility.await().atMost(LONG).until(() -> looks.get() >= enough || handling.isDone());
            clock.pass(lease.minusMillis(10));
        }
        space.write(new Job(1, "new", null));
        assertThat(handling.get(60, TimeUnit.SECONDS)).isEqualTo(new Result.Found<>(new Job(1, "new", null)));
        assertThat(space.count(JOBS)).isZero();
    }

    @Test
    void whoWaitsInATransactionGetsWhatIsWrittenInIt() {
        try (Transaction transaction = space.begin(LONG)) {
            CompletableFuture<Result<Job>> reading = transaction.readAsync(job(1), LONG);
            CompletableFuture<Result<Job>> taking = transaction.takeAsync(job(2), LONG);
            CompletableFuture<Result<Job>> outside = space.takeAsync(job(1), LONG);
            transaction.writeAll(List.of(new Job(1, "new", null), new Job(2, "new", null)), Lease.FOREVER);
            assertThat(reading).succeedsWithin(LONG).isEqualTo(new Result.Found<>(new Job(1, "new", null)));
            assertThat(taking).succeedsWithin(LONG).isEqualTo(new Result.Found<>(new Job(2, "new", null)));
            assertThat(outside).isNotDone();
            transaction.commit();
            assertThat(outside).succeedsWithin(LONG).isEqualTo(new Result.Found<>(new Job(1, "new", null)));
        }
    }

    @Test
    void whoeverClosesTheSpaceWithinAtomicallyKeepsNobodyWaiting() throws Exception {
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
    void whatIsDoneAtomicallyIsDoneWhollyOrNotAtAll() throws Exception {
        space.write(new Job(1, "new", null));
        assertThatIllegalArgumentException().isThrownBy(() -> space.atomically(tuples -> {
            assertThat(tuples.remove(JOBS)).isEqualTo(1);
            tuples.write(new Job(2, "new", null));
            throw new IllegalArgumentException("no");
        }));
        assertThat(space.contents(JOBS)).containsExactly(new Job(1, "new", null));
        CompletableFuture<Result<Job>> waiting = space.takeAsync(job(3), LONG);
        long count = space.atomically(tuples -> {
            tuples.remove(job(1));
            tuples.writeAll(List.of(new Job(2, "new", null), new Job(3, "new", null)), Lease.FOREVER);
            assertThat(tuples.contents(JOBS)).hasSize(2);
            return tuples.count(JOBS);
        });
        assertThat(count).isEqualTo(2);
        assertThat(waiting).succeedsWithin(LONG).isEqualTo(new Result.Found<>(new Job(3, "new", null)));
        assertThat(space.contents(JOBS)).containsExactly(new Job(2, "new", null));
    }

    @Test
    void aTupleGoesWhenItsLeaseEnds() throws Exception {
        Lease lease = space.write(new Circle("a", 1), Duration.ofSeconds(10));
        assertThat(lease.expiration()).isEqualTo(clock.instant().plusSeconds(10));
        clock.pass(Duration.ofSeconds(9));
        assertThat(space.read(CIRCLES, NOW).isFound()).isTrue();
        lease.renew(Duration.ofSeconds(10));
        clock.pass(Duration.ofSeconds(9));
        assertThat(space.count(CIRCLES)).isEqualTo(1);
        clock.pass(Duration.ofSeconds(1));
        assertThat(space.read(CIRCLES, NOW).isFound()).isFalse();
        assertThat(space.count(CIRCLES)).isZero();
        reason(SpaceException.Reason.UNKNOWN_LEASE, () -> lease.renew(LONG));
        reason(SpaceException.Reason.UNKNOWN_LEASE, lease::cancel);
        space.sweep();
        assertThat(space.contents(CIRCLES)).isEmpty();
    }

    @Test
    void aCancelledLeaseRemovesItsTupleAndALeaseOfATakenOneIsUnknown() throws Exception {
        Lease cancelled = space.write(new Circle("a", 1));
        Lease taken = space.write(new Job(1, "new", null), LONG);
        cancelled.cancel();
        assertThat(space.count(CIRCLES)).isZero();
        space.take(JOBS, NOW);
        reason(SpaceException.Reason.UNKNOWN_LEASE, cancelled::cancel);
        reason(SpaceException.Reason.UNKNOWN_LEASE, () -> taken.renew(LONG));
    }

    @Test
    void aNegativeLeaseIsRefusedUnlessItLeavesTheChoiceToTheSpace() throws Exception {
        assertThatIllegalArgumentException().isThrownBy(() -> space.write(new Circle("a", 1), Duration.ofMillis(-2)));
        assertThatIllegalArgumentException().isThrownBy(() -> space.begin(Duration.ofSeconds(-1)));
        assertThat(space.count(CIRCLES)).isZero();
        assertThat(space.write(new Circle("a", 1), Lease.ANY).expiration()).isEqualTo(Instant.MAX);
        try (TupleSpace shy = open(SpaceOptions.defaults().clock(clock).maxLease(Duration.ofMinutes(1)))) {
            Instant inAMinute = clock.instant().plusSeconds(60);
            assertThat(shy.write(new Circle("b", 1), Lease.FOREVER).expiration()).isEqualTo(inAMinute);
            assertThat(shy.write(new Circle("b", 1), Lease.ANY).expiration()).isEqualTo(inAMinute);
            assertThat(shy.write(new Circle("b", 1), Duration.ofSeconds(1)).expiration())
                    .isEqualTo(clock.instant().plusSeconds(1));
        }
    }

    @Test
    void aBulkWriteWritesAllOrNothing() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> space.writeAll(List.of(new Circle("a", 1), new Circle("\ud800", 2)), Lease.FOREVER));
        assertThat(space.count(CIRCLES)).isZero();
        List<Lease> leases = space.writeAll(List.of(new Circle("a", 1), new Square("b", 2), new Circle("c", 3)), LONG);
        leases.get(1).cancel();
        assertThat(space.contents(Template.of(Shape.class))).containsExactlyInAnyOrder(new Circle("a", 1),
                new Circle("c", 3));
    }

    @Test
    void aBulkTakeTakesAtLeastOneAndAtMostSoMany() throws Exception {
        for (int i = 0; i < 10; i++) {
            space.write(new Job(i, "new", null));
        }
        assertThat(space.takeAll(JOBS, 0)).isEmpty();
        assertThat(space.takeAll(JOBS, 3)).hasSize(3).doesNotHaveDuplicates();
        try (Transaction transaction = space.begin(LONG)) {
            assertThat(transaction.takeAll(JOBS, 100)).hasSize(7);
            assertThat(space.takeAll(JOBS, 1)).isEmpty();
        }
        int left = space.read(JOBS, NOW).orElseThrow().number();
        assertThat(space.remove(job(left))).isEqualTo(1);
        assertThat(space.takeAll(JOBS, 100, LONG)).hasSize(6);
        assertThatIllegalArgumentException().isThrownBy(() -> space.takeAll(JOBS, -1));
        assertThat(space.takeAll(JOBS, 2, SHORT)).isEmpty();
    }

    @Test
    void aClosedSpaceSaysSoToThoseWhoWaitAndThoseWhoCome() {
        CompletableFuture<Result<Circle>> waiting = space.takeAsync(CIRCLES, LONG);
        space.close();
        assertThat(waiting).failsWithin(LONG);
        reason(SpaceException.Reason.CLOSED, () -> space.write(new Circle("a", 1)));
        reason(SpaceException.Reason.CLOSED, () -> space.read(CIRCLES, LONG));
        space.close();
    }

    @Test
    void whoWasServedBeforeHisTimeoutTakesNoMoreMemory() {
        WeakReference<Result<Circle>> result = new WeakReference<>(served());
        Awaitility.await().atMost(LONG).until(() -> {
            System.gc();
            return result.get() == null;
        });
    }

    private Result<Circle> served() {
        CompletableFuture<Result<Circle>> waiting = space.takeAsync(CIRCLES, Duration.ofHours(1));
        space.write(new Circle("a", 1));
        return waiting.join();
    }

    @Test
    void noTupleIsTakenTwiceAndNoneIsForgottenByManyThreads() throws Exception {
        int count = 400;
        Set<Integer> taken = ConcurrentHashMap.newKeySet();
        List<Thread> takers = Stream.generate(() -> Thread.ofPlatform().start(() -> {
            try {
                for (Job job = next(); job.number() >= 0; job = next()) {
                    assertThat(taken.add(job.number())).isTrue();
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        })).limit(4).toList();
        List<Thread> writers = IntStream.range(0, 4).mapToObj(part -> Thread.ofPlatform().start(() -> {
            for (int i = part; i < count; i += 4) {
                space.write(new Job(i, "new", null));
            }
        })).toList();
        for (Thread writer : writers) {
            writer.join();
        }
        Awaitility.await().atMost(LONG).until(() -> taken.size() == count);
        for (int i = 0; i < takers.size(); i++) {
            space.write(new Job(-1, "end", null));
        }
        for (Thread taker : takers) {
            taker.join();
        }
        assertThat(space.count(JOBS)).isZero();
    }

    private Job next() throws InterruptedException {
        return space.take(JOBS, LONG).orElseThrow();
    }

    /** A predicate's own failure. */
    private static final class OwnException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    @Test
    void whatATestOfATemplateThrowsComesToWhoeverAsks() throws Exception {
        space.write(new Circle("a", 1));
        Template<Circle> failing = CIRCLES.test("name", "fails", name -> {
            throw new OwnException();
        });
        assertThatExceptionOfType(OwnException.class).isThrownBy(() -> space.count(failing));
        assertThatExceptionOfType(OwnException.class).isThrownBy(() -> assertThat(space.read(failing, NOW)).isNull());
        assertThatExceptionOfType(OwnException.class).isThrownBy(() -> assertThat(space.take(failing, NOW)).isNull());
        assertThatExceptionOfType(OwnException.class).isThrownBy(() -> space.remove(failing));
        assertThat(space.count(CIRCLES)).isEqualTo(1);
    }

    /** Two components of which a table of SQL would make one column. */
    record Cases(int b, int B) {}

    @Test
    void componentsThatDifferOnlyInCaseAreRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> space.write(new Cases(1, 2)))
                .withMessageContaining("only in case");
    }
}
