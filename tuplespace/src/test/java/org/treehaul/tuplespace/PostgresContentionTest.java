// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.tuplespace.Shapes.Job;
import org.treehaul.tuplespace.partition.gate.Deaf;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.StoreOptions;
import org.treehaul.tuplespace.store.StoreProviders;
import org.treehaul.tuplespace.tuple.Aggregate;
import org.treehaul.tuplespace.tuple.Template;

/** Processes that change the same tuples of PostgreSQL at the same time each get what is free, and nothing else. */
class PostgresContentionTest {
    private static final Template<Job> JOBS = Template.of(Job.class);
    /** The server cannot evaluate the condition. */
    private static final Template<Job> TESTED = JOBS.test("number", "is a number", number -> true);
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Duration NOW = Duration.ZERO;

    private final PostgresServer server = PostgresServer.shared();
    private final SpaceUri uri = server.fresh();
    private final String schema = uri.address().replaceFirst(".*=", "");
    private final String table = schema + ".\"" + Job.class.getName() + "\"";

    private TupleSpace open() {
        return TupleSpaces.open(uri, SpaceOptions.defaults());
    }

    private static List<Job> jobs(int from, int to) {
        return IntStream.range(from, to).mapToObj(PostgresContentionTest::job).toList();
    }

    private static Job job(int number) {
        return new Job(number, "new", null);
    }

    /** Begins a change of some jobs that is not committed yet. */
    private Connection changing(String sql) throws SQLException {
        Connection other = server.connect();
        other.setAutoCommit(false);
        try (Statement statement = other.createStatement()) {
            statement.execute(sql);
        }
        return other;
    }

