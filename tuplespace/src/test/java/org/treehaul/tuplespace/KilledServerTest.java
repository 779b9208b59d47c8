// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.testing.Campaign;
import org.treehaul.tuplespace.Shapes.Job;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.tuple.Template;

/** The server is killed: errors are clear, nothing acknowledged is lost, and no call waits for ever. */
@Tag("rig")
class KilledServerTest {
    private static final Template<Job> JOBS = Template.of(Job.class);
    private static final Duration NOW = Duration.ZERO;
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final PostgresServer server = PostgresServer.start();
    private final SpaceUri uri = server.fresh();

    @AfterEach
    void stop() {
        server.close();
    }

    private TupleSpace open(Duration patience) {
        return TupleSpaces.open(uri, SpaceOptions.defaults().patience(patience));
    }

    /** A thread that writes and one that takes, and what was acknowledged to them. */
    private final class Traffic {
        private final Set<Integer> written = ConcurrentHashMap.newKeySet();
        private final Set<Integer> taken = ConcurrentHashMap.newKeySet();
        private final Set<Integer> doubles = ConcurrentHashMap.newKeySet();
        /** Takes that failed: each may have been done by the server before the connection broke. */
        private final AtomicInteger unknown = new AtomicInteger();
        private final Set<String> errors = ConcurrentHashMap.newKeySet();
        private final AtomicBoolean isOver = new AtomicBoolean();
        private final List<FutureTask<Boolean>> threads = new ArrayList<>();

        private void start(TupleSpace space, int first) {
            begin(() -> {
                for (int i = first; !isOver.get(); i++) {
                    if (said(() -> space.write(new Job(0, "new", null))) != null) {
                        // The first write only shows that the space works again.
                        int number = i;
                        if (said(() -> space.write(new Job(number, "new", null))) != null) {
                            written.add(i);
                        }
                    }
                }
            });
            begin(() -> {
                while (!isOver.get()) {
                    Result<Job> found = said(() -> space.take(JOBS.atLeast("number", 1), Duration.ofMillis(50)));
                    if (found == null) {
                        unknown.incrementAndGet();
                    } else if (found instanceof Result.Found<Job>(Job job) && !taken.add(job.number())) {
                        doubles.add(job.number());
                    }
                }
            });
        }

        private void begin(Runnable work) {
            FutureTask<Boolean> task = new FutureTask<>(work, true);
            threads.add(task);
            Thread.ofPlatform().daemon().start(task);
        }

        private interface Call<R> {
            R call() throws InterruptedException;
        }

        private <R> @Nullable R said(Call<R> call) {
            try {
                return call.call();
            } catch (SpaceException e) {
                errors.add(e.reason() + " " + e.getMessage());
                return null;
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        private void stop() throws Exception {
            isOver.set(true);
            for (FutureTask<Boolean> thread : threads) {
                assertThat(thread.get(60, TimeUnit.SECONDS)).isTrue();
            }
        }
    }

    private void kill(int times) throws Exception {
        Traffic traffic = new Traffic();
        try (TupleSpace one = open(MINUTE); TupleSpace other = open(MINUTE)) {
            traffic.start(one, 1_000_000);
            traffic.start(other, 2_000_000);
            CompletableFuture<Result<Job>> waiting = one.takeAsync(JOBS.equal("number", -1), Duration.ofHours(1));
            Set<Integer> heard = ConcurrentHashMap.newKeySet();
            Registration registration = one.on(JOBS.equal("number", -2), EnumSet.of(EventKind.WRITTEN),
                    event -> heard.add(1));
            for (int i = 0; i < times; i++) {
                int before = traffic.written.size();
                Awaitility.await().atMost(MINUTE).until(() -> traffic.written.size() > before + 20);
                server.kill();
                server.begin();
            }
            int before = traffic.written.size();
            Awaitility.await().atMost(MINUTE).until(() -> traffic.written.size() > before + 20);
            traffic.stop();
            assertThat(traffic.errors).allMatch(error -> error.contains("127.0.0.1:" + server.port()));
            Set<Integer> there = new HashSet<>();
            try (Stream<Job> jobs = other.contents(JOBS.atLeast("number", 1))) {
                jobs.forEach(job -> assertThat(there.add(job.number())).isTrue());
            }
            assertThat(traffic.doubles).isEmpty();
            assertThat(there).doesNotContainAnyElementsOf(traffic.taken);
            Set<Integer> missing = new HashSet<>(traffic.written);
            missing.removeAll(there);
            missing.removeAll(traffic.taken);
            System.out.println(traffic.written.size() + " written, " + traffic.taken.size() + " taken, "
                    + traffic.unknown + " takes failed, " + missing.size() + " of which were done");
            assertThat(missing).hasSizeLessThanOrEqualTo(traffic.unknown.get());
            other.write(new Job(-1, "new", null));
            assertThat(waiting).succeedsWithin(MINUTE).extracting(Result::isFound).isEqualTo(true);
            Awaitility.await().atMost(MINUTE).until(() -> {
                other.write(new Job(-2, "new", null));
                return !heard.isEmpty();
            });
            registration.close();
        }
    }

    @Test
    @Tag("happy-path")
    void aKillLosesNothingThatWasAcknowledgedAndTakesNothingTwice() throws Exception {
        kill(1);
    }

    @Test
    void fiveKillsLoseNothingThatWasAcknowledgedAndTakeNothingTwice() throws Exception {
        kill(5);
    }

    @Test
    @Tag("campaign")
    void fiftyKillsLoseNothingThatWasAcknowledgedAndTakeNothingTwice() throws Exception {
        kill(Campaign.cases(50));
    }

    @Test
    void aServerThatStaysAwayFailsThoseWhoWaitAndTheSpaceWorksWhenItReturns() throws Exception {
        try (TupleSpace space = open(Duration.ofSeconds(2))) {
            List<CompletableFuture<Result<Job>>> waiting = IntStream.range(0, 20)
                    .mapToObj(i -> space.takeAsync(JOBS, Lease.FOREVER))
                    .toList();
            Transaction transaction = space.begin(Duration.ofHours(1));
            server.kill();
            for (CompletableFuture<Result<Job>> one : waiting) {
                assertThat(one).failsWithin(MINUTE)
                        .withThrowableThat()
                        .withMessageContaining("check that a server runs there");
            }
            assertThatExceptionOfType(SpaceException.class).isThrownBy(() -> space.write(new Job(1, "new", null)))
                    .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.IO))
                    .withMessageContaining("check that a server runs there");
            server.begin();
            awaitReachable(space);
            // The transaction may have been ended by now, but its tuples are not lost.
            transaction.close();
            space.write(new Job(1, "new", null));
            assertThat(space.take(JOBS, NOW).isFound()).isTrue();
        }
    }

