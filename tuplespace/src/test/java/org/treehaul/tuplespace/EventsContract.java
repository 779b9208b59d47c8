// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.tuplespace.Shapes.Circle;
import org.treehaul.tuplespace.Shapes.Everything;
import org.treehaul.tuplespace.Shapes.Job;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.tuple.Template;

/** The contract of every space, with any store: events and snapshots. */
abstract class EventsContract extends SpaceFixture {
    private static final Set<EventKind> ALL = EnumSet.allOf(EventKind.class);

    private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();

    @TempDir
    Path directory;

    @SuppressWarnings("NullAway") // set by JUnit
    EventsContract() {}

    private <T> void hear(TupleEvent<T> event) {
        heard.add(event.sequence() + " " + event.kind() + " " + (event.isAfterGap() ? "gap " : "")
                + (event.tuple() instanceof Job job ? job.number() : event.tuple()));
    }

    private static Job job(int number) {
        return new Job(number, "new", null);
    }

    private String next() throws InterruptedException {
        return String.valueOf(heard.poll(60, TimeUnit.SECONDS));
    }

    @Test
    void anActionReceivesWrittenTakenAndExpiredTuples() throws Exception {
        space.on(JOBS, EnumSet.of(EventKind.WRITTEN, EventKind.TAKEN, EventKind.EXPIRED), this::hear);
        space.write(job(1), Duration.ofSeconds(1));
        space.write(job(2));
        space.write(new Circle("a", 1));
        assertThat(List.of(next(), next())).containsExactly("1 WRITTEN 1", "2 WRITTEN 2");
        space.take(JOBS.equal("number", 2), NOW);
        assertThat(next()).isEqualTo("3 TAKEN 2");
        clock.pass(Duration.ofSeconds(2));
        space.sweep();
        assertThat(next()).isEqualTo("4 EXPIRED 1");
    }

    @Test
    void eventsFollowTheCommitAndInvisibleTuplesCauseNone() throws Exception {
        space.write(job(1));
        space.on(JOBS, ALL, this::hear);
        try (Transaction transaction = space.begin(LONG)) {
            transaction.write(job(2));
            transaction.write(job(3));
            transaction.take(JOBS.equal("number", 3), NOW);
            transaction.take(JOBS.equal("number", 1), NOW);
            assertThat(heard).isEmpty();
            transaction.commit();
        }
        assertThat(List.of(next(), next(), next(), next())).containsExactlyInAnyOrder("1 TAKEN 1", "2 WRITTEN 2",
                "3 VISIBLE 2", "4 AVAILABLE 2");
        try (Transaction aborted = space.begin(LONG)) {
            aborted.write(job(4));
        }
        space.write(job(5));
        assertThat(next()).isEqualTo("5 WRITTEN 5");
    }

    @Test
    void tuplesReturnedByATransactionBecomeAvailable() throws Exception {
        space.write(job(1));
        space.on(JOBS, EnumSet.of(EventKind.AVAILABLE), this::hear);
        try (Transaction taking = space.begin(LONG)) {
            taking.take(JOBS, NOW);
        }
        assertThat(next()).isEqualTo("1 AVAILABLE 1");
        try (Transaction one = space.begin(LONG); Transaction other = space.begin(LONG)) {
            one.read(JOBS, NOW);
            other.read(JOBS, NOW);
            one.commit();
            assertThat(space.takeIfExists(JOBS, NOW)).isEqualTo(new Result.Locked<>());
            other.commit();
        }
        assertThat(next()).isEqualTo("2 AVAILABLE 1");
        try (Transaction both = space.begin(LONG)) {
            both.read(JOBS, NOW);
            both.take(JOBS, NOW);
        }
        assertThat(next()).isEqualTo("3 AVAILABLE 1");
        space.write(job(2));
        assertThat(next()).isEqualTo("4 AVAILABLE 2");
        assertThat(heard).isEmpty();
    }

