// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.stream.IntStream;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.core.testing.InMemory;
import org.treehaul.tuplespace.Shapes.Circle;
import org.treehaul.tuplespace.Shapes.Job;
import org.treehaul.tuplespace.Shapes.Shape;
import org.treehaul.tuplespace.Shapes.Square;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.tuple.Aggregate;
import org.treehaul.tuplespace.tuple.Group;
import org.treehaul.tuplespace.tuple.Template;

class SqliteSpaceTest {

    @TempDir(factory = InMemory.class)
    Path spaces;

    private int opened;

    @SuppressWarnings("NullAway") // set by JUnit
    SqliteSpaceTest() {}

    private TupleSpace openNext(SpaceOptions options) {
        return TupleSpaces.open(spaces.resolve("space" + opened++), options);
    }

    @Nested
    class Operations extends SpaceContract {
        @Override
        TupleSpace open(SpaceOptions options) {
            return openNext(options);
        }
    }

    @Nested
    @Tag("rig")
    class OperationsWithSharedValues extends SpaceContract {
        @Override
        TupleSpace open(SpaceOptions options) {
            return openNext(sharing(options));
        }
    }

    @Nested
    @Tag("rig")
    class TransactionsWithSharedValues extends TransactionsContract {
        @Override
        TupleSpace open(SpaceOptions options) {
            return openNext(sharing(options));
        }
    }

    @Nested
    class Transactions extends TransactionsContract {
        @Override
        TupleSpace open(SpaceOptions options) {
            return openNext(options);
        }
    }

    @Nested
    class Values extends ValuesContract {
        @Override
        TupleSpace open(SpaceOptions options) {
            return openNext(options);
        }
    }

    @Nested
    class Events extends EventsContract {
        @Override
        TupleSpace open(SpaceOptions options) {
            return openNext(options);
        }
    }

    @Test
    void moreTemplatesThanOneStatementHoldsAreRefusedWithTheRemedy() {
        List<Integer> numbers = IntStream.range(0, 300_000).boxed().toList();
        Template<Job> in = SpaceFixture.JOBS.in("number", numbers);
        Template<Job> any = Template.ofAny(Job.class,
                numbers.stream().map(number -> SpaceFixture.numbered(number).equal("state", "new")).toList());
        try (TupleSpace space = openNext(SpaceOptions.defaults())) {
            space.write(new Job(1, "new", null));
            for (Template<Job> large : List.of(in, any)) {
                for (ThrowingCallable call : List.<ThrowingCallable>of(() -> space.count(large),
                        () -> space.takeAll(large, 1), () -> space.takeAsync(large, SpaceFixture.LONG))) {
                    assertThatIllegalArgumentException().isThrownBy(call).withMessageContaining("in(...)");
                }
            }
            assertThat(space.count(SpaceFixture.JOBS.in("number", numbers.subList(0, 100_000)))).isEqualTo(1);
        }
    }

    /** A record that can no longer be created. */
    public record Brittle(int number) {
        private static volatile boolean isBroken;

        public Brittle {
            if (isBroken) {
                throw new LinkageError("broken");
            }
        }
    }

