// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.treehaul.tuplespace.Shapes.Circle;
import org.treehaul.tuplespace.Shapes.Job;
import org.treehaul.tuplespace.Shapes.Shape;
import org.treehaul.tuplespace.Shapes.Square;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.store.Owned;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.tuple.Template;

/** The contract of every space, with any store: operations, leases, waiters. */
abstract class SpaceContract extends SpaceFixture {

    @Test
    void aWrittenTupleIsReadAndTakenOnce() throws Exception {
        space.write(new Circle("a", 1));
        assertThat(space.read(CIRCLES, NOW)).isEqualTo(new Result.Found<>(new Circle("a", 1)));
        assertThat(space.take(CIRCLES, NOW).orElseThrow()).isEqualTo(new Circle("a", 1));
        assertThat(space.take(CIRCLES, NOW)).isEqualTo(new Result.Empty<>());
        assertThat(space.read(CIRCLES, NOW).tuple()).isEmpty();
    }

    @Test
    void tuplesComeWithTheirOwnersIfTheSpaceRecordsThem() {
        space.write(new Circle("a", 1));
        try (Stream<Owned<Circle>> all = space.ownedContents(CIRCLES)) {
            assertThat(all).extracting(Owned::tuple).containsExactly(new Circle("a", 1));
        }
        List<Owned<Circle>> taken = space.takeOwned(CIRCLES, 9);
        assertThat(taken).extracting(Owned::tuple).containsExactly(new Circle("a", 1));
        assertThat(taken.getFirst().owner()).isEqualTo(owner());
        assertThat(space.takeOwned(CIRCLES, 0)).isEmpty();
        assertThat(space.count(CIRCLES)).isZero();
    }

