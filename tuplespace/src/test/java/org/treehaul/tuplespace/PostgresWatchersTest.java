// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.tuplespace.Shapes.Job;
import org.treehaul.tuplespace.postgresql.connection.Cable;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceUri;

/** Spaces that share a schema, as processes on several nodes do. */
class PostgresWatchersTest extends WatchersContract {
    private final PostgresServer server = PostgresServer.shared();
    private final SpaceUri uri = server.fresh();

    private String schema = "";

    @BeforeEach
    void name() {
        schema = uri.address().replaceFirst(".*=", "");
    }

    @Override
    TupleSpace open() {
        return TupleSpaces.open(uri, SpaceOptions.defaults());
    }

    @Test
    void aCallerThatWaitsAlsoGetsATupleOfWhichItIsNotNotified() throws Exception {
        try (TupleSpace one = open(); TupleSpace other = open()) {
            CompletableFuture<Result<Job>> waiting = one.takeAsync(JOBS, EVER);
            Awaitility.await().until(() -> server.number("SELECT count(*) FROM " + schema + ".\"$watchers\"") == 1);
            server.run("DELETE FROM " + schema + ".\"$watchers\"");
            other.write(job(1));
            assertThat(waiting).succeedsWithin(LONG).isEqualTo(new Result.Found<>(job(1)));
        }
    }

    @Test
    void notificationsOfAnyRoleWithAnyContentChangeNothing() throws Exception {
        server.role("stranger", "LOGIN");
        try (TupleSpace one = open(); TupleSpace other = open()) {
            Registration registration = hear(one);
            CompletableFuture<Result<Job>> waiting = one.takeAsync(JOBS.equal("number", 2), EVER);
            server.runAs("stranger",
                    "SELECT pg_notify('treehaul " + schema + "', content) FROM (VALUES ('DROP TABLE x'),"
                            + " (''), (chr(1) || '\"'';\\' || chr(10)), (repeat(chr(8364), 2600))) garbage(content)");
            server.runAs("stranger", "SELECT pg_notify('treehaul " + schema + "', number::text)"
                    + " FROM generate_series(1, 5000) number");
            other.write(job(1));
            other.write(job(2));
            assertThat(next()).isEqualTo(1);
            assertThat(next()).isEqualTo(2);
            assertThat(waiting).succeedsWithin(LONG).isEqualTo(new Result.Found<>(job(2)));
            assertThat(heard).isEmpty();
            assertThat(registration.lost()).isZero();
        }
    }

    /** Returns a space whose server does not notify it: its LISTEN is for another channel. */
    private TupleSpace unheard(Cable cable) {
        return TupleSpaces.open(SpaceUri.parse(uri.toString().replace(":" + server.port(), ":" + cable.port())),
                SpaceOptions.defaults());
    }

    @Test
    void callersAndWatchersOfWhichAllNotificationsAreLostStillSeeEverything() throws Exception {
        try (Cable cable = Cable.changing(server.port(), text -> text.replace("LISTEN \"tree", "LISTEN \"free"));
                TupleSpace one = unheard(cable);
                TupleSpace other = open()) {
            CompletableFuture<Result<Job>> waiting = one.takeAsync(JOBS.equal("number", 0), EVER);
            Awaitility.await().until(() -> server.number("SELECT count(*) FROM " + schema + ".\"$watchers\"") == 1);
            other.write(job(0));
            assertThat(waiting).succeedsWithin(LONG).isEqualTo(new Result.Found<>(job(0)));
            Registration registration = hear(one);
            for (int i = 1; i < 1500; i++) {
                other.write(job(i));
            }
            for (int i = 1; i < 1500; i++) {
                assertThat(next()).isEqualTo(i);
            }
            assertThat(registration.lost()).isZero();
            assertThat(server.number("SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'"
                    + " AND query LIKE '%" + schema + "%' AND query LIKE '%\"tree%'")).isZero();
        }
    }

    @Test
    void aBrokenConnectionLosesNoEventIfItIsSoonMadeAgain() throws Exception {
        try (TupleSpace one = open(); TupleSpace other = open()) {
            Registration registration = hear(one);
            other.write(job(1));
            assertThat(next()).isEqualTo(1);
            server.endListeners(uri);
            other.write(job(2));
            assertThat(next()).isEqualTo(2);
            assertThat(registration.lost()).isZero();
        }
    }

    @Test
    void aWatcherThatOthersHaveRemovedIsNotifiedOfItsLoss() throws Exception {
        try (TupleSpace one = open(); TupleSpace other = open()) {
            Registration registration = hear(one);
            server.run("DELETE FROM " + schema + ".\"$clients\"; DELETE FROM " + schema + ".\"$watchers\"");
            other.write(job(1));
            server.endListeners(uri);
            Awaitility.await().atMost(LONG).until(() -> registration.lost() > 0);
            Awaitility.await()
                    .atMost(LONG)
                    .until(() -> server.number("SELECT count(*) FROM " + schema + ".\"$watchers\" WHERE events") == 1);
            other.write(job(2));
            assertThat(next()).isEqualTo(2);
        }
    }