    private void awaitWaiting() {
        Awaitility.await()
                .atMost(LONG)
                .until(() -> server.number("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                        + " AND query LIKE '%" + schema + "%'") > 0);
    }

    @Test
    void tuplesThatAreFreeAreTakenWhileTheFirstOnesChangeElsewhere() throws Exception {
        try (TupleSpace space = open()) {
            space.writeAll(jobs(0, 40), Lease.FOREVER);
            try (Connection other = changing("SELECT 1 FROM " + table + " WHERE number < 30 FOR UPDATE")) {
                List<Job> taken = new ArrayList<>(space.takeAll(TESTED, 2));
                taken.addAll(space.takeAll(TESTED, 4));
                taken.add(space.takeIfExists(TESTED, NOW).tuple().orElseThrow());
                try (Transaction transaction = space.begin(LONG)) {
                    taken.add(transaction.takeIfExists(TESTED, NOW).tuple().orElseThrow());
                    transaction.commit();
                }
                taken.addAll(space.takeAll(TESTED, 100));
                assertThat(taken).containsExactlyInAnyOrderElementsOf(jobs(30, 40));
                other.rollback();
            }
            assertThat(space.takeAll(TESTED, 100)).hasSize(30);
        }
    }

    @Test
    void aRemovalThatWaitsForAnotherOneRemovesAllTheRest() throws Exception {
        try (TupleSpace space = open(); Connection other = removing(space)) {
            FutureTask<Long> removal = new FutureTask<>(() -> space.remove(TESTED));
            Thread.ofPlatform().daemon().start(removal);
            awaitWaiting();
            other.commit();
            assertThat(removal.get()).isEqualTo(2498);
            assertThat(space.count(JOBS)).isZero();
        }
    }

    @Test
    void aProcessThatPausesInTheMiddleOfAChangeHindersOthersOnlyForHalfOfItsPatience() throws Exception {
        hindersOthersWhilePaused(uri, Duration.ofSeconds(2), Duration.ofMinutes(1));
    }

    @Test
    void aShorterLimitOfPausesThatAnAdministratorHasSetStays() throws Exception {
        server.role("hasty", "SUPERUSER LOGIN");
        server.run("ALTER ROLE hasty SET idle_in_transaction_session_timeout = '500ms'");
        // The limit of the space would be half a minute.
        hindersOthersWhilePaused(SpaceUri.parse(uri.toString().replace("owner@", "hasty@")), Duration.ofMinutes(2),
                Duration.ofSeconds(20));
    }

    private void hindersOthersWhilePaused(SpaceUri own, Duration patience, Duration ofOthers) throws Exception {
        CountDownLatch stopped = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        try (TupleSpace space = TupleSpaces.open(own, SpaceOptions.defaults().patience(patience));
                TupleSpace other = TupleSpaces.open(uri, SpaceOptions.defaults().patience(ofOthers))) {
            space.write(job(7), Lease.FOREVER);
            Template<Job> pausing = JOBS.test("number", "waits", number -> {
                stopped.countDown();
                await(released);
                return true;
            });
            FutureTask<Result<Job>> taking = new FutureTask<>(() -> space.takeIfExists(pausing, NOW));
            Thread.ofPlatform().daemon().start(taking);
            await(stopped);
            // A table for a new class needs the lock that every change has.
            other.write(new Shapes.Square("first", 1), Lease.FOREVER);
            assertThat(taking.isDone()).isFalse();
            released.countDown();
            assertThat(taking.get()).isEqualTo(new Result.Found<>(job(7)));
            assertThat(other.count(JOBS)).isZero();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private Connection removing(TupleSpace space) throws SQLException {
        space.writeAll(jobs(0, 2499), Lease.FOREVER);
        return changing("DELETE FROM " + table + " WHERE number = 7");
    }

    /** Begins a transaction that takes job 1 while a read, which has begun before it, waits at job 0. */
    private <R> R readWhileAnotherTakes(TupleSpace third, Callable<R> read) throws Exception {
        FutureTask<R> reading = new FutureTask<>(read);
        try (Connection other = changing("DELETE FROM " + table + " WHERE number = 0")) {
            Thread.ofPlatform().daemon().start(reading);
            awaitWaiting();
            try (Transaction taking = third.begin(LONG)) {
                assertThat(taking.take(JOBS, NOW)).isEqualTo(new Result.Found<>(job(1)));
                other.commit();
                return reading.get();
            }
        }
    }

    @Test
    void aTransactionDoesNotReadATupleThatAnotherTakesWhileItWaits() throws Exception {
        for (Template<Job> jobs : List.of(JOBS, TESTED)) {
            try (TupleSpace space = open(); TupleSpace third = open(); Transaction reading = space.begin(LONG)) {
                third.writeAll(jobs(0, 2), Lease.FOREVER);
                assertThat(readWhileAnotherTakes(third, () -> reading.readIfExists(jobs, NOW)))
                        .isEqualTo(new Result.Locked<>());
                assertThat(third.takeAll(JOBS, 10)).containsExactly(job(1));
            }
        }
    }

    @Test
    void aStreamInATransactionDoesNotContainATupleThatAnotherTakesWhileItWaits() throws Exception {
        try (TupleSpace space = open(); TupleSpace third = open(); Transaction reading = space.begin(LONG)) {
            third.writeAll(jobs(0, 3), Lease.FOREVER);
            assertThat(readWhileAnotherTakes(third, () -> {
                try (var all = reading.contents(JOBS)) {
                    return all.toList();
                }
            })).containsExactly(job(2));
            // It keeps only what it saw.
            assertThat(third.takeAll(JOBS, 10)).containsExactly(job(1));
        }
    }

    @Test
    void aReadThatTestsTuplesDoesNotLoadThemAll() throws Exception {
        try (TupleSpace space = open()) {
            space.writeAll(jobs(0, 3), Lease.FOREVER);
            List<Long> open = new ArrayList<>();
            Template<Job> tested = JOBS.test("number", "is 1", number -> {
                try {
                    open.add(server.number("SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction'"
                            + " AND query LIKE '%" + schema + "%'"));
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
                return number.equals(1L);
            });
            assertThat(space.read(tested, NOW)).isEqualTo(new Result.Found<>(job(1)));
            // The driver reads in portions only within a transaction of the server.
            assertThat(open).containsExactly(1L, 1L);
        }
    }

    /** The pool does not ask a connection whether it works that was used less than half a second ago. */
    @Test
    void operationsAreRepeatedAfterAnIdleConnectionBroke() throws Exception {
        String name = "c" + schema;
        try (TupleSpace space = TupleSpaces.open(SpaceUri.parse(uri + "&application_name=" + name),
                SpaceOptions.defaults())) {
            space.write(job(1));
            List<Callable<?>> operations = List.of(() -> space.atomically(tuples -> tuples.write(job(2))),
                    () -> space.read(JOBS, NOW), () -> space.readIfExists(SpaceFixture.numbered(3), NOW),
                    () -> space.takeIfExists(SpaceFixture.numbered(3), NOW), () -> contents(space).size(),
                    () -> space.count(JOBS), () -> space.count(Template.of(Record.class)),
                    () -> space.groupBy(JOBS, List.of("state"), Aggregate.count()).size());
            for (Callable<?> operation : operations) {
                assertThat(server.number(
                        "SELECT count(pg_terminate_backend(pid, 60000)) FROM pg_stat_activity WHERE application_name = '"
                                + name + "'"))
                        .isPositive();
                operation.call();
            }
            assertThat(contents(space)).containsExactlyInAnyOrder(job(1), job(2));
        }
    }

    private static List<Job> contents(TupleSpace space) {
        try (Stream<Job> contents = space.contents(JOBS)) {
            return contents.toList();
        }
    }

    @Test
    void anInterruptBreaksNoConnectionOfAVirtualThread() throws Exception {
        try (TupleSpace space = open()) {
            space.write(job(1));
            FutureTask<Long> work = new FutureTask<>(() -> {
                Thread.currentThread().interrupt();
                long count = space.count(JOBS);
                space.atomically(tuples -> {
                    tuples.write(job(2));
                    return tuples.write(job(3));
                });
                try (var all = space.contents(JOBS)) {
                    count += all.count();
                }
                assertThat(Thread.currentThread().isInterrupted()).isTrue();
                return count;
            });
            Thread.ofVirtual().start(work);
            assertThat(work.get()).isEqualTo(4);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anInterruptedThreadOpensBeginsTheFirstTransactionAndHearsOfTuples(boolean isVirtual) throws Exception {
        FutureTask<Integer> work = new FutureTask<>(() -> {
            Thread.currentThread().interrupt();
            BlockingQueue<TupleEvent<Job>> heard = new LinkedBlockingQueue<>();
            try (TupleSpace space = open(); TupleSpace listening = open()) {
                listening.on(JOBS, Set.of(EventKind.WRITTEN), heard::add);
                try (Transaction transaction = space.begin(LONG)) {
                    transaction.write(job(1));
                    transaction.commit();
                }
                assertThat(Thread.interrupted()).isTrue();
                return Objects.requireNonNull(heard.poll(LONG.toSeconds(), TimeUnit.SECONDS)).tuple().number();
            }
        });
        (isVirtual ? Thread.ofVirtual() : Thread.ofPlatform()).start(work);
        assertThat(work.get()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aSpaceThatAnInterruptedThreadClosesKeepsNoThreadAndNoConnection(boolean isVirtual) throws Exception {
        String name = "closed-by-" + schema;
        TupleSpace space = TupleSpaces.open(SpaceUri.parse(uri + "&application_name=" + name), SpaceOptions.defaults());
        space.writeAll(jobs(0, 10), Lease.FOREVER);
        space.begin(LONG);
        // A second connection at the same time is made by a thread of the pool, which then lives for some seconds.
        Stream<Job> open = space.contents(Template.of(Record.class)).map(Job.class::cast);
        assertThat(space.count(JOBS)).isEqualTo(10);
        FutureTask<Boolean> work = new FutureTask<>(() -> {
            Thread.currentThread().interrupt();
            space.close();
            return Thread.currentThread().isInterrupted();
        });
        (isVirtual ? Thread.ofVirtual() : Thread.ofPlatform()).start(work);
        assertThat(work.get()).isTrue();
        Awaitility.await()
                .atMost(LONG)
                .until(() -> Thread.getAllStackTraces()
                        .keySet()
                        .stream()
                        .noneMatch(one -> one.getName().contains("schema=" + schema + ":")));
        Awaitility.await()
                .atMost(LONG)
                .until(() -> server
                        .number("SELECT count(*) FROM pg_stat_activity WHERE application_name = '" + name + "'") == 0);
        assertThat(open).isNotNull();
    }

    @Test
    void aProcessThatUsesAllOfItsConnectionsGetsTheRemedyAndContinuesWhenOneIsFree() throws Exception {
        try (TupleSpace space = TupleSpaces.open(uri, SpaceOptions.defaults().patience(Duration.ofMillis(300)))) {
            space.writeAll(jobs(0, 10), Lease.FOREVER);
            List<Stream<Record>> streams = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                streams.add(space.contents(Template.of(Record.class)));
            }
            assertThatExceptionOfType(SpaceException.class).isThrownBy(() -> space.count(JOBS))
                    .satisfies(e -> assertThat(e.reason()).isEqualTo(SpaceException.Reason.BUSY))
                    .withMessageContaining("close streams of contents");
            streams.removeLast().close();
            assertThat(space.count(JOBS)).isEqualTo(10);
            streams.forEach(Stream::close);
        }
    }

    @Test
    void processesThatMakeTheSameSpaceAtTheSameTimeShareIt() throws Exception {
        List<FutureTask<Boolean>> opening = new ArrayList<>();
        try (Connection other = changing(
                "SELECT pg_advisory_xact_lock(hashtextextended('treehaul " + schema + "', 0))")) {
            for (int i = 0; i < 4; i++) {
                int number = i;
                opening.add(new FutureTask<>(() -> {
                    try (TupleSpace space = open()) {
                        space.write(job(number));
                        return true;
                    }
                }));
                Thread.ofPlatform().daemon().start(opening.get(i));
            }
            // Each has seen that there is no space.
            Awaitility.await()
                    .atMost(LONG)
                    .until(() -> server.number("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                            + " AND query LIKE '%hashtextextended%'") >= opening.size());
            other.commit();
        }
        for (FutureTask<Boolean> one : opening) {
            assertThat(one.get()).isTrue();
        }
        try (TupleSpace space = open()) {
            assertThat(space.takeAll(JOBS, 10)).containsExactlyInAnyOrderElementsOf(jobs(0, 4));
        }
    }

    /** Writes while a job is there that another connection is taking away. */
    private Optional<long[]> writeWhileTaken(Template<Job> guard, List<Job> written, boolean isTaken) throws Exception {
        StoreOptions options = SpaceOptions.defaults().store();
        try (TupleSpace space = open();
                Store store = StoreProviders.of(uri).open(uri, options, new Deaf());
                Connection other = removing(space)) {
            FutureTask<Optional<long[]>> writing = new FutureTask<>(
                    () -> store.writeWhile(guard, written, written.stream().mapToLong(one -> Store.NEVER).toArray()));
            Thread.ofPlatform().daemon().start(writing);
            awaitWaiting();
            if (isTaken) {
                other.commit();
            } else {
                other.rollback();
            }
            Optional<long[]> ids = writing.get();
            assertThat(space.count(JOBS.range("number", 3000, 4000))).isEqualTo(ids.isPresent() ? written.size() : 0);
            space.remove(JOBS);
            return ids;
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void aWriteThatDependsOnATupleWaitsUntilItIsCertainThatItStays(int tuples) throws Exception {
        List<Job> written = jobs(3000, 3000 + tuples);
        for (Template<Job> guard : List.of(JOBS.equal("number", 7),
                JOBS.test("number", "is 7", number -> ((Number) number).intValue() == 7))) {
            assertThat(writeWhileTaken(guard, written, true)).isEmpty();
            assertThat(writeWhileTaken(guard, written, false)).hasValueSatisfying(
                    ids -> assertThat(ids).hasSize(tuples).doesNotHaveDuplicates().doesNotContain(0));
        }
    }
}