    @Test
    void anErrorIsThrownToItsCallerAndOthersDoNotWait() throws Exception {
        try (TupleSpace space = openNext(SpaceOptions.defaults())) {
            space.write(new Brittle(1));
            FutureTask<List<Brittle>> broken = new FutureTask<>(() -> space.takeAll(Template.of(Brittle.class), 1));
            FutureTask<Lease> sound = new FutureTask<>(() -> space.write(new Job(1, "new", null)));
            Brittle.isBroken = true;
            // Both wait for the same commit.
            space.atomically(alone -> {
                startAndAwaitParked(broken);
                startAndAwaitParked(sound);
                return true;
            });
            assertThat(sound.get(60, TimeUnit.SECONDS)).isNotNull();
            assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> broken.get(60, TimeUnit.SECONDS))
                    .withCauseInstanceOf(LinkageError.class);
            Brittle.isBroken = false;
            assertThat(space.count(Template.of(Job.class))).isEqualTo(1);
            assertThat(space.takeAll(Template.of(Brittle.class), 2)).containsExactly(new Brittle(1));
        } finally {
            Brittle.isBroken = false;
        }
    }

    private static void startAndAwaitParked(FutureTask<?> task) {
        Thread thread = Thread.ofPlatform().daemon().start(task);
        Awaitility.await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
    }

    /** Changes the kind of the component of {@link Brittle} in the file of the space that was opened last. */
    private void changeKind() throws SQLException {
        Path file = spaces.resolve("space" + (opened - 1)).resolve("space.db");
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            statement.execute("UPDATE \"$types\" SET components = 'TEXT number\n'");
        }
    }

    @Test
    void noTupleIsWrittenIfTheClassOfAnotherDoesNotFitTheFile() throws Exception {
        try (TupleSpace space = openNext(SpaceOptions.defaults())) {
            space.write(new Brittle(1));
            changeKind();
        }
        opened--;
        List<Record> both = List.of(new Job(1, "refused", null), new Brittle(2));
        BlockingQueue<Job> events = new LinkedBlockingQueue<>();
        try (TupleSpace space = openNext(SpaceOptions.defaults())) {
            space.on(SpaceFixture.JOBS, EnumSet.of(EventKind.WRITTEN), event -> events.add(event.tuple()));
            ThrowingCallable write = () -> space.writeAll(both, Lease.FOREVER);
            SpaceFixture.reason(SpaceException.Reason.VERSION, write);
            try (Transaction transaction = space.begin(SpaceFixture.LONG)) {
                SpaceFixture.reason(SpaceException.Reason.VERSION, () -> transaction.writeAll(both, Lease.FOREVER));
                transaction.commit();
            }
            Lease written = space.atomically(alone -> {
                SpaceFixture.reason(SpaceException.Reason.VERSION, () -> alone.writeAll(both, Lease.FOREVER));
                return alone.write(new Job(2, "new", null));
            });
            assertThat(written.expiration()).isEqualTo(Instant.MAX);
            assertThat(space.contents(SpaceFixture.JOBS)).containsExactly(new Job(2, "new", null));
            assertThat(events.poll(60, TimeUnit.SECONDS)).isEqualTo(new Job(2, "new", null));
        }
    }

    /** Returns a predicate that everything passes, and whose first call waits until another thread has done work. */
    private static Predicate<Object> doing(Runnable work) {
        AtomicBoolean isDone = new AtomicBoolean();
        return value -> {
            if (!isDone.getAndSet(true)) {
                CompletableFuture.runAsync(work).join();
            }
            return true;
        };
    }

    private static void replace(TupleSpace space, Record by) {
        space.atomically(alone -> {
            alone.remove(Template.of(Record.class));
            return alone.write(by);
        });
    }

    @Test
    void countsAndGroupsOverAlternativesOrClassesAreOfOneMoment() throws Exception {
        try (TupleSpace space = openNext(SpaceOptions.defaults());
                Transaction transaction = space.begin(SpaceFixture.LONG)) {
            for (TupleOperations tuples : List.of(space, transaction)) {
                space.write(new Job(1, "todo", null));
                Template<Job> todo = SpaceFixture.JOBS.equal("state", "todo")
                        .test("number", "done", doing(() -> replace(space, new Job(1, "done", null))));
                Template<Job> either = Template.ofAny(Job.class,
                        List.of(todo, SpaceFixture.JOBS.equal("state", "done")));
                assertThat(tuples.count(either)).isEqualTo(1);
                assertThat(tuples.count(either)).isEqualTo(1);

                replace(space, new Circle("a", 1));
                Template<Shape> shapes = Template.of(Shape.class)
                        .test("name", "square", doing(() -> replace(space, new Square("b", 1))));
                assertThat(tuples.groupBy(shapes, List.of("name"), Aggregate.count()))
                        .containsExactly(new Group(List.of("a"), List.of(1L)));
                assertThat(tuples.groupBy(shapes, List.of("name"), Aggregate.count()))
                        .containsExactly(new Group(List.of("b"), List.of(1L)));
                assertThat(space.remove(Template.of(Record.class))).isEqualTo(1);
            }
        }
    }
}
