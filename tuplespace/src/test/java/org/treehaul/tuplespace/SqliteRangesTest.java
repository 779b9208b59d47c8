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
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.core.threads.Threads;
import org.treehaul.tuplespace.Shapes.Job;
import org.treehaul.tuplespace.tuple.Aggregate;
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
            try (Connection connection = DriverManager
                    .getConnection("jdbc:sqlite:" + directory.resolve("space/space.db"));
                    Statement statement = connection.createStatement()) {
                statement.execute("UPDATE \"$counter\" SET last = last + 300000");
            }
        }
    }

    private static List<Group> groups(TupleOperations space, Template<Job> template, String... by) {
        return space.groupBy(template, List.of(by), Aggregate.count(), Aggregate.sum("number"), Aggregate.min("owner"),
                Aggregate.max("number"));
    }

    @Test
    void theAggregatesAreThoseOfAStoreInMemory() {
        List<Template<Job>> templates = List.of(JOBS, JOBS.equal("state", "state 3"), JOBS.prefix("owner", "owner 1"),
                JOBS.suffix("owner", "9"), JOBS.atLeast("number", 1000), JOBS.equal("state", "none"),
                JOBS.test("owner", "has an even length", owner -> owner.toString().length() % 2 == 0),
                Template.ofAny(Job.class, List.of(JOBS.equal("state", "state 1"), JOBS.prefix("owner", "owner 3"))));
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

    @Test
    void groupsThatExceedTheMemoryArePassedInParts() {
        try (TupleSpace space = open()) {
            List<Group> parts = new ArrayList<>();

            space.groupByInParts(JOBS, List.of("owner"), 2000, parts::add, Aggregate.count(), Aggregate.sum("number"));

            assertThat(parts).hasSize(jobs.size());
            assertThat(parts.stream().mapToLong(part -> (Long) Objects.requireNonNull(part.values().get(1))).sum())
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