    /** Returns the user whom the space records as the owner of the tuples of this test. */
    Optional<String> owner() {
        return Optional.empty();
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
                // Expected.
            }
        });
        Awaitility.await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
        thread.interrupt();
        thread.join();
        space.write(new Circle("a", 1));
        assertThat(space.count(CIRCLES)).isEqualTo(1);
    }

    @Test
    void waitersAreServedInTheOrderOfTheirArrival() {
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
    void eachTupleOfABulkWriteHasItsOwnLeaseAndAllAreWrittenOrNone() throws Exception {
        List<Job> jobs = List.of(new Job(1, "new", null), new Job(1, "new", null), new Job(2, "new", null));
        List<Duration> durations = List.of(Duration.ofSeconds(10), Lease.FOREVER, Duration.ofSeconds(20));
        try (Transaction transaction = space.begin(LONG)) {
            transaction.writeAll(jobs, durations);
            assertThat(space.count(JOBS)).isZero();
            assertThat(transaction.count(JOBS)).isEqualTo(3);
        }
        List<Lease> leases = space.writeAll(jobs, durations);
        assertThat(leases).extracting(Lease::expiration)
                .containsExactly(clock.instant().plusSeconds(10), Instant.MAX, clock.instant().plusSeconds(20));
        leases.get(0).renew(Duration.ofSeconds(15));
        clock.pass(Duration.ofSeconds(15));
        assertThat(space.contents(JOBS)).containsExactlyInAnyOrder(jobs.get(1), jobs.get(2));
        leases.get(2).cancel();
        assertThat(space.contents(JOBS)).containsExactly(jobs.get(1));
        reason(SpaceException.Reason.UNKNOWN_LEASE, leases.get(0)::cancel);
        Duration negative = Duration.ofMillis(-2);
        for (List<Duration> refused : List.of(List.of(LONG, LONG), List.of(LONG, LONG, LONG, LONG),
                List.of(LONG, negative, LONG))) {
            assertThatIllegalArgumentException().isThrownBy(() -> space.writeAll(jobs, refused));
        }
        assertThatIllegalArgumentException().isThrownBy(
                () -> space.writeAll(List.of(new Circle("a", 1), new Circle("\ud800", 2)), List.of(LONG, Lease.ANY)));
        assertThat(space.writeAll(List.of(), List.of())).isEmpty();
        assertThat(space.count(Template.of(Record.class))).isEqualTo(1);
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
        assertThat(space.remove(numbered(left))).isEqualTo(1);
        assertThat(space.takeAll(JOBS, 100, LONG)).hasSize(6);
        assertThatIllegalArgumentException().isThrownBy(() -> space.takeAll(JOBS, -1));
        assertThat(space.takeAll(JOBS, 2, SHORT)).isEmpty();
    }

    @Test
    void aBulkTakeThatWaitsTakesAllThatOneCommitBringsBeforeLaterCallers() throws Exception {
        CompletableFuture<Result<List<Record>>> bulk = space.takeAllAsync(some(), 3, LONG);
        CompletableFuture<Result<Record>> late = space.takeAsync(some(), LONG);
        FutureTask<List<Record>> blocked = new FutureTask<>(() -> space.takeAll(some(), 9, LONG));
        Thread thread = Thread.ofPlatform().daemon().start(blocked);
        Awaitility.await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
        space.writeAll(List.of(new Job(3, "new", null), new Circle("a", 1), new Job(1, "old", null), new Circle("a", 2),
                new Square("b", 1), new Circle("a", 3), new Circle("a", 4)), Lease.FOREVER);
        assertThat(bulk).succeedsWithin(LONG)
                .satisfies(found -> assertThat(found.orElseThrow()).hasSize(3).doesNotHaveDuplicates());
        assertThat(late).succeedsWithin(LONG).matches(Result::isFound);
        assertThat(blocked.get(60, TimeUnit.SECONDS)).hasSize(2).doesNotHaveDuplicates();
        assertThat(space.contents(Template.of(Record.class))).containsExactly(new Job(3, "new", null));
    }

    @Test
    void aBulkTakeThatWaitsCanBeCancelledAndTimesOut() throws Exception {
        CompletableFuture<Result<List<Job>>> cancelled = space.takeAllAsync(JOBS, 2, LONG);
        assertThat(space.takeAllAsync(JOBS, 2, SHORT)).succeedsWithin(LONG).isEqualTo(new Result.Empty<>());
        assertThat(cancelled.cancel(false)).isTrue();
        assertThatIllegalArgumentException().isThrownBy(() -> space.takeAllAsync(JOBS, 0, LONG));
        assertThatIllegalArgumentException().isThrownBy(() -> space.takeAllAsync(JOBS, 1, Duration.ofNanos(-1)));
        assertThatIllegalArgumentException().isThrownBy(() -> space.takeAll(JOBS, -1, LONG));
        try (Transaction transaction = space.begin(LONG)) {
            CompletableFuture<Result<List<Job>>> inside = transaction.takeAllAsync(JOBS, 2, LONG);
            transaction.writeAll(List.of(new Job(1, "new", null), new Job(2, "new", null)), Lease.FOREVER);
            assertThat(inside).succeedsWithin(LONG)
                    .satisfies(found -> assertThat(found.orElseThrow()).extracting(Job::number)
                            .containsExactlyInAnyOrder(1, 2));
        }
        space.write(new Job(3, "new", null));
        assertThat(space.takeAll(JOBS, 2, LONG)).containsExactly(new Job(3, "new", null));
    }

    private static Template<Record> some() {
        return Template.ofAny(Record.class, List.of(numbered(1), JOBS.equal("state", "old"), JOBS.atMost("number", 1),
                CIRCLES.equal("name", "a"), Template.of(Shape.class).equal("name", "b")));
    }

    @Test
    void severalTemplatesFindEachTupleThatMatchesOneOfThemOnce() throws Exception {
        List<Record> matching = List.of(new Job(1, "old", null), new Job(2, "old", null), new Circle("a", 1),
                new Square("b", 2));
        space.writeAll(matching, Lease.FOREVER);
        space.writeAll(List.of(new Job(3, "new", null), new Circle("c", 1), new Square("a", 1)), Lease.FOREVER);
        assertThat(space.count(some())).isEqualTo(4);
        try (Stream<Record> all = space.contents(some())) {
            assertThat(all).containsExactlyInAnyOrderElementsOf(matching);
        }
        assertThat(space.sum(Template.ofAny(Job.class, List.of(numbered(1), JOBS, numbered(2))), "number"))
                .isEqualTo(6L);
        assertThat(space.takeAll(some(), 3)).hasSize(3).isSubsetOf(matching);
        assertThat(space.take(some(), NOW).tuple()).get().isIn(matching);
        assertThat(space.takeAll(some(), 3)).isEmpty();
        assertThat(space.count(Template.of(Record.class))).isEqualTo(3);
    }

    @Test
    void waitingForSeveralTemplatesEndsWithTheFirstMatch() throws Exception {
        CompletableFuture<Result<Record>> waiting = space.takeAsync(some(), LONG);
        space.write(new Job(3, "new", null));
        assertThat(waiting).isNotDone();
        space.write(new Square("b", 2));
        assertThat(waiting).succeedsWithin(LONG).isEqualTo(new Result.Found<>(new Square("b", 2)));
        try (Transaction transaction = space.begin(LONG)) {
            transaction.write(new Circle("a", 1));
            assertThat(space.takeAll(some(), 1)).isEmpty();
            assertThat(transaction.takeAll(some(), 2)).containsExactly(new Circle("a", 1));
        }
    }

    @Test
    void aConditionOfSeveralTemplatesHoldsForEachOfThem() {
        space.writeAll(List.of(new Job(1, "old", "x"), new Job(2, "old", "y"), new Job(3, "new", "x")), Lease.FOREVER);
        Template<Job> either = Template.ofAny(Job.class, List.of(numbered(3), JOBS.equal("state", "old")));
        assertThat(space.count(either.equal("owner", "x"))).isEqualTo(2);
        assertThatIllegalArgumentException().isThrownBy(() -> either.equal("none", 1));
        assertThatIllegalArgumentException().isThrownBy(() -> Template.ofAny(Job.class, List.of()));
        List<Template<Job>> many = IntStream.range(0, 3000).mapToObj(SpaceFixture::numbered).toList();
        assertThat(space.count(Template.ofAny(Job.class, many))).isEqualTo(3);
    }

    @Test
    void matchesAreOfOneMomentAndEndWithTheirLease() throws Exception {
        space.writeAll(List.of(new Job(1, "old", null), new Job(2, "new", null)), Lease.FOREVER);
        MatchSet<Job> matches = space.matches(JOBS, Duration.ofSeconds(10));
        assertThat(matches.lease().expiration()).isEqualTo(clock.instant().plusSeconds(10));
        space.write(new Job(3, "new", null));
        clock.pass(Duration.ofSeconds(9));
        matches.lease().renew(Duration.ofSeconds(10));
        clock.pass(Duration.ofSeconds(9));
        space.sweep();
        assertThat(matches.next()).isPresent();
        clock.pass(Duration.ofSeconds(1));
        reason(SpaceException.Reason.UNKNOWN_LEASE, matches::next);
        reason(SpaceException.Reason.UNKNOWN_LEASE, () -> matches.lease().renew(LONG));
        MatchSet<Job> read = space.matches(JOBS, LONG);
        for (int i = 0; i < 3; i++) {
            assertThat(read.next()).isPresent();
        }
        assertThat(read.next()).isEmpty();
        assertThat(read.next()).isEmpty();
        reason(SpaceException.Reason.UNKNOWN_LEASE, () -> read.lease().cancel());
        MatchSet<Job> closed = space.matches(JOBS, Lease.FOREVER);
        closed.close();
        closed.close();
        reason(SpaceException.Reason.UNKNOWN_LEASE, closed::next);
        assertThatIllegalArgumentException().isThrownBy(() -> space.matches(JOBS, Duration.ofMillis(-2)));
        MatchSet<Job> two = space.matches(JOBS, LONG, 2);
        assertThat(two.next()).isPresent();
        assertThat(two.next()).isPresent();
        // The set is exhausted, although a third tuple matches, and its lease has ended.
        assertThat(two.next()).isEmpty();
        two.close();
        assertThat(two.next()).isEmpty();
        reason(SpaceException.Reason.UNKNOWN_LEASE, () -> two.lease().renew(LONG));
        long found = space.atomically(alone -> {
            MatchSet<Job> own = alone.matches(JOBS, Duration.ofSeconds(10));
            clock.pass(Duration.ofSeconds(10));
            space.sweep();
            reason(SpaceException.Reason.UNKNOWN_LEASE, own::next);
            return alone.count(JOBS);
        });
        assertThat(found).isEqualTo(3);
    }

    @Test
    void aClosedSpaceRefusesPresentAndLaterCallers() {
        CompletableFuture<Result<Circle>> waiting = space.takeAsync(CIRCLES, LONG);
        space.close();
        assertThat(waiting).failsWithin(LONG);
        reason(SpaceException.Reason.CLOSED, () -> space.write(new Circle("a", 1)));
        reason(SpaceException.Reason.CLOSED, () -> space.read(CIRCLES, LONG));
        space.close();
    }

    @Test
    void aServedWaiterIsReleasedBeforeItsTimeout() {
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

    /** The exception of a predicate. */
    private static final class OwnException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    @Test
    void exceptionsOfTemplateTestsReachTheCaller() throws Exception {
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

    @Test
    void noTupleIsLostIfATemplateTestFailsAfterSomeHaveMatched() {
        for (int i = 0; i < 20; i++) {
            space.write(new Circle("c" + i, i));
        }
        int[] tested = {0};
        Template<Circle> failing = CIRCLES.test("name", "fails at last", name -> {
            if (++tested[0] > 10) {
                throw new OwnException();
            }
            return true;
        });
        List<Circle> taken = new ArrayList<>();
        try {
            taken.addAll(space.takeAll(failing, 100));
        } catch (OwnException e) {
            assertThat(e).hasNoCause();
        }
        assertThat(space.count(CIRCLES) + taken.size()).isEqualTo(20);
        tested[0] = 0;
        assertThatExceptionOfType(OwnException.class).isThrownBy(() -> space.remove(failing));
        assertThat(space.count(CIRCLES) + taken.size()).isEqualTo(20);
    }

    @Test
    void aTemplateTestThatFailsFailsOnlyTheCallersThatWaitWithIt() throws Exception {
        Template<Circle> failing = CIRCLES.test("name", "fails", name -> {
            throw new OwnException();
        });
        Registration registration = space.on(failing, EnumSet.of(EventKind.WRITTEN), event -> {
        });
        CompletableFuture<Result<Circle>> waiting = space.takeAsync(failing, LONG);
        FutureTask<Result<Circle>> blocked = new FutureTask<>(() -> space.read(failing, LONG));
        Thread thread = Thread.ofPlatform().daemon().start(blocked);
        Awaitility.await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
        CompletableFuture<Result<Circle>> other = space.takeAsync(CIRCLES, LONG);
        space.write(new Circle("a", 1));
        assertThat(other).succeedsWithin(LONG).matches(Result::isFound);
        assertThat(waiting).failsWithin(LONG)
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(OwnException.class);
        assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> blocked.get(60, TimeUnit.SECONDS))
                .withCauseInstanceOf(OwnException.class);
        assertThat(registration.lost()).isEqualTo(1);
    }

    /** Two components that would be the same column of an SQL table. */
    record Cases(int b, int B) {}

    @Test
    void componentsThatDifferOnlyInCaseAreRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> space.write(new Cases(1, 2)))
                .withMessageContaining("only in case");
    }
}