    @Test
    void returnedTuplesWhoseLeasesHaveEndedExpireOnly() throws Exception {
        space.writeAll(List.of(job(1), job(2)), Duration.ofSeconds(10));
        space.on(JOBS, EnumSet.of(EventKind.VISIBLE, EventKind.AVAILABLE, EventKind.EXPIRED), this::hear);
        try (Transaction both = space.begin(LONG)) {
            both.take(numbered(1), NOW);
            both.read(numbered(2), NOW);
            clock.pass(Duration.ofSeconds(10));
        }
        space.sweep();
        space.write(job(3));
        assertThat(Stream.of(next(), next()).map(event -> event.substring(2))).containsExactlyInAnyOrder("EXPIRED 1",
                "EXPIRED 2");
        assertThat(next()).isEqualTo("3 VISIBLE 3");
    }

    @Test
    void returnedTuplesBecomeVisibleButReleasedReadsWereVisibleBefore() throws Exception {
        space.write(job(1));
        space.on(JOBS, EnumSet.of(EventKind.VISIBLE), this::hear);
        try (Transaction reading = space.begin(LONG)) {
            reading.read(JOBS, NOW);
        }
        try (Transaction both = space.begin(LONG)) {
            both.read(JOBS, NOW);
            both.take(JOBS, NOW);
        }
        assertThat(next()).isEqualTo("1 VISIBLE 1");
        try (Transaction writing = space.begin(LONG)) {
            writing.write(job(2));
            writing.commit();
        }
        assertThat(next()).isEqualTo("2 VISIBLE 2");
        assertThat(heard).isEmpty();
    }

    @Test
    void anEventSaysWhetherItsTupleWasInvisibleBefore() throws Exception {
        space.on(JOBS, ALL, event -> heard.add(event.kind() + (event.isNewlyVisible() ? " newly visible" : "")));
        space.write(job(1), LONG);
        assertThat(List.of(next(), next(), next())).containsExactly("WRITTEN newly visible", "VISIBLE newly visible",
                "AVAILABLE newly visible");
        try (Transaction taking = space.begin(LONG)) {
            taking.take(JOBS, NOW);
        }
        assertThat(List.of(next(), next())).containsExactly("VISIBLE newly visible", "AVAILABLE newly visible");
        try (Transaction reading = space.begin(LONG)) {
            reading.read(JOBS, NOW);
        }
        assertThat(next()).isEqualTo("AVAILABLE");
        clock.pass(LONG);
        space.sweep();
        assertThat(next()).isEqualTo("EXPIRED");
        assertThat(heard).isEmpty();
    }

    @Test
    void aTupleThatMatchesSeveralTemplatesIsOneEvent() throws Exception {
        Template<Record> any = Template.ofAny(Record.class,
                List.of(JOBS, JOBS.equal("number", 1), Template.of(Circle.class).equal("name", "a")));
        space.on(any, EnumSet.of(EventKind.AVAILABLE), this::hear);
        space.writeAll(List.of(job(1), new Circle("b", 1), new Circle("a", 1), job(2)), Lease.FOREVER);
        List<String> three = List.of(next(), next(), next());
        if (isOneStore()) {
            assertThat(three).containsExactly("1 AVAILABLE 1", "2 AVAILABLE Circle[name=a, radius=1]", "3 AVAILABLE 2");
        }
        assertThat(three).extracting(event -> event.substring(1))
                .containsExactlyInAnyOrder(" AVAILABLE 1", " AVAILABLE Circle[name=a, radius=1]", " AVAILABLE 2");
        try (Transaction aborted = space.begin(LONG)) {
            assertThat(aborted.remove(any)).isEqualTo(3);
        }
        assertThat(List.of(next(), next(), next())).extracting(event -> event.substring(1))
                .containsExactlyInAnyOrder(" AVAILABLE 1", " AVAILABLE Circle[name=a, radius=1]", " AVAILABLE 2");
    }