    @Test
    @Tag("rig")
    void theTransactionOfAProcessThatDiesEnds() throws Exception {
        try (TupleSpace space = open()) {
            space.write(job(1));
            Process child = Child.start("hold", uri, Duration.ofHours(1).toMillis());
            try (BufferedReader said = child.inputReader()) {
                assertThat(said.readLine()).isEqualTo("ready");
                assertThat(space.takeIfExists(JOBS, NOW)).isEqualTo(new Result.Locked<>());
            } finally {
                child.destroyForcibly().waitFor();
            }
            assertThat(space.take(JOBS, LONG)).isEqualTo(new Result.Found<>(job(1)));
            assertThat(space.count(JOBS)).isZero();
            assertThat(server.number("SELECT count(*) FROM " + schema + ".\"$transactions\"")).isZero();
        }
    }

    @Test
    void theTransactionOfALiveProcessSurvivesABrokenConnection() throws Exception {
        try (TupleSpace space = open(); TupleSpace other = open(); Transaction transaction = space.begin(LONG)) {
            transaction.write(job(1));
            server.endListeners(uri);
            other.sweep();
            transaction.write(job(2));
            transaction.commit();
            assertThat(other.count(JOBS)).isEqualTo(2);
        }
    }

    /** Returns the time until an end on the clock of the server. */
    private Duration left(String column, String table) throws Exception {
        return Duration.ofMillis(server.number("SELECT max(" + column
                + ") - (extract(epoch FROM clock_timestamp()) * 1000)::bigint FROM " + schema + "." + table));
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 1})
    void leasesEndByTheClockOfTheServerAlsoWhereThatOfANodeIsAnHourWrong(int hours) throws Exception {
        String jobs = '"' + Job.class.getName() + '"';
        Duration wrong = Duration.ofHours(hours);
        try (TupleSpace space = TupleSpaces.open(uri, SpaceOptions.defaults().clock(new WrongClock(wrong)));
                TupleSpace other = open()) {
            Lease lease = space.write(job(1), Duration.ofMinutes(30));
            assertThat(left("\"$expires\"", jobs)).isBetween(Duration.ofMinutes(29), Duration.ofMinutes(30));
            assertThat(Duration.between(InstantSource.system().instant().plus(wrong), lease.expiration()))
                    .isBetween(Duration.ofMinutes(29), Duration.ofMinutes(30));
            other.write(job(2), Duration.ofMinutes(20));
            space.sweep();
            other.sweep();
            assertThat(space.count(JOBS)).isEqualTo(2);
            assertThat(space.read(JOBS.equal("number", 2), NOW).isFound()).isTrue();
            assertThat(other.read(JOBS.equal("number", 1), NOW).isFound()).isTrue();
            lease.renew(Duration.ofMinutes(50));
            assertThat(left("\"$expires\"", jobs)).isBetween(Duration.ofMinutes(49), Duration.ofMinutes(50));
            try (Transaction transaction = space.begin(Duration.ofMinutes(30))) {
                assertThat(left("expires", "\"$transactions\"")).isBetween(Duration.ofMinutes(29),
                        Duration.ofMinutes(30));
                transaction.write(job(3));
                assertThat(transaction.take(JOBS.equal("number", 2), NOW).isFound()).isTrue();
                space.sweep();
                other.sweep();
                transaction.lease().renew(Duration.ofMinutes(50));
                assertThat(left("expires", "\"$transactions\"")).isBetween(Duration.ofMinutes(49),
                        Duration.ofMinutes(50));
                transaction.commit();
            }
            assertThat(other.count(JOBS)).isEqualTo(2);
            Transaction ended = space.begin(Duration.ofMinutes(30));
            ended.take(JOBS.equal("number", 3), NOW);
            // A minute ago on the clock of the server, which for one of the nodes is in an hour.
            String past = "(extract(epoch FROM now()) * 1000)::bigint - 60000";
            server.run("UPDATE " + schema + ".\"$transactions\" SET expires = " + past);
            other.sweep();
            SpaceFixture.reason(SpaceException.Reason.TRANSACTION_ENDED, ended::commit);
            assertThat(space.count(JOBS.equal("number", 3))).isEqualTo(1);
            server.run("UPDATE " + schema + "." + jobs + " SET \"$expires\" = " + past);
            assertThat(space.read(JOBS, NOW).isFound()).isFalse();
            assertThat(other.read(JOBS, NOW).isFound()).isFalse();
            SpaceFixture.reason(SpaceException.Reason.UNKNOWN_LEASE, lease::cancel);
        }
    }

    @Test
    void theEndOfALeaseIsReportedInTimeWhereTheClockOfTheNodeIsAnHourBehind() {
        try (TupleSpace space = TupleSpaces.open(uri,
                SpaceOptions.defaults().clock(new WrongClock(Duration.ofHours(-1))))) {
            CompletableFuture<Integer> ended = new CompletableFuture<>();
            space.on(JOBS, Set.of(EventKind.EXPIRED), Duration.ofMinutes(10),
                    event -> ended.complete(event.tuple().number()));
            space.write(job(7), Duration.ofMillis(100));
            assertThat(ended).succeedsWithin(LONG).isEqualTo(7);
        }
    }
}
