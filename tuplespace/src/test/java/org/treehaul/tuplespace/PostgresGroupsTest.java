// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.tuplespace.Shapes.Job;
import org.treehaul.tuplespace.partition.Partitions;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.tuple.Template;

/** Threads of one process that write to PostgreSQL at the same time share a commit. */
class PostgresGroupsTest {
    private static final Template<Job> JOBS = Template.of(Job.class);
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int THREADS = 8;

    @TempDir
    Path directory = Path.of("");

    private final PostgresServer server = PostgresServer.shared();
    private final SpaceUri uri = server.fresh();
    private final String schema = uri.address().replaceFirst(".*=", "");

    private static Job job(int number) {
        return new Job(number, "new", null);
    }

    /** Begins to do work on threads, all of which wait until the space is free. */
    private static List<FutureTask<?>> whileTheSpaceIsBusy(TupleSpace space, List<Callable<?>> works) {
        List<FutureTask<?>> all = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        space.atomically(tuples -> {
            tuples.write(job(1000));
            for (Callable<?> work : works) {
                FutureTask<?> task = new FutureTask<>(work);
                all.add(task);
                threads.add(Thread.ofPlatform().daemon().start(task));
            }
            Awaitility.await()
                    .atMost(LONG)
                    .until(() -> threads.stream().allMatch(one -> one.getState() == Thread.State.WAITING));
            return true;
        });
        return all;
    }

    private static List<Callable<?>> writes(TupleSpace space) {
        List<Callable<?>> writes = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int number = i;
            writes.add(() -> space.write(job(number)));
        }
        return writes;
    }

    private long commits() throws Exception {
        return server.number("SELECT count(DISTINCT xmin::text) FROM " + schema + ".\"" + Job.class.getName()
                + "\" WHERE number < " + THREADS);
    }

    @Test
    void writesThatWaitAreCommittedTogetherAndReported() throws Exception {
        try (TupleSpace space = TupleSpaces.open(uri, SpaceOptions.defaults());
                TupleSpace other = TupleSpaces.open(uri, SpaceOptions.defaults())) {
            List<Integer> heard = Collections.synchronizedList(new ArrayList<>());
            List<Integer> heardElsewhere = Collections.synchronizedList(new ArrayList<>());
            space.on(JOBS, Set.of(EventKind.WRITTEN), event -> heard.add(event.tuple().number()));
            other.on(JOBS, Set.of(EventKind.WRITTEN), event -> heardElsewhere.add(event.tuple().number()));
            for (FutureTask<?> one : whileTheSpaceIsBusy(space, writes(space))) {
                one.get();
            }
            assertThat(commits()).isEqualTo(1);
            assertThat(space.count(JOBS)).isEqualTo(THREADS + 1);
            Awaitility.await().atMost(LONG).until(() -> heardElsewhere.size() == THREADS + 1);
            Awaitility.await().atMost(LONG).until(() -> heard.size() == THREADS + 1);
            assertThat(heardElsewhere).doesNotHaveDuplicates().containsExactlyElementsOf(heard);
        }
    }

    @Test
    void aWriteThatFailsDoesNotUndoThoseWithWhichItWaited() throws Exception {
        try (TupleSpace space = TupleSpaces.open(uri, SpaceOptions.defaults()); Transaction ended = space.begin(LONG)) {
            server.run("DELETE FROM " + schema + ".\"$transactions\"");
            List<Callable<?>> works = writes(space);
            works.add(3, () -> ended.write(job(7)));
            List<FutureTask<?>> all = whileTheSpaceIsBusy(space, works);
            FutureTask<?> failing = all.remove(3);
            assertThatThrownBy(() -> failing.get()).isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(SpaceException.class)
                    .hasMessageContaining("the transaction has ended");
            for (FutureTask<?> one : all) {
                one.get();
            }
            assertThat(space.count(JOBS)).isEqualTo(THREADS + 1);
            assertThat(commits()).isEqualTo(THREADS);
        }
    }

    private Connection holder() throws SQLException {
        return DriverManager.getConnection("jdbc:postgresql://127.0.0.1:" + server.port() + "/postgres?user=owner");
    }

    private String table() {
        return schema + ".\"" + Job.class.getName() + "\"";
    }

    @Test
    void aWriteOfAVirtualThreadThatIsInterruptedGoesOn() throws Exception {
        aWriteThatIsInterruptedGoesOn(uri);
    }

    @Test
    void aWriteOfAVirtualThreadToAPartitionThatIsInterruptedGoesOn() throws Exception {
        aWriteThatIsInterruptedGoesOn(Partitions.create(directory.resolve("list"), List.of(uri), 1, 0));
    }

    private void aWriteThatIsInterruptedGoesOn(SpaceUri at) throws Exception {
        try (TupleSpace space = TupleSpaces.open(at, SpaceOptions.defaults());
                Connection holder = holder();
                Statement statement = holder.createStatement()) {
            space.write(job(1));
            holder.setAutoCommit(false);
            statement.execute("LOCK TABLE " + table() + " IN ACCESS EXCLUSIVE MODE");
            FutureTask<Boolean> write = new FutureTask<>(() -> {
                space.write(job(2));
                return Thread.currentThread().isInterrupted();
            });
            Thread writer = Thread.ofVirtual().start(write);
            String waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted AND mode = 'RowExclusiveLock' AND relation = '"
                    + table() + "'::regclass::oid";
            Awaitility.await().atMost(LONG).until(() -> server.number(waiting) == 1);
            writer.interrupt();
            holder.rollback();
            assertThat(write.get()).isTrue();
            assertThat(space.count(JOBS)).isEqualTo(2);
        }
    }

    @Test
    void theInterruptOfAVirtualThreadDuringTheCommitFailsNoWrite() throws Exception {
        try (TupleSpace space = TupleSpaces.open(uri, SpaceOptions.defaults());
                Connection holder = holder();
                Statement statement = holder.createStatement()) {
            space.write(job(1));
            // The commit waits until the lock of the holder is free.
            server.run("CREATE FUNCTION " + schema + ".wait() RETURNS trigger LANGUAGE plpgsql AS"
                    + " $$ BEGIN PERFORM pg_advisory_xact_lock(4711); RETURN NULL; END $$;"
                    + " CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON " + table()
                    + " DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION " + schema + ".wait()");
            statement.execute("SELECT pg_advisory_lock(4711)");
            FutureTask<Boolean> write = new FutureTask<>(() -> {
                space.write(job(2));
                return Thread.currentThread().isInterrupted();
            });
            FutureTask<?> other = new FutureTask<>(() -> space.write(job(3)));
            Thread virtual = space.atomically(tuples -> {
                Thread first = awaited(Thread.ofVirtual().start(write));
                awaited(Thread.ofPlatform().daemon().start(other));
                return first;
            });
            String waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'advisory' AND objid = 4711";
            Awaitility.await().atMost(LONG).until(() -> server.number(waiting) == 1);
            virtual.interrupt();
            statement.execute("SELECT pg_advisory_unlock(4711)");
            assertThat(write.get()).isTrue();
            other.get();
            assertThat(space.count(JOBS)).isEqualTo(3);
        }
    }

    private static Thread awaited(Thread thread) {
        Awaitility.await().atMost(LONG).until(() -> thread.getState() == Thread.State.WAITING);
        return thread;
    }
}