    @Test
    void workAloneThatTheServerDidNotFinishIsNotDone() throws Exception {
        try (TupleSpace space = open(Duration.ofSeconds(5))) {
            space.write(new Job(1, "new", null));
            assertThatExceptionOfType(SpaceException.class).isThrownBy(() -> space.atomically(tuples -> {
                tuples.remove(JOBS);
                tuples.writeAll(List.of(new Job(2, "new", null), new Job(3, "new", null)), Lease.FOREVER);
                restart();
                return tuples.count(JOBS);
            }));
            awaitReachable(space);
            assertThat(space.contents(JOBS)).containsExactly(new Job(1, "new", null));
        }
    }

    /** The server reports that it ends a connection after the commit too, before it says that it is ready again. */
    @Test
    void aTakeWhoseConnectionTheServerEndsDuringTheCommitIsNotRepeated() throws Exception {
        int count = 30;
        // A commit takes 0.1 s, in which the server cannot end the connection yet.
        for (String setting : List.of("commit_delay = 100000", "commit_siblings = 0")) {
            server.run("ALTER SYSTEM SET " + setting);
        }
        server.run("SELECT pg_reload_conf()");
        Traffic traffic = new Traffic();
        AtomicInteger ended = new AtomicInteger();
        int calls = 0;
        try (TupleSpace space = open(MINUTE)) {
            space.writeAll(IntStream.range(0, count).mapToObj(i -> new Job(i, "new", null)).toList(), Lease.FOREVER);
            traffic.begin(() -> {
                while (!traffic.isOver.get()) {
                    try {
                        ended.addAndGet((int) server.number("SELECT count(pg_terminate_backend(pid)) FROM"
                                + " pg_stat_activity WHERE query = 'COMMIT' AND state = 'active'"));
                    } catch (SQLException e) {
                        throw new IllegalStateException(e);
                    }
                }
            });
            for (; calls < count && ended.get() < 3; calls++) {
                traffic.said(() -> space.takeAll(JOBS, 1));
            }
            traffic.stop();
            assertThat(ended).hasPositiveValue();
            assertThat(space.count(JOBS)).isGreaterThanOrEqualTo(count - calls);
        }
    }

    // For a while after a server could not be reached, each operation fails at once.
    private static void awaitReachable(TupleSpace space) {
        Awaitility.await().atMost(MINUTE).ignoreExceptionsInstanceOf(SpaceException.class).until(() -> {
            space.count(JOBS);
            return true;
        });
    }

    private void restart() {
        try {
            server.kill();
            server.begin();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
