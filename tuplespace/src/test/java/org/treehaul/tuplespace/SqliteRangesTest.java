// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.core.threads.Threads;
import org.treehaul.tuplespace.Shapes.Circle;
import org.treehaul.tuplespace.Shapes.Job;
import org.treehaul.tuplespace.Shapes.Shape;
import org.treehaul.tuplespace.Shapes.Square;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.tuple.Aggregate;
import org.treehaul.tuplespace.tuple.Bytes;
import org.treehaul.tuplespace.tuple.Condition;
import org.treehaul.tuplespace.tuple.Group;
import org.treehaul.tuplespace.tuple.Template;

/** Aggregates over so many numbers of tuples that several threads read them, each in ranges. */
class SqliteRangesTest {
    private static final Template<Job> JOBS = Template.of(Job.class);
    private static final SpaceOptions OPTIONS = SpaceOptions.defaults()
            .index(Job.class, "number")
            .index(Job.class, "state")
            .share(Job.class, "state");
    private static final int PORTION = 700;

    @TempDir
    Path directory;

    private final List<Job> jobs = new ArrayList<>();

    @SuppressWarnings("NullAway") // set by JUnit
    SqliteRangesTest() {}

    private TupleSpace open() {
        return TupleSpaces.open(directory.resolve("space"), OPTIONS);
    }

    /** Makes few tuples whose numbers are far apart. */
    @BeforeEach
    void makeTuplesWithNumbersFarApart() throws SQLException {
        for (int part = 0; part < 5; part++) {
            List<Job> some = IntStream.range(part * PORTION, (part + 1) * PORTION)
                    .mapToObj(i -> new Job(i, i % 11 == 0 ? null : "state " + i % 7, "owner " + i))
                    .toList();
            jobs.addAll(some);
            try (TupleSpace space = open()) {
                space.writeAll(some, Lease.FOREVER);
            }
            skipNumbers();
        }
    }

