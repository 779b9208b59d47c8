// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.treehaul.tuplespace.Shapes.Job;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.tuple.Template;

/** A server that is killed while callers wait and watch, and is started again. */
class PostgresRestartTest {
    private static final Template<Job> JOBS = Template.of(Job.class);
    private static final Duration LONG = Duration.ofSeconds(60);
    /** A caller who waits tries once more at the end of its time, so that must come after the test has failed. */
    private static final Duration EVER = Duration.ofHours(1);
    private static final Duration NOW = Duration.ZERO;

    @SuppressWarnings("NullAway") // set by JUnit
    private static PostgresServer server;

    private final SpaceUri uri = server.fresh();
    private final String schema = uri.address().replaceFirst(".*=", "");
    private final BlockingQueue<TupleEvent<Job>> heard = new LinkedBlockingQueue<>();

    @BeforeAll
    static void start() {
        server = PostgresServer.start("fsync=off");
    }

    /** A test that failed may have left it killed. */
    @BeforeEach
    void revive() {
        server.revive();
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    private TupleSpace open() {
        return TupleSpaces.open(uri, SpaceOptions.defaults());
    }

    private static Job job(int number) {
        return new Job(number, "new", null);
    }

    private Registration hear(TupleSpace space) {
        return space.on(JOBS, Set.of(EventKind.WRITTEN), heard::add);
    }

    private TupleEvent<Job> next() throws InterruptedException {
        @Nullable TupleEvent<Job> next = heard.poll(LONG.toSeconds(), TimeUnit.SECONDS);
        if (next == null) {
            throw new AssertionError("no event came");
        }
        return next;
    }

    private void awaitWatchers(int number) {
        Awaitility.await()
                .atMost(LONG)
                .ignoreExceptions()
                .until(() -> server.number("SELECT count(*) FROM " + schema + ".\"$watchers\"") == number);
    }

    @Test
    void callersAndWatchersGoOnWhenTheServerIsBack() throws Exception {
        try (TupleSpace one = open(); TupleSpace other = open()) {
            one.write(job(0));
            Transaction transaction = one.begin(EVER);
            assertThat(transaction.take(SpaceFixture.numbered(0), NOW).isFound()).isTrue();
            List<CompletableFuture<Result<Job>>> waiting = List.of(one.takeAsync(SpaceFixture.numbered(1), EVER),
                    one.readAsync(SpaceFixture.numbered(2), EVER),
                    one.takeAsync(Template.of(Job.class).equal("number", 3).equal("state", "new"), EVER));
            CompletableFuture<Job> within = CompletableFuture.supplyAsync(() -> {
                try {
                    return transaction.take(SpaceFixture.numbered(4), EVER).orElseThrow();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }, task -> Thread.ofPlatform().daemon().start(task));
            Registration registration = hear(one);
            other.write(job(10));
            assertThat(next().tuple()).isEqualTo(job(10));

            server.kill();
            assertThat(waiting).noneMatch(CompletableFuture::isDone);
            assertThat(within).isNotDone();
            server.begin();

            other.write(job(11));
            IntStream.rangeClosed(1, 4).forEach(number -> other.write(job(number)));
            for (int i = 0; i < waiting.size(); i++) {
                assertThat(waiting.get(i)).succeedsWithin(LONG).isEqualTo(new Result.Found<>(job(i + 1)));
            }
            assertThat(within).succeedsWithin(LONG).isEqualTo(job(4));
            for (int number : new int[]{11, 1, 2, 3, 4}) {
                TupleEvent<Job> event = next();
                assertThat(event.tuple()).isEqualTo(job(number));
                assertThat(event.isAfterGap()).isFalse();
            }
            assertThat(registration.lost()).isZero();
            assertThat(other.takeIfExists(SpaceFixture.numbered(0), NOW)).isEqualTo(new Result.Locked<>());
            transaction.commit();
            assertThat(one.count(JOBS)).isEqualTo(3);
        }
    }

    @Test
    void callersFailWithTheRemedyIfTheServerStaysAwayAndWatchersGoOnWhenItIsBack() throws Exception {
        try (TupleSpace one = TupleSpaces.open(uri, SpaceOptions.defaults().patience(Duration.ofMillis(500)));
                TupleSpace other = open()) {
            List<CompletableFuture<Result<Job>>> waiting = List.of(one.takeAsync(SpaceFixture.numbered(1), EVER),
                    one.readAsync(SpaceFixture.numbered(2), EVER));
            hear(one);
            awaitWatchers(1);
            server.kill();
            try {
                for (CompletableFuture<Result<Job>> each : waiting) {
                    assertThatExceptionOfType(ExecutionException.class)
                            .isThrownBy(() -> each.get(LONG.toSeconds(), TimeUnit.SECONDS))
                            .withMessageContaining("check that a server runs there")
                            .withCauseInstanceOf(SpaceException.class);
                }
                SpaceFixture.reason(Reason.IO, () -> one.takeIfExists(JOBS, NOW));
            } finally {
                server.begin();
            }
            other.write(job(1));
            assertThat(next().tuple()).isEqualTo(job(1));
            assertThat(one.take(JOBS, LONG).isFound()).isTrue();
        }
    }

    @Test
    void aWatcherThatOthersTookForDeadGetsTheMarkOfAGapAndAllLaterEvents() throws Exception {
        server.role("watcher", "LOGIN");
        server.run("GRANT CREATE ON DATABASE postgres TO watcher");
        SpaceUri own = SpaceUri.parse(uri.toString().replace("owner@", "watcher@"));
        try (TupleSpace one = TupleSpaces.open(own, SpaceOptions.defaults()); TupleSpace other = open()) {
            one.write(job(0));
            Registration registration = hear(one);
            other.write(job(1));
            assertThat(next().isAfterGap()).isFalse();
            server.run("ALTER ROLE watcher NOLOGIN");
            server.kill();
            server.begin();
            other.sweep();
            Awaitility.await().atMost(LONG).until(() -> {
                // As if ten seconds had passed since others noticed that it is away.
                server.run("UPDATE " + schema + ".\"$clients\" SET lost = 1 WHERE lost IS NOT NULL");
                try (TupleSpace third = open()) {
                    third.sweep();
                }
                return server.number("SELECT count(*) FROM " + schema + ".\"$watchers\"") == 0;
            });
            other.write(job(2));
            server.run("ALTER ROLE watcher LOGIN");
            awaitWatchers(1);
            assertThat(registration.lost()).isPositive();
            other.write(job(3));
            TupleEvent<Job> after = next();
            assertThat(after.tuple()).isEqualTo(job(3));
            assertThat(after.isAfterGap()).isTrue();
            other.write(job(4));
            TupleEvent<Job> last = next();
            assertThat(last.tuple()).isEqualTo(job(4));
            assertThat(last.isAfterGap()).isFalse();
        }
    }

    @Test
    void aServerWithOlderDataThatTakesThePlaceOfTheFirstIsAGap() throws Exception {
        try (TupleSpace one = open(); TupleSpace other = open()) {
            Registration registration = hear(one);
            IntStream.range(0, 20).forEach(number -> other.write(job(number)));
            for (int i = 0; i < 20; i++) {
                assertThat(next().tuple()).isEqualTo(job(i));
            }
            // As a standby has it that the last changes had not reached.
            server.run("UPDATE " + schema + ".\"$space\" SET changes = changes - 10; DELETE FROM " + schema
                    + ".\"$changes\" WHERE sequence > (SELECT changes FROM " + schema + ".\"$space\")");
            Awaitility.await().atMost(LONG).until(() -> registration.lost() > 0);
            other.write(job(100));
            TupleEvent<Job> after = next();
            assertThat(after.tuple()).isEqualTo(job(100));
            assertThat(after.isAfterGap()).isTrue();
        }
    }

    @Test
    void aCallerThatWaitsIsServedAlsoIfTheServerAdmitsNoConnectionOfItThatListens() throws Exception {
        server.role("limited", "LOGIN");
        server.run("GRANT CREATE ON DATABASE postgres TO limited");
        SpaceUri own = SpaceUri.parse(uri.toString().replace("owner@", "limited@"));
        SpaceOptions options = SpaceOptions.defaults().patience(Duration.ofMillis(500));
        try (TupleSpace one = TupleSpaces.open(own, options); TupleSpace other = open()) {
            one.write(job(0));
            assertThat(one.takeIfExists(JOBS, NOW).isFound()).isTrue();
            CompletableFuture<Result<Job>> waiting = one.takeAsync(JOBS, EVER);
            awaitWatchers(1);
            server.run("ALTER ROLE limited CONNECTION LIMIT 1");
            try {
                server.endListeners(uri);
                // It tries to connect each 200 ms, so it has lost its patience, and looked once, before the last time.
                Awaitility.await().atMost(LONG).until(() -> server.log().split("too many connections", -1).length > 6);
                assertThat(waiting).isNotDone();
                other.write(job(1));
                assertThat(waiting).succeedsWithin(LONG).isEqualTo(new Result.Found<>(job(1)));
            } finally {
                server.run("ALTER ROLE limited CONNECTION LIMIT -1");
            }
        }
    }
}
