// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.tuplespace.Shapes.Job;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.tuple.Template;

/** Spaces that share a schema, as processes on several nodes do. */
class PostgresWatchersTest {
    private static final Template<Job> JOBS = Template.of(Job.class);
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Duration NOW = Duration.ZERO;

    private final PostgresServer server = PostgresServer.shared();
    private final SpaceUri uri = server.fresh();
    private final BlockingQueue<Integer> heard = new LinkedBlockingQueue<>();

    private String schema = "";

    @BeforeEach
    void name() {
        schema = uri.address().replaceFirst(".*=", "");
    }

    private TupleSpace open() {
        return TupleSpaces.open(uri, SpaceOptions.defaults());
    }

    private Registration hear(TupleSpace space) {
        return space.on(JOBS, EnumSet.of(EventKind.WRITTEN), event -> heard.add(event.tuple().number()));
    }

    private int next() throws InterruptedException {
        Integer next = heard.poll(60, TimeUnit.SECONDS);
        return next == null ? -1 : next;
    }

    private static Job job(int number) {
        return new Job(number, "new", null);
    }

    /** Ends all connections of spaces in the schema that wait for notifications. */
    private void cutWatchers() throws Exception {
        server.run("SELECT pg_terminate_backend(pid) FROM pg_locks l WHERE locktype = 'advisory' AND objsubid = 2"
                + " AND classid = to_regnamespace('" + schema + "')::oid AND objid >= 16");
    }

    @Test
    void aCallerThatWaitsGetsTheTupleOfAnotherProcess() {
        try (TupleSpace one = open(); TupleSpace other = open()) {
            for (int i = 0; i < 3; i++) {
                CompletableFuture<Result<Job>> waiting = one.takeAsync(JOBS, LONG);
                other.write(job(i));
                assertThat(waiting).succeedsWithin(LONG).isEqualTo(new Result.Found<>(job(i)));
            }
        }
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
    void eventsOfOtherProcessesComeOnceAndInTheirOrder() throws Exception {
        try (TupleSpace one = open(); TupleSpace other = open(); TupleSpace third = open()) {
            other.write(job(-1));
            hear(one);
            for (int i = 0; i < 20; i++) {
                (i % 2 == 0 ? other : third).write(job(i));
            }
            other.atomically(tuples -> {
                tuples.write(job(20));
                return tuples.writeAll(IntStream.range(21, 3000).mapToObj(PostgresWatchersTest::job).toList(),
                        Lease.FOREVER);
            });
            List<Integer> all = new ArrayList<>();
            for (int i = 0; i < 3000; i++) {
                all.add(next());
            }
            assertThat(all).isEqualTo(IntStream.range(0, 3000).boxed().toList());
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
    void aTupleThatOneProcessReadsInATransactionIsNotTakenByAnother() throws Exception {
        try (TupleSpace space = open(); TupleSpace other = open(); Transaction reading = space.begin(LONG)) {
            space.write(job(1));
            assertThat(reading.read(JOBS, NOW).isFound()).isTrue();
            assertThat(other.take(JOBS, NOW)).isEqualTo(new Result.Locked<>());
            CompletableFuture<Result<Job>> waiting = other.takeAsync(JOBS, LONG);
            reading.commit();
            assertThat(waiting).succeedsWithin(LONG).isEqualTo(new Result.Found<>(job(1)));
        }
    }

    @Test
    void noTupleIsTakenTwiceByManyProcesses() throws Exception {
        int count = 300;
        Set<Integer> taken = ConcurrentHashMap.newKeySet();
        Set<Integer> doubles = ConcurrentHashMap.newKeySet();
        Set<Integer> undone = ConcurrentHashMap.newKeySet();
        List<TupleSpace> spaces = List.of(open(), open(), open(), open());
        List<FutureTask<Boolean>> takers = IntStream.range(0, 4).mapToObj(i -> new FutureTask<>(() -> {
            while (taken.size() < count) {
                Job job = i % 2 == 0 ? taken(spaces.get(i)) : takenInTransaction(spaces.get(i), undone);
                if (job != null && !taken.add(job.number())) {
                    doubles.add(job.number());
                }
            }
            return true;
        })).toList();
        takers.forEach(taker -> Thread.ofPlatform().daemon().start(taker));
        for (int i = 0; i < count; i++) {
            spaces.get(i % 4).write(job(i));
        }
        for (FutureTask<Boolean> taker : takers) {
            assertThat(taker.get(60, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(doubles).isEmpty();
        assertThat(undone).isNotEmpty();
        assertThat(spaces.getFirst().count(JOBS)).isZero();
        spaces.forEach(TupleSpace::close);
    }

    private static @Nullable Job taken(TupleSpace space) throws InterruptedException {
        return space.take(JOBS, Duration.ofMillis(20)).tuple().orElse(null);
    }

    /** Undoes the first take of each tuple. */
    private static @Nullable Job takenInTransaction(TupleSpace space, Set<Integer> undone) throws InterruptedException {
        try (Transaction transaction = space.begin(LONG)) {
            Job job = transaction.take(JOBS, Duration.ofMillis(20)).tuple().orElse(null);
            if (job != null && !undone.add(job.number())) {
                transaction.commit();
                return job;
            }
            return null;
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
