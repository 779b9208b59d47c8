// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.core.testing.InMemory;
import org.treehaul.tuplespace.Shapes.Job;
import org.treehaul.tuplespace.store.BulkLoad;
import org.treehaul.tuplespace.store.Inspection;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;
import org.treehaul.tuplespace.store.StoreOptions;
import org.treehaul.tuplespace.tuple.Condition;
import org.treehaul.tuplespace.tuple.Order;
import org.treehaul.tuplespace.tuple.Template;

/** A space in a file in which tuples share the values of a component, which the file keeps once. */
class SqliteSharedValuesTest {
    private static final Template<Job> JOBS = Template.of(Job.class);
    private static final SpaceOptions PLAIN = SpaceOptions.defaults().index(Job.class, "state", "number");
    private static final SpaceOptions SHARED = PLAIN.share(Job.class, "state");
    private static final String CLASS = Job.class.getName();
    private static final String VALUES = "\"" + CLASS + " $values state\"";

    @TempDir(factory = InMemory.class)
    Path directory;

    @SuppressWarnings("NullAway") // set by JUnit
    SqliteSharedValuesTest() {}

    private Path home(String name) {
        return directory.resolve(name);
    }

    private TupleSpace open() {
        return TupleSpaces.open(home("space"), SHARED);
    }