    @Test
    void aRegistrationInATransactionReceivesItsChangesAndThoseThatOthersCommit() throws Exception {
        space.write(job(1));
        try (Transaction transaction = space.begin(LONG); Transaction other = space.begin(LONG)) {
            Registration registration = transaction.on(JOBS, EnumSet.of(EventKind.WRITTEN, EventKind.TAKEN),
                    this::hear);
            transaction.write(job(2));
            assertThat(next()).isEqualTo("1 WRITTEN 2");
            transaction.take(JOBS.equal("number", 1), NOW);
            assertThat(next()).isEqualTo("2 TAKEN 1");
            other.write(job(3));
            assertThat(heard).isEmpty();
            other.commit();
            assertThat(next()).isEqualTo("3 WRITTEN 3");
            space.write(job(4));
            assertThat(next()).isEqualTo("4 WRITTEN 4");
            assertThat(transaction.remove(JOBS.in("number", List.of(2, 4)))).isEqualTo(2);
            assertThat(List.of(next(), next()).toString()).contains("TAKEN 2", "TAKEN 4");
            registration.close();
            transaction.write(job(5));
            space.write(job(6));
        }
        assertThat(heard).isEmpty();
    }

    @Test
    void aRegistrationEndsWithItsTransactionAndReceivesNoEventTwice() throws Exception {
        for (boolean isCommit : new boolean[]{true, false}) {
            Registration outside = space.on(JOBS, EnumSet.of(EventKind.WRITTEN), LONG,
                    event -> heard.add("outside " + event.tuple().number()));
            try (Transaction transaction = space.begin(LONG)) {
                transaction.on(JOBS, EnumSet.of(EventKind.WRITTEN), event -> heard.add("in " + event.tuple().number()));
                transaction.write(job(1));
                assertThat(next()).isEqualTo("in 1");
                assertThat(heard).isEmpty();
                if (isCommit) {
                    transaction.commit();
                    assertThat(next()).isEqualTo("outside 1");
                }
            }
            space.write(job(2));
            assertThat(next()).isEqualTo("outside 2");
            assertThat(heard).isEmpty();
            outside.close();
        }
    }

    @Test
    void aRegistrationEndsWhenTheLeaseOfItsTransactionDoes() throws Exception {
        Transaction leased = space.begin(Duration.ofSeconds(10));
        Transaction cancelled = space.begin(Duration.ofSeconds(10));
        Transaction committed = space.begin(LONG);
        Registration late = leased.on(JOBS, ALL, this::hear);
        cancelled.on(JOBS, ALL, this::hear);
        cancelled.lease().cancel();
        committed.commit();
        clock.pass(Duration.ofSeconds(10));
        space.sweep();
        space.write(job(1));
        assertThat(heard).isEmpty();
        for (Transaction ended : List.of(leased, cancelled, committed)) {
            assertThatExceptionOfType(SpaceException.class).isThrownBy(() -> ended.on(JOBS, ALL, this::hear))
                    .satisfies(e -> assertThat(e.reason()).isEqualTo(SpaceException.Reason.TRANSACTION_ENDED));
        }
        assertThatExceptionOfType(SpaceException.class).isThrownBy(() -> late.lease().cancel());
    }

    @Test
    void tuplesReadByOneTransactionOnlyAreAvailableToIt() throws Exception {
        space.write(job(1));
        try (Transaction one = space.begin(LONG); Transaction other = space.begin(LONG)) {
            one.on(JOBS, EnumSet.of(EventKind.AVAILABLE), event -> heard.add("in " + event.tuple().number()));
            space.on(JOBS, EnumSet.of(EventKind.AVAILABLE), event -> heard.add("outside " + event.tuple().number()));
            one.read(JOBS, NOW);
            other.read(JOBS, NOW);
            other.commit();
            assertThat(next()).isEqualTo("in 1");
            assertThat(heard).isEmpty();
            one.commit();
        }
        assertThat(next()).isEqualTo("outside 1");
        assertThat(heard).isEmpty();
    }

    @Test
    void anActionMayUseTheSpaceAndOneThatFailsReceivesTheNextEvent() throws Exception {
        space.on(JOBS.equal("state", "new"), EnumSet.of(EventKind.WRITTEN), event -> {
            space.write(new Job(event.tuple().number(), "seen", null));
            throw new IllegalStateException("a fault of the action, made by this test");
        });
        space.write(job(1));
        space.write(job(2));
        for (int i = 1; i <= 2; i++) {
            assertThat(space.take(JOBS.equal("state", "seen").equal("number", i), LONG).isFound()).isTrue();
        }
    }

