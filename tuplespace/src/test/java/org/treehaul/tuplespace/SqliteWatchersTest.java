// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.core.testing.InMemory;
import org.treehaul.tuplespace.Shapes.Job;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.tuple.Template;

/** Spaces that share a file notice each other's changes while one of them writes for long. */
class SqliteWatchersTest extends WatchersContract {
    private static final Duration MINUTE = Duration.ofSeconds(61);
    /** Longer than the test may take. */
    private static final Duration VERY_LONG = Duration.ofMinutes(10);

    @TempDir(factory = InMemory.class)
    Path directory;

    private final FakeClock clock = new FakeClock();
    private final SpaceOptions options = SpaceOptions.defaults().clock(clock);

    @SuppressWarnings("NullAway") // set by JUnit
    SqliteWatchersTest() {}

    @Override
    TupleSpace open() {
        return TupleSpaces.open(directory, options);
    }

    private Connection connect() throws SQLException {
        return DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("space.db"));
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static long number(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement(); ResultSet row = statement.executeQuery(sql)) {
            assertThat(row.next()).isTrue();
            return row.getLong(1);
        }
    }

    @Test
    void everyWriteOfALongTransactionIsNotifiedInOtherProcesses() throws Exception {
        try (TupleSpace space = open(); TupleSpace writer = open()) {
            hear(space);
            writer.atomically(tuples -> {
                tuples.write(job(1));
                clock.pass(MINUTE);
                return tuples.write(job(2));
            });
            assertThat(next()).isEqualTo(1);
            assertThat(next()).isEqualTo(2);
        }
    }

    @Test
    void aLongTransactionDoesNotExpireWatchers() throws Exception {
        try (TupleSpace one = open(); TupleSpace other = open(); Connection file = connect()) {
            long start = clock.millis();
            execute(file,
                    "INSERT INTO \"$watchers\" VALUES ('slow', " + (start + 60_000) + "), ('dead', " + start + ")");
            one.atomically(tuples -> {
                clock.pass(MINUTE);
                return tuples.write(job(1));
            });
            other.write(job(2));
            assertThat(number(file, "SELECT count(*) FROM \"$changes\"")).isEqualTo(2);
            assertThat(number(file, "SELECT max(expires) FROM \"$watchers\" WHERE id = 'dead'")).isEqualTo(start);
            // Outside transactions, the time counts.
            clock.pass(MINUTE);
            one.write(job(3));
            other.write(job(4));
            assertThat(number(file, "SELECT count(*) FROM \"$changes\"")).isZero();
        }
    }

    @Test
    @Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aSpaceThatWatchesIsClosedWhileAnotherProcessWrites() throws Exception {
        TupleSpace space = TupleSpaces.open(directory, options.patience(VERY_LONG));
        hear(space);
        try (Connection file = connect()) {
            execute(file, "BEGIN IMMEDIATE");
            // The space would renew its watch now.
            clock.pass(MINUTE);
            space.close();
            assertThat(number(file, "SELECT count(*) FROM \"$watchers\"")).isEqualTo(1);
        }
    }

    @Test
    void aWatcherThatFindsTheFileBusyIsRefusedAndLaterNotifiedOnce() throws Exception {
        try (TupleSpace space = TupleSpaces.open(directory, options.patience(Duration.ZERO));
                TupleSpace writer = open();
                Connection file = connect()) {
            execute(file, "BEGIN IMMEDIATE");
            assertThatExceptionOfType(SpaceException.class).isThrownBy(() -> hear(space))
                    .satisfies(e -> assertThat(e.reason()).isEqualTo(SpaceException.Reason.BUSY));
            execute(file, "COMMIT");
            hear(space);
            writer.write(job(1));
            writer.write(job(2));
            assertThat(next()).isEqualTo(1);
            assertThat(next()).isEqualTo(2);
        }
    }

    @Test
    void aSubscriberThatCannotBeginReceivesTheError() throws Exception {
        BlockingQueue<Throwable> errors = new LinkedBlockingQueue<>();
        try (TupleSpace space = TupleSpaces.open(directory, options.patience(Duration.ZERO));
                Connection file = connect()) {
            execute(file, "BEGIN IMMEDIATE");
            space.events(Template.of(Job.class), EnumSet.of(EventKind.WRITTEN)).subscribe(new Flow.Subscriber<>() {
                @Override
                public void onSubscribe(Flow.Subscription subscription) {
                    subscription.request(1);
                }

                @Override
                public void onNext(TupleEvent<Job> event) {
                    heard.add(event.tuple().number());
                }

                @Override
                public void onError(Throwable error) {
                    errors.add(error);
                }

                @Override
                public void onComplete() {
                    errors.add(new AssertionError("it had ended already"));
                }
            });
        }
        assertThat(errors).singleElement().isInstanceOf(SpaceException.class);
    }

    @Test
    void aDelayedWatcherIsNotifiedOfItsLoss() throws Exception {
        CountDownLatch isHeldUp = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Template<Job> slow = Template.of(Job.class).test("number", "is slow", number -> {
            isHeldUp.countDown();
            try {
                goOn.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return true;
        });
        try (TupleSpace space = open(); TupleSpace writer = open()) {
            Registration registration = space.on(slow, EnumSet.of(EventKind.WRITTEN),
                    event -> heard.add(event.tuple().number()));
            writer.write(job(1));
            isHeldUp.await();
            clock.pass(MINUTE);
            writer.write(job(2));
            goOn.countDown();
            assertThat(next()).isEqualTo(1);
            Awaitility.await().until(() -> registration.lost() > 0);
            writer.write(job(3));
            assertThat(next()).isEqualTo(3);
            assertThat(registration.lost()).isEqualTo(1);
        }
    }

    @Test
    void aWatcherOfANewSpaceIsNotifiedIfItsFirstChangesWereDeletedBeforeItReadThem() throws Exception {
        try (TupleSpace space = open(); Connection file = connect()) {
            Registration registration = hear(space);
            execute(file, "INSERT INTO \"$changes\"(sequence, origin, kind, type, tuple) "
                    + "VALUES (5, 'other', 'WRITTEN', 'a type of another program', x'00')");
            Awaitility.await().until(() -> registration.lost() > 0);
        }
    }

    @Test
    void aCallerThatWaitsTakesOneTupleEvenIfItsAttemptGivesBackAnother() throws Exception {
        AtomicBoolean isLate = new AtomicBoolean();
        Template<Job> late = JOBS.test("number", "is late", number -> {
            if (isLate.getAndSet(false)) {
                clock.pass(MINUTE);
            }
            return false;
        });
        try (TupleSpace space = open(); TupleSpace writer = open()) {
            writer.write(job(1));
            Transaction holding = writer.begin(Duration.ofSeconds(60));
            assertThat(holding.take(JOBS, NOW).isFound()).isTrue();
            CompletableFuture<Result<Job>> first = space.takeAsync(late, EVER);
            CompletableFuture<Result<Job>> second = space.takeAsync(JOBS, EVER);
            isLate.set(true);
            // The lease of the transaction ends between the attempts of the two.
            writer.write(job(2));
            assertThat(second).succeedsWithin(LONG).extracting(Result::isFound).isEqualTo(true);
            assertThat(space.count(JOBS)).isEqualTo(1);
            assertThat(first).isNotDone();
        }
    }

    @Test
    void aCallerThatBeginsToWaitIsNotifiedOfWhatItsOwnAttemptGivesBack() throws Exception {
        AtomicBoolean isLate = new AtomicBoolean();
        Template<Job> late = JOBS.equal("number", 1).test("state", "is late", state -> {
            if (isLate.getAndSet(false)) {
                clock.pass(MINUTE);
            }
            return false;
        });
        try (TupleSpace space = open()) {
            space.writeAll(List.of(job(1), job(2)), Lease.FOREVER);
            Transaction shorter = space.begin(Duration.ofSeconds(60));
            Transaction longer = space.begin(Duration.ofMinutes(2));
            assertThat(shorter.take(JOBS.equal("number", 1), NOW).isFound()).isTrue();
            assertThat(longer.take(JOBS.equal("number", 2), NOW).isFound()).isTrue();
            CompletableFuture<Result<Job>> first = space.takeAsync(late, EVER);
            CompletableFuture<Result<Job>> second = space.takeAsync(JOBS.equal("number", 1), EVER);
            isLate.set(true);
            clock.pass(MINUTE);
            // Its attempt ends the shorter transaction; then those of the others pass the time, and end the longer one.
            CompletableFuture<Result<Job>> third = space.takeAsync(JOBS.equal("number", 2), EVER);
            assertThat(second).succeedsWithin(LONG).isEqualTo(new Result.Found<>(job(1)));
            assertThat(third).succeedsWithin(LONG).isEqualTo(new Result.Found<>(job(2)));
            assertThat(first).isNotDone();
        }
    }

    @Test
    @Tag("campaign")
    void theFirstOfMoreThanAMillionChangesInOneTransactionAreAGap() throws Exception {
        BlockingQueue<TupleEvent<Job>> events = new LinkedBlockingQueue<>();
        try (TupleSpace space = open(); TupleSpace writer = open()) {
            space.on(Template.of(Job.class), EnumSet.of(EventKind.WRITTEN), event -> {
                if (events.isEmpty()) {
                    events.add(event);
                }
            });
            writer.atomically(tuples -> {
                for (int i = 1; i < 1_002_000; i++) {
                    tuples.write(job(i));
                }
                return tuples.write(job(1_002_000));
            });
            TupleEvent<Job> first = events.take();
            assertThat(first.isAfterGap()).isTrue();
            assertThat(first.tuple().number()).isEqualTo(2001);
        }
    }
}
