// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.tuplespace.Shapes.Job;
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

    /** Ends all connections of spaces in the schema that wait for notifications. */
    private void cutWatchers() throws Exception {
        server.run("SELECT pg_terminate_backend(pid) FROM pg_locks l WHERE locktype = 'advisory' AND objsubid = 2"
                + " AND classid = to_regnamespace('" + schema + "')::oid AND objid >= 16");
    }

    @Test
    void aCallerThatWaitsAlsoGetsATupleOfWhichItIsNotNotified() throws Exception {
        try (TupleSpace one = open(); TupleSpace other = open()) {
            CompletableFuture<Result<Job>> waiting = one.takeAsync(JOBS, LONG);
            Awaitility.await().until(() -> server.number("SELECT count(*) FROM " + schema + ".\"$watchers\"") == 1);
            server.run("DELETE FROM " + schema + ".\"$watchers\"");
            other.write(job(1));
            assertThat(waiting).succeedsWithin(LONG).isEqualTo(new Result.Found<>(job(1)));
        }
    }

    @Test
    void aNotificationByAnyoneChangesNothing() throws Exception {
        try (TupleSpace one = open(); TupleSpace other = open()) {
            hear(one);
            server.run("NOTIFY \"treehaul " + schema + "\", 'DROP TABLE x'");
            other.write(job(1));
            assertThat(next()).isEqualTo(1);
        }
    }

    @Test
    void aBrokenConnectionLosesNoEventIfItIsSoonMadeAgain() throws Exception {
        try (TupleSpace one = open(); TupleSpace other = open()) {
            Registration registration = hear(one);
            other.write(job(1));
            assertThat(next()).isEqualTo(1);
            cutWatchers();
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
            cutWatchers();
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
            cutWatchers();
            other.sweep();
            transaction.write(job(2));
            transaction.commit();
            assertThat(other.count(JOBS)).isEqualTo(2);
        }
    }

    @Test
    void leasesEndByTheClockOfTheServerWhateverThatOfANode() throws Exception {
        try (TupleSpace space = open()) {
            Lease lease = space.write(job(1), Duration.ofHours(1));
            long left = server.number("SELECT \"$expires\" - (extract(epoch FROM now()) * 1000)::bigint FROM " + schema
                    + ".\"" + Job.class.getName() + "\"");
            assertThat(Duration.ofMillis(left)).isBetween(Duration.ofMinutes(59), Duration.ofMinutes(60));
            server.run("UPDATE " + schema + ".\"" + Job.class.getName() + "\" SET \"$expires\" = 1");
            assertThat(space.read(JOBS, NOW).isFound()).isFalse();
            SpaceFixture.reason(SpaceException.Reason.UNKNOWN_LEASE, lease::cancel);
        }
    }
}