    @Test
    void aSlowActionLosesEventsAndIsNotified() throws Exception {
        try (TupleSpace small = open(SpaceOptions.defaults().eventCapacity(2))) {
            CountDownLatch goOn = new CountDownLatch(1);
            Registration registration = small.on(JOBS, EnumSet.of(EventKind.WRITTEN), event -> {
                hear(event);
                try {
                    goOn.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            small.write(job(1));
            assertThat(next()).isEqualTo("1 WRITTEN 1");
            IntStream.range(2, 7).forEach(number -> small.write(job(number)));
            assertThat(registration.lost()).isEqualTo(3);
            goOn.countDown();
            assertThat(List.of(next(), next())).containsExactly("2 WRITTEN 2", "3 WRITTEN 3");
            small.write(job(7));
            assertThat(next()).isEqualTo("7 WRITTEN gap 7");
        }
    }

    @Test
    void aSlowActionLosesEventsOfLargeTuplesBeforeTheyFillTheMemory() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        try (Registration registration = space.on(JOBS, EnumSet.of(EventKind.WRITTEN), event -> {
            hear(event);
            try {
                goOn.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        })) {
            space.write(job(1));
            assertThat(next()).isEqualTo("1 WRITTEN 1");
            // Seven fit into 8 MiB.
            String large = "x".repeat(1 << 20);
            IntStream.range(2, 12).forEach(number -> space.write(new Job(number, "new", large)));
            assertThat(registration.lost()).isEqualTo(3);
            goOn.countDown();
            assertThat(List.of(next(), next(), next(), next(), next(), next(), next())).first()
                    .isEqualTo("2 WRITTEN 2");
            space.write(new Job(12, "new", "y".repeat(9 << 20)));
            assertThat(next()).isEqualTo("12 WRITTEN gap 12");
        }
    }

    @Test
    void aRegistrationEndsWithItsLeaseOrWhenItIsClosed() throws Exception {
        Registration closed = space.on(JOBS, ALL, this::hear);
        Registration leased = space.on(JOBS, ALL, Duration.ofSeconds(10), this::hear);
        Registration renewed = space.on(JOBS, EnumSet.of(EventKind.TAKEN), Duration.ofSeconds(10), this::hear);
        renewed.lease().renew(Duration.ofSeconds(30));
        closed.close();
        closed.close();
        clock.pass(Duration.ofSeconds(11));
        space.sweep();
        space.write(job(1));
        space.take(JOBS, NOW);
        assertThat(next()).isEqualTo("1 TAKEN 1");
        assertThatExceptionOfType(SpaceException.class).isThrownBy(() -> leased.lease().renew(LONG));
        assertThat(heard).isEmpty();
    }

    @Test
    void aPublisherSendsNoMoreThanIsAskedForAndEndsWithTheSpace() throws Exception {
        BlockingQueue<Flow.Subscription> subscriptions = new LinkedBlockingQueue<>();
        space.events(JOBS, EnumSet.of(EventKind.WRITTEN)).subscribe(new Flow.Subscriber<>() {
            @Override
            public void onSubscribe(Flow.Subscription subscription) {
                subscriptions.add(subscription);
            }

            @Override
            public void onNext(TupleEvent<Job> event) {
                hear(event);
            }

            @Override
            public void onError(Throwable failure) {
                heard.add(failure.toString());
            }

            @Override
            public void onComplete() {
                heard.add("complete");
            }
        });
        Flow.Subscription subscription = subscriptions.take();
        space.write(job(1));
        space.write(job(2));
        space.write(job(3));
        subscription.request(2);
        assertThat(List.of(next(), next())).containsExactly("1 WRITTEN 1", "2 WRITTEN 2");
        Awaitility.await().during(Duration.ofMillis(50)).until(heard::isEmpty);
        subscription.request(10);
        assertThat(next()).isEqualTo("3 WRITTEN 3");
        space.close();
        assertThat(next()).isEqualTo("complete");
    }

    @Test
    void aSnapshotIsLoadedElsewhereWithTheLeases() throws Exception {
        Path file = directory.resolve("snapshot");
        space.write(Everything.full());
        space.write(Everything.absent());
        space.write(job(1), Duration.ofSeconds(10));
        try (Transaction open = space.begin(LONG)) {
            open.write(job(2));
            assertThat(space.store(file)).isEqualTo(3);
        }
        // Spaces of their own, because the time must not pass for the space under test.
        FakeClock theirs = new FakeClock();
        for (TupleSpace other : List.of(TupleSpaces.memory(SpaceOptions.defaults().clock(theirs)),
                TupleSpaces.open(directory.resolve("other"), SpaceOptions.defaults().clock(theirs)))) {
            try (other) {
                assertThat(other.load(file)).isEqualTo(3);
                assertThat(other.count(Template.of(Record.class))).isEqualTo(3);
                assertThat(other.count(Template.like(Everything.full()))).isEqualTo(1);
                assertThat(other.count(JOBS)).isEqualTo(1);
                theirs.pass(Duration.ofSeconds(10));
                assertThat(other.count(JOBS)).isZero();
                theirs.pass(Duration.ofSeconds(-10));
            }
        }
        assertThat(space.store(file, JOBS)).isEqualTo(1);
        // The clock of a space may be ahead of that of the machine.
        clock.pass(Duration.ofDays(40_000));
        assertThat(space.load(file)).isEqualTo(1);
        clock.pass(Duration.ofDays(-40_000));
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files.map(path -> path.getFileName().toString())).containsOnly("snapshot", "other");
        }
    }

    @Test
    void aThreadThatIsInterruptedHalfwayWritesAndLoadsASnapshot() {
        Path file = directory.resolve("snapshot");
        space.writeAll(List.of(job(1), job(2)), Lease.FOREVER);
        try {
            assertThat(space.store(file, JOBS.test("number", "interrupts", number -> {
                Thread.currentThread().interrupt();
                return true;
            }))).isEqualTo(2);
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
            assertThat(space.load(file)).isEqualTo(2);
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
        assertThat(space.count(JOBS)).isEqualTo(4);
    }

    @Test
    void aSnapshotThatIsNotWholeIsRefusedAndNothingOfItLoaded() throws IOException {
        Path file = directory.resolve("snapshot");
        space.write(job(1));
        space.store(file);
        byte[] whole = Files.readAllBytes(file);
        for (int at = 0; at < whole.length; at++) {
            byte[] damaged = whole.clone();
            damaged[at] ^= 1;
            Files.write(file, damaged);
            assertThatExceptionOfType(SpaceException.class).isThrownBy(() -> space.load(file));
            Files.write(file, java.util.Arrays.copyOf(whole, at));
            assertThatExceptionOfType(SpaceException.class).isThrownBy(() -> space.load(file));
        }
        assertThatExceptionOfType(SpaceException.class).isThrownBy(() -> space.load(directory.resolve("none")));
        assertThat(space.count(JOBS)).isEqualTo(1);
    }

    @Test
    void aSnapshotIsOfOneMomentWhileOthersWrite() throws Exception {
        space.writeAll(List.of(new Circle("a", 500), new Circle("b", 500)), Lease.FOREVER);
        Thread mover = Thread.ofPlatform().start(() -> {
            for (int i = 0; i < 100; i++) {
                try (Transaction transaction = space.begin(LONG)) {
                    Circle a = transaction.take(CIRCLES.equal("name", "a"), NOW).orElseThrow();
                    Circle b = transaction.take(CIRCLES.equal("name", "b"), NOW).orElseThrow();
                    transaction.write(new Circle("a", radius(a) - 1));
                    transaction.write(new Circle("b", radius(b) + 1));
                    transaction.commit();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        });
        for (int i = 0; i < 10; i++) {
            Path file = directory.resolve("moment" + i);
            space.store(file);
            try (TupleSpace other = TupleSpaces.memory()) {
                other.load(file);
                // Tuples that a transaction holds are in their old state: absent.
                long count = other.count(CIRCLES);
                assertThat(count).isIn(0L, 1L, 2L);
                if (count == 2) {
                    assertThat(other.sum(CIRCLES, "radius")).isEqualTo(1000L);
                }
            }
        }
        mover.join();
    }

    private static int radius(Circle circle) {
        return circle.radius() == null ? 0 : circle.radius();
    }
}