    private static List<Job> jobs(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> new Job(i, i % 11 == 0 ? null : "state " + i % 7, "owner " + i))
                .toList();
    }

    /** Runs statements, and returns the values of the last one, row by row, separated by blanks. */
    private List<String> sql(String name, String... statements) throws SQLException {
        List<String> rows = new ArrayList<>();
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + home(name).resolve("space.db"));
                Statement statement = connection.createStatement()) {
            for (int i = 0; i < statements.length - 1; i++) {
                statement.execute(statements[i]);
            }
            try (ResultSet found = statement.executeQuery(statements[statements.length - 1])) {
                while (found.next()) {
                    List<String> row = new ArrayList<>();
                    for (int i = 1; i <= found.getMetaData().getColumnCount(); i++) {
                        row.add(String.valueOf(found.getString(i)));
                    }
                    rows.add(String.join(" ", row));
                }
            }
        }
        return rows;
    }

    private List<String> values() throws SQLException {
        return sql("space", "SELECT \"$value\" FROM " + VALUES + " ORDER BY 1");
    }

    @Test
    void aValueIsKeptOnceAndGoesWithTheLastTupleThatHasIt() throws Exception {
        try (TupleSpace space = open()) {
            space.writeAll(List.of(new Job(1, "new", null), new Job(2, "new", null), new Job(3, "done", null),
                    new Job(4, null, null)), Lease.FOREVER);
            assertThat(values()).containsExactly("done", "new");
            assertThat(space.remove(JOBS.equal("number", 1))).isEqualTo(1);
            assertThat(values()).containsExactly("done", "new");
            assertThat(space.remove(JOBS.equal("state", "new"))).isEqualTo(1);
            assertThat(space.take(JOBS.isNull("state"), Duration.ZERO).orElseThrow()).isEqualTo(new Job(4, null, null));
            assertThat(values()).containsExactly("done");
            try (Transaction undone = space.begin(Duration.ofHours(1))) {
                undone.write(new Job(5, "written", null));
                undone.take(JOBS.equal("state", "done"), Duration.ZERO).orElseThrow();
                assertThat(values()).containsExactly("done", "written");
            }
            assertThat(values()).containsExactly("done");
            space.write(new Job(6, "new", null));
            try (Stream<Job> ordered = space.contents(JOBS, Order.by("state").descending(), 9)) {
                assertThat(ordered.map(Job::number)).containsExactly(6, 3);
            }
        }
        assertThat(TupleSpaces.check(home("space"))).isEqualTo(new Inspection(2, 0, List.of()));
    }

    @Test
    void otherProgramsSeeTheSameColumnsAndRowsUnderTheNameOfTheClass() throws Exception {
        List<Job> jobs = jobs(500);
        Map.of("plain", PLAIN, "space", SHARED).forEach((name, options) -> {
            try (BulkLoad load = TupleSpaces.bulkLoad(home(name), options)) {
                load.addAll(jobs);
                assertThat(load.finish()).isEqualTo(jobs.size());
            }
        });
        String columns = "SELECT name FROM pragma_table_info('" + CLASS + "')";
        assertThat(sql("space", columns)).isEqualTo(sql("plain", columns));
        String rows = "SELECT * FROM \"" + CLASS + "\" ORDER BY \"$id\"";
        assertThat(sql("space", rows)).hasSize(jobs.size()).isEqualTo(sql("plain", rows));
        assertThat(values()).hasSize(7);
        assertThat(sql("plain", "PRAGMA user_version")).containsExactly("2");
        assertThat(sql("space", "PRAGMA user_version")).containsExactly("3");
    }

    @Test
    void aSpaceMadeWithoutThemStaysAsItIsAndIsUsedAsBefore() throws Exception {
        try (BulkLoad load = TupleSpaces.bulkLoad(home("space"), PLAIN)) {
            load.addAll(jobs(100));
            assertThat(load.finish()).isEqualTo(100);
        }
        try (TupleSpace space = open()) {
            space.write(new Job(100, "state 1", null));
            assertThat(space.remove(JOBS.equal("state", "state 2"))).isEqualTo(13);
            assertThat(space.count(JOBS)).isEqualTo(88);
        }
        assertThat(sql("space", "PRAGMA user_version")).containsExactly("2");
        TupleSpaces.recover(home("space"), home("new"), SHARED);
        assertThat(sql("new", "PRAGMA user_version")).containsExactly("3");
        try (TupleSpace space = TupleSpaces.open(home("new"), PLAIN)) {
            assertThat(space.count(JOBS)).isEqualTo(88);
            assertThat(space.count(JOBS.equal("state", "state 1"))).isEqualTo(14);
        }
    }

    @Test
    void aRecordThatGainedAComponentKeepsItsSharedValues() throws Exception {
        try (TupleSpace space = open()) {
            space.writeAll(jobs(30), Lease.FOREVER);
        }
        String rows = "\"" + CLASS + " $rows\"";
        // As an older version of the class would have made it.
        sql("space", "DROP VIEW \"" + CLASS + "\"", "ALTER TABLE " + rows + " DROP COLUMN owner",
                "UPDATE " + rows + " SET \"$check\" = NULL", "CREATE TABLE \"$upgraded\"(version INTEGER NOT NULL)",
                "UPDATE \"$types\" SET components = 'INTEGER number\nTEXT state\n'", "SELECT 1");
        try (TupleSpace space = open()) {
            assertThat(space.count(JOBS.isNull("owner").equal("state", "state 1"))).isEqualTo(4);
            space.write(new Job(30, "state 1", "me"));
            assertThat(space.count(JOBS.equal("owner", "me").equal("state", "state 1"))).isEqualTo(1);
        }
        assertThat(sql("space", "SELECT owner, state FROM \"" + CLASS + "\" WHERE number = 30"))
                .containsExactly("me state 1");
    }

    @Test
    void listsOfPairsAndConditionsAreAnsweredAsInMemory() {
        List<Job> jobs = jobs(300);
        Template<Job> pairs = Template.ofAny(Job.class,
                IntStream.range(0, 60)
                        .mapToObj(i -> JOBS.equal("state", "state " + i % 9).equal("number", i))
                        .toList());
        Template<Job> singles = Template.ofAny(Job.class,
                IntStream.range(0, 40).mapToObj(i -> JOBS.equal("state", "state " + i)).toList());
        List<Template<Job>> templates = List.of(pairs, singles, JOBS.in("state", List.of("state 1", "state 5", "none")),
                JOBS.range("state", "state 2", "state 4"), JOBS.atLeast("state", "state 5"), JOBS.isNull("state"),
                JOBS.notNull("state"), JOBS.prefix("state", "state"), JOBS.suffix("state", "6"),
                JOBS.contains("state", "e 1"),
                JOBS.test("state", "is odd", state -> (state.toString().charAt(6) & 1) == 1),
                JOBS.not(new Condition.Equal("state", "state 1")), JOBS.not(new Condition.Suffix("state", "2")),
                Template.ofAny(Job.class, List.of(JOBS.equal("state", "state 3"), JOBS.equal("number", 4))));
        try (TupleSpace space = open(); TupleSpace memory = TupleSpaces.memory(SpaceOptions.defaults())) {
            space.writeAll(jobs, Lease.FOREVER);
            memory.writeAll(jobs, Lease.FOREVER);
            for (Template<Job> template : templates) {
                try (Stream<Job> found = space.contents(template); Stream<Job> expected = memory.contents(template)) {
                    assertThat(found).as(template.toString()).containsExactlyInAnyOrderElementsOf(expected.toList());
                }
                assertThat(space.count(template)).as(template.toString()).isEqualTo(memory.count(template));
                long all = memory.remove(template);
                assertThat(space.remove(template)).as(template.toString()).isEqualTo(all).isPositive();
                assertThat(space.count(JOBS)).isEqualTo(memory.count(JOBS));
                space.remove(JOBS);
                memory.remove(JOBS);
                space.writeAll(jobs, Lease.FOREVER);
                memory.writeAll(jobs, Lease.FOREVER);
            }
        }
    }

    @Test
    void theFirstTuplesInAnOrderAreThoseOfASpaceInMemory() {
        List<Job> jobs = jobs(300);
        List<Template<Job>> templates = List.of(JOBS, JOBS.prefix("state", "state"), JOBS.equal("state", "state 3"),
                JOBS.atLeast("number", 150), JOBS.test("owner", "is odd", owner -> owner.toString().endsWith("1")),
                Template.ofAny(Job.class, List.of(JOBS.equal("state", "state 1"), JOBS.equal("number", 4))));
        List<Order> orders = List.of(Order.by("number"), Order.by("number").descending(),
                Order.by("owner").descending(), Order.by("state").descending());
        try (TupleSpace space = open(); TupleSpace memory = TupleSpaces.memory(SpaceOptions.defaults())) {
            space.writeAll(jobs, Lease.FOREVER);
            memory.writeAll(jobs, Lease.FOREVER);
            for (Template<Job> template : templates) {
                for (Order order : orders) {
                    for (long limit : new long[]{1, 7, 1000}) {
                        List<Job> expected;
                        try (Stream<Job> found = memory.contents(template, order, limit)) {
                            expected = found.toList();
                        }
                        String question = template + " " + order + " " + limit;
                        try (Stream<Job> found = space.contents(template, order, limit)) {
                            assertThat(found).as(question).containsExactlyElementsOf(expected);
                        }
                        List<Job> inside = space.atomically(alone -> {
                            alone.write(new Job(1000, "state 3", "other"));
                            alone.remove(JOBS.equal("number", 1000));
                            try (Stream<Job> found = alone.contents(template, order, limit)) {
                                return found.toList();
                            }
                        });
                        assertThat(inside).as(question).isEqualTo(expected);
                    }
                }
            }
        }
    }

    @Test
    void valuesThatComeAgainLaterKeepTheirNumbers() throws Exception {
        List<Job> jobs = new ArrayList<>();
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 40; i++) {
                // Old and new values, each in runs and one by one.
                jobs.add(new Job(jobs.size(), "state " + (i % 3 == 0 ? i : 40 * round + i), null));
            }
        }
        try (BulkLoad load = TupleSpaces.bulkLoad(home("space"), SHARED)) {
            load.addAll(jobs);
            load.finish();
        }
        long states = jobs.stream().map(Job::state).distinct().count();
        assertThat(sql("space", "SELECT count(*), count(DISTINCT \"$number\"), max(\"$number\") FROM " + VALUES))
                .containsExactly(states + " " + states + " " + states);
        try (TupleSpace space = open(); Stream<Job> all = space.contents(JOBS, Order.by("number"), Long.MAX_VALUE)) {
            assertThat(all).containsExactlyElementsOf(jobs);
        }
    }

    @Test
    void aValueThatIsMissingIsDamageOfItsTuples() throws Exception {
        try (TupleSpace space = open()) {
            space.writeAll(List.of(new Job(1, "new", null), new Job(2, "done", null)), Lease.FOREVER);
        }
        sql("space", "DELETE FROM " + VALUES + " WHERE \"$value\" = 'done'", "SELECT 1");
        try (TupleSpace space = open()) {
            assertThat(space.read(JOBS.equal("number", 1), Duration.ZERO).isFound()).isTrue();
            assertThatExceptionOfType(SpaceException.class)
                    .isThrownBy(() -> space.read(JOBS.equal("number", 2), Duration.ZERO))
                    .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.DAMAGED));
        }
        assertThat(TupleSpaces.check(home("space")).problems()).singleElement().asString().contains("number=2");
        assertThat(TupleSpaces.recover(home("space"), home("new"), SHARED).recovered()).isEqualTo(1);
    }

    @Test
    void onlyTextAndBytesWithAnIndexCanBeShared() {
        assertThatIllegalArgumentException().isThrownBy(() -> PLAIN.share(Job.class, "number"))
                .withMessageContaining("Job.number is a number");
        assertThatIllegalArgumentException().isThrownBy(() -> StoreOptions.defaults().share(Job.class, "state"))
                .withMessageContaining("no index of Job begins with state");
        assertThatIllegalArgumentException().isThrownBy(() -> PLAIN.share(Job.class, "owner"))
                .withMessageContaining("no index of Job begins with owner");
    }
}