    private void skipNumbers() throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("space/space.db"));
                Statement statement = connection.createStatement()) {
            statement.execute("UPDATE \"$counter\" SET last = last + 300000");
        }
    }

    private static List<Group> groups(TupleOperations space, Template<Job> template, String... by) {
        return space.groupBy(template, List.of(by), Aggregate.count(), Aggregate.sum("number"), Aggregate.min("owner"),
                Aggregate.max("number"));
    }

    private static long number(Group group, int index) {
        return (Long) Objects.requireNonNull(group.values().get(index));
    }

    @Test
    void theAggregatesAreThoseOfAStoreInMemory() {
        List<Template<Job>> templates = List.of(JOBS, JOBS.equal("state", "state 3"), JOBS.prefix("owner", "owner 1"),
                JOBS.prefix("state", "state"), JOBS.prefix("state", "state 2"),
                JOBS.not(new Condition.Equal("state", "state 1")).atMost("number", 3000), JOBS.suffix("owner", "9"),
                JOBS.atLeast("number", 1000), JOBS.equal("state", "none"),
                JOBS.test("owner", "has an even length", owner -> owner.toString().length() % 2 == 0),
                Template.ofAny(Job.class, List.of(JOBS.equal("state", "state 1"), JOBS.prefix("owner", "owner 3"))),
                Template.ofAny(Job.class, List.of(JOBS.equal("state", "state 1"), JOBS.prefix("state", "state "))));
        try (TupleSpace space = open(); TupleSpace memory = TupleSpaces.memory(SpaceOptions.defaults())) {
            memory.writeAll(jobs, Lease.FOREVER);
            for (Template<Job> template : templates) {
                assertThat(space.count(template)).as(template.toString()).isEqualTo(memory.count(template));
                assertThat(groups(space, template)).as(template.toString()).isEqualTo(groups(memory, template));
                assertThat(groups(space, template, "state")).as(template.toString())
                        .isEqualTo(groups(memory, template, "state"));
                assertThat(groups(space, template, "state", "owner")).hasSize((int) memory.count(template));
            }
        }
    }

    /** Components of each kind, most of them absent in some tuples. */
    record Item(@Nullable String text, @Nullable Long number, double real, boolean flag, @Nullable Bytes bytes) {}

    /** Writes tuples whose numbers are far apart, and some of which are near each other. */
    private void write(List<Item> items) throws SQLException {
        for (int part = 0; part < 2; part++) {
            try (TupleSpace space = open()) {
                space.writeAll(items.subList(part * items.size() / 2, (part + 1) * items.size() / 2), Lease.FOREVER);
            }
            skipNumbers();
        }
    }

    @Test
    void groupsOfAnyNumberAreThoseOfAStoreInMemory() throws SQLException {
        Random random = new Random(7);
        List<Item> items = random.ints(2000)
                .mapToObj(i -> new Item(i % 5 == 0 ? null : "text " + i % 3, i % 7 == 0 ? null : (long) (i % 1000),
                        i % 4 == 0 ? -0.0 : i % 4, i % 2 == 0, i % 3 == 0 ? null : Bytes.of((byte) i, (byte) (i >> 8))))
                .toList();
        write(items);
        Template<Item> all = Template.of(Item.class);
        Aggregate[] aggregates = {Aggregate.sum("number"), Aggregate.min("text"), Aggregate.max("bytes"),
                Aggregate.min("real"), Aggregate.count(), Aggregate.max("flag")};
        try (TupleSpace space = open(); TupleSpace memory = TupleSpaces.memory(SpaceOptions.defaults())) {
            memory.writeAll(items, Lease.FOREVER);
            for (Template<Item> template : List.of(all, all.notNull("text"), all.equal("flag", true),
                    all.atMost("number", 3))) {
                for (List<String> by : List.of(List.of("text"), List.of("number"), List.of("real"), List.of("flag"),
                        List.of("bytes"), List.of("flag", "text", "real"), List.of("number", "bytes"))) {
                    assertThat(space.groupBy(template, by, aggregates)).as("%s by %s", template, by)
                            .isEqualTo(memory.groupBy(template, by, aggregates));
                    assertThat(space.groupBy(template, by, Aggregate.sum("real"))).as("%s by %s", template, by)
                            .hasSameSizeAs(memory.groupBy(template, by));
                    assertThat(space.groupBy(template, by)).isEqualTo(memory.groupBy(template, by));
                }
            }
        }
    }

    @Test
    void valuesOfEachRowArePassedOnAsTheyAre() throws SQLException {
        List<@Nullable String> texts = Arrays.asList(null, "", ",", "a,b", "-1", "\u0000x", "\u00e9\u20ac\ud83d\ude00");
        List<@Nullable Long> numbers = Arrays.asList(null, 0L, -1L, 10L, Long.MIN_VALUE, Long.MAX_VALUE);
        List<@Nullable Bytes> bytes = Arrays.asList(null, Bytes.of(), Bytes.of((byte) ','),
                Bytes.of((byte) 0, (byte) -1), Bytes.of((byte) '1', (byte) 0xC3));
        List<Item> items = IntStream.range(0, texts.size() * numbers.size() * bytes.size())
                .mapToObj(i -> new Item(texts.get(i % texts.size()), numbers.get(i % numbers.size()), 0, i % 2 == 0,
                        bytes.get(i % bytes.size())))
                .toList();
        write(items);
        Template<Item> all = Template.of(Item.class);
        try (TupleSpace space = open(); TupleSpace memory = TupleSpaces.memory(SpaceOptions.defaults())) {
            memory.writeAll(items, Lease.FOREVER);
            for (List<String> by : List.of(List.of("text", "number", "bytes"), List.of("bytes", "flag", "text"))) {
                Aggregate[] aggregates = {Aggregate.count(), Aggregate.min("text"), Aggregate.max("bytes"),
                        Aggregate.max("number")};
                assertThat(space.groupBy(all, by, aggregates)).isEqualTo(memory.groupBy(all, by, aggregates));
            }
        }
    }

    @Test
    void rowsThatAreTooLargeToBePackedArePassedOnOneByOne() throws SQLException {
        String large = "x".repeat(9 << 20);
        List<Job> some = List.of(new Job(-1, "state 1", large + 1), new Job(-2, "state 2", large + 2));
        jobs.addAll(some);
        try (TupleSpace space = open(); TupleSpace memory = TupleSpaces.memory(SpaceOptions.defaults())) {
            space.writeAll(some, Lease.FOREVER);
            memory.writeAll(jobs, Lease.FOREVER);
            for (Template<Job> template : List.of(JOBS,
                    Template.ofAny(Job.class, List.of(JOBS.equal("state", "state 3"), JOBS.atMost("number", 5))))) {
                // SQLite makes no groups because the least number of a shared value is not that of the least value.
                Aggregate[] aggregates = {Aggregate.min("state"), Aggregate.max("owner")};
                assertThat(space.groupBy(template, List.of("number"), aggregates))
                        .isEqualTo(memory.groupBy(template, List.of("number"), aggregates));
            }
        }
    }

    @Test
    void aSumOfAGroupThatIsTooLargeFailsWithinARangeAndBetweenRanges() throws SQLException {
        Item large = new Item("near", Long.MAX_VALUE, 0, true, null);
        Item far = new Item("far", Long.MAX_VALUE, 0, true, null);
        write(List.of(large, large, far, far));
        write(List.of(far, far));
        try (TupleSpace space = open()) {
            for (String text : List.of("near", "far")) {
                Template<Item> items = Template.of(Item.class).equal("text", text);
                assertThatThrownBy(() -> space.groupBy(items, List.of("flag"), Aggregate.sum("number")))
                        .isInstanceOf(ArithmeticException.class);
                assertThatThrownBy(() -> space.groupByInParts(items, List.of("flag"), key -> key, 1000, group -> {
                }, Aggregate.sum("number"))).isInstanceOf(ArithmeticException.class);
                assertThat(space.groupBy(items, List.of("number"), Aggregate.count())).hasSize(1);
            }
        }
    }

    @Test
    @SuppressWarnings("try") // it is closed before the end
    void aFunctionSeesTheValuesOfEachTupleAndItsFailureIsThatOfTheQuestion() {
        try (TupleSpace space = open()) {
            List<Group> groups = new ArrayList<>();

            space.groupByInParts(JOBS, List.of("state", "number"),
                    values -> values[0] == null ? null : new Object[]{values[0], (Long) values[1] % 2}, 1 << 20,
                    groups::add, Aggregate.count(), Aggregate.sum("number"));

            assertThat(groups).containsExactlyInAnyOrderElementsOf(jobs.stream()
                    .filter(job -> job.state() != null)
                    .collect(Collectors
                            .groupingBy(job -> List.<Object>of(Objects.requireNonNull(job.state()), job.number() % 2L)))
                    .entrySet()
                    .stream()
                    .map(group -> new Group(new ArrayList<>(group.getKey()),
                            List.of((long) group.getValue().size(),
                                    group.getValue().stream().mapToLong(Job::number).sum())))
                    .toList());
            for (long at : new long[]{0, jobs.size() - 1}) {
                assertThatThrownBy(() -> space.groupByInParts(JOBS, List.of("number"), values -> {
                    if (Objects.equals(values[0], at)) {
                        throw new IllegalStateException("at " + at);
                    }
                    return values;
                }, 1000, group -> {
                }, Aggregate.count())).isInstanceOf(IllegalStateException.class).hasMessage("at " + at);
            }
            assertThat(space.count(JOBS)).isEqualTo(jobs.size());
            space.close();
            assertThatThrownBy(() -> space.groupByInParts(JOBS, List.of("number"), values -> values, 1000, group -> {
            }, Aggregate.count())).isInstanceOf(SpaceException.class);
        }
    }

    @Test
    void groupsThatExceedTheMemoryArePassedInParts() {
        try (TupleSpace space = open()) {
            List<Group> parts = new ArrayList<>();

            space.groupByInParts(JOBS, List.of("owner"), 2000, parts::add, Aggregate.count(), Aggregate.sum("number"));

            assertThat(parts).hasSize(jobs.size());
            assertThat(parts.stream().mapToLong(part -> number(part, 1)).sum())
                    .isEqualTo(jobs.stream().mapToLong(Job::number).sum());
        }
    }

    @Test
    void allThreadsSeeTheSameMoment() {
        AtomicBoolean isOver = new AtomicBoolean();
        try (TupleSpace space = open(); TupleSpace other = open()) {
            long before = jobs.stream().mapToLong(Job::number).sum();
            Thread writer = Thread.ofPlatform().start(() -> {
                // One tuple is in the first range, the other one in the last.
                for (int i = 1; !isOver.get(); i++) {
                    int number = i;
                    other.atomically(inside -> {
                        Job first = inside.takeAll(JOBS.equal("number", 0), 1).getFirst();
                        inside.writeAll(List.of(first, new Job(number, "new", null), new Job(-number, "new", null)),
                                Lease.FOREVER);
                        return true;
                    });
                }
            });
            try {
                for (int i = 0; i < 50; i++) {
                    List<Group> some = groups(space, JOBS, "state");
                    assertThat(some.stream().mapToLong(group -> number(group, 1)).sum()).isEqualTo(before);
                    assertThat(some.stream().mapToLong(group -> number(group, 0)).sum() % 2).isEqualTo(jobs.size() % 2);
                    assertThat(space.sum(JOBS, "number").longValue()).isEqualTo(before);
                    assertThat(space.count(JOBS) % 2).isEqualTo(jobs.size() % 2);
                }
            } finally {
                isOver.set(true);
                Threads.join(writer);
            }
        }
    }

    @Test
    void severalTablesAreReadAtOneMomentAlsoIfSomeAreLarge() throws SQLException {
        for (Record circle : List.of(new Circle("a", 1), new Circle("b", 2))) {
            try (TupleSpace space = open()) {
                space.write(circle);
            }
            skipNumbers();
        }
        try (TupleSpace space = open()) {
            space.write(new Square("c", 3));
            Template<Record> all = Template.of(Record.class);
            assertThat(space.count(all)).isEqualTo(jobs.size() + 3);
            assertThat(space.sum(all, "number").longValue()).isEqualTo(jobs.stream().mapToLong(Job::number).sum());
            AtomicBoolean isMoved = new AtomicBoolean();
            Template<Shape> shapes = Template.of(Shape.class).test("name", "moves", name -> {
                if (!isMoved.getAndSet(true)) {
                    CompletableFuture.runAsync(() -> space.atomically(inside -> {
                        inside.remove(Template.of(Circle.class));
                        return inside.writeAll(List.of(new Square("a", 1), new Square("b", 2)), Lease.FOREVER);
                    })).join();
                }
                return true;
            });
            assertThat(space.count(shapes)).isEqualTo(3);
            assertThat(space.count(shapes)).isEqualTo(3);
            assertThat(space.count(Template.of(Circle.class))).isZero();
        }
    }

    @Test
    void aFailureInARangeIsThatOfTheQuestion() {
        try (TupleSpace space = open()) {
            for (int at : new int[]{0, jobs.size() - 1}) {
                Template<Job> failing = JOBS.test("owner", "fails", owner -> {
                    if (owner.equals("owner " + at)) {
                        throw new IllegalStateException("at " + at);
                    }
                    return true;
                });
                assertThatThrownBy(() -> space.count(failing)).isInstanceOf(IllegalStateException.class)
                        .hasMessage("at " + at);
            }
            assertThat(space.count(JOBS)).isEqualTo(jobs.size());
        }
    }

    @Test
    void aTransactionCountsItsOwnTuplesToo() {
        try (TupleSpace space = open()) {
            space.atomically(inside -> {
                inside.write(new Job(-1, "own", null));
                assertThat(inside.count(JOBS)).isEqualTo(jobs.size() + 1);
                assertThat(space.count(JOBS)).isEqualTo(jobs.size());
                return true;
            });
            assertThat(space.count(JOBS)).isEqualTo(jobs.size() + 1);
        }
    }
}
