// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.treehaul.tuplespace.Shapes.Circle;
import org.treehaul.tuplespace.Shapes.Job;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.tuple.Template;

/** Spaces that earlier versions have made in PostgreSQL. */
class PostgresVersionsTest {
    private static final Template<Job> JOBS = Template.of(Job.class);

    private final PostgresServer server = PostgresServer.shared();
    private final SpaceUri uri = server.fresh();
    private final String schema = uri.address().replaceFirst(".*=", "");
    private final SpaceOptions options = SpaceOptions.defaults().index(Job.class, "state");

    /** Makes the space one of version 1, whose indexes have whole values. */
    private void makeOld() throws Exception {
        makeOldIndex();
        server.run("UPDATE " + schema + ".\"$space\" SET version = 1");
    }

    private void makeOldIndex() throws Exception {
        String index = "state of " + Job.class.getName();
        server.run("DROP INDEX " + schema + ".\"" + index + "\"; CREATE INDEX \"" + index + "\" ON " + schema + ".\""
                + Job.class.getName() + "\"(state)");
    }

    private long version() throws Exception {
        return server.number("SELECT version FROM " + schema + ".\"$space\"");
    }

    private long indexes(String of) throws Exception {
        return server.number("SELECT count(*) FROM pg_indexes WHERE schemaname = '" + schema
                + "' AND indexname LIKE 'state of %' AND indexdef LIKE '%" + of + "%'");
    }

    @Test
    void aSpaceOfVersionOneIsUpgradedSoThatLongValuesCanBeIndexed() throws Exception {
        String text = new Random(1).ints(4000, 0x21, 0x7f)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
        try (TupleSpace space = TupleSpaces.open(uri, options)) {
            space.write(new Job(1, "new", null));
        }
        makeOld();
        SpaceFixture.reason(SpaceException.Reason.VERSION, () -> TupleSpaces.openToRead(uri, options));
        assertThat(version()).isEqualTo(1);
        assertThat(indexes("(state)")).isEqualTo(1);
        try (TupleSpace space = TupleSpaces.open(uri, options)) {
            space.write(new Job(2, text, null));
            assertThat(space.count(JOBS.equal("state", "new"))).isEqualTo(1);
            assertThat(space.count(JOBS.equal("state", text))).isEqualTo(1);
        }
        assertThat(version()).isEqualTo(2);
        assertThat(indexes("left")).isEqualTo(1);
    }

    @Test
    void anIndexThatAProgramOfVersionOneMakesAfterTheUpgradeIsReplaced() throws Exception {
        try (TupleSpace space = TupleSpaces.open(uri, options)) {
            space.write(new Job(1, "new", null));
        }
        makeOldIndex();
        server.role("writer", "LOGIN");
        server.run("GRANT USAGE ON SCHEMA " + schema + " TO writer; GRANT ALL ON ALL TABLES IN SCHEMA " + schema
                + " TO writer");
        TupleSpaces.open(SpaceUri.parse(uri.toString().replace("owner@", "writer@")), options).close();
        assertThat(indexes("(state)")).as("only the owner can replace it").isEqualTo(1);
        TupleSpaces.open(uri, options).close();
        assertThat(indexes("left")).isEqualTo(1);
        assertThat(indexes("")).isEqualTo(1);
    }

    @Test
    void anUpgradeLeavesTheIndexesOfAdministratorsAlone() throws Exception {
        try (TupleSpace space = TupleSpaces.open(uri, options)) {
            space.write(new Job(1, "new", null));
        }
        makeOld();
        server.run("CREATE INDEX mine ON " + schema + ".\"" + Job.class.getName()
                + "\"(owner); CREATE INDEX \"state of it\" ON " + schema + ".\"" + Job.class.getName() + "\"(state)");
        TupleSpaces.open(uri, SpaceOptions.defaults()).close();
        assertThat(version()).isEqualTo(2);
        assertThat(server.number("SELECT count(*) FROM pg_indexes WHERE schemaname = '" + schema
                + "' AND indexname IN ('mine', 'state of it')")).isEqualTo(2);
        assertThat(indexes("(state)")).as("that of the program is gone").isEqualTo(1);
    }

    @Test
    void anUpgradeByAProgramWithoutTheIndexesLeavesThemToThoseThatHaveThem() throws Exception {
        try (TupleSpace space = TupleSpaces.open(uri, options)) {
            space.write(new Job(1, "new", null));
        }
        makeOld();
        TupleSpaces.open(uri, SpaceOptions.defaults()).close();
        assertThat(version()).isEqualTo(2);
        assertThat(indexes("state")).isZero();
        TupleSpaces.open(uri, options).close();
        assertThat(indexes("left")).isEqualTo(1);
    }

    @Test
    void aRoleThatMayOnlyChangeTheTuplesLeavesTheUpgradeToTheOwner() throws Exception {
        try (TupleSpace space = TupleSpaces.open(uri, options)) {
            space.write(new Job(1, "new", null));
        }
        makeOld();
        server.role("writer", "LOGIN");
        server.run("GRANT USAGE ON SCHEMA " + schema + " TO writer; GRANT ALL ON ALL TABLES IN SCHEMA " + schema
                + " TO writer");
        SpaceUri asWriter = SpaceUri.parse(uri.toString().replace("owner@", "writer@"));
        assertThatExceptionOfType(SpaceException.class).isThrownBy(() -> TupleSpaces.open(asWriter, options))
                .withMessageContaining("the role that owns its tables has to open it once")
                .satisfies(e -> assertThat(e.reason()).isEqualTo(SpaceException.Reason.VERSION));
        assertThat(version()).isEqualTo(1);
    }

    @Test
    void aRoleThatMayOnlyChangeTheTuplesOpensASpaceThatLacksAnIndex() throws Exception {
        try (TupleSpace space = TupleSpaces.open(uri, SpaceOptions.defaults())) {
            space.write(new Job(1, "new", null));
        }
        server.role("writer", "LOGIN");
        server.run("GRANT USAGE ON SCHEMA " + schema + " TO writer; GRANT ALL ON ALL TABLES IN SCHEMA " + schema
                + " TO writer; GRANT USAGE ON ALL SEQUENCES IN SCHEMA " + schema + " TO writer");
        SpaceUri asWriter = SpaceUri.parse(uri.toString().replace("owner@", "writer@"));
        try (TupleSpace space = TupleSpaces.open(asWriter, options)) {
            space.write(new Job(2, "new", null));
            assertThat(space.count(Template.of(Job.class).equal("state", "new"))).isEqualTo(2);
        }
        assertThat(indexes("state")).isZero();
        TupleSpaces.open(uri, options).close();
        assertThat(indexes("left")).isEqualTo(1);
    }

    private List<String> problems() {
        return TupleSpaces.check(uri).problems();
    }

    @Test
    void aCheckFindsWhatARestoreInPartHasLeft() throws Exception {
        SpaceFixture.reason(SpaceException.Reason.ABSENT, this::problems);
        try (TupleSpace space = TupleSpaces.open(uri, options)) {
            space.writeAll(List.of(new Job(1, "new", null), new Job(2, null, "me")), Lease.FOREVER);
            space.write(new Circle("a", 1));
        }
        String jobs = schema + ".\"" + Job.class.getName() + "\"";
        assertThat(TupleSpaces.check(uri).tuples()).isEqualTo(3);
        assertThat(problems()).isEmpty();
        server.run("UPDATE " + jobs + " SET \"$taker\" = 99 WHERE number = 1");
        server.run("SELECT setval('" + schema + ".\"$ids\"', 1)");
        server.run("DROP TABLE " + schema + ".\"" + Circle.class.getName() + "\"");
        assertThat(problems()).satisfiesExactlyInAnyOrder(
                one -> assertThat(one)
                        .isEqualTo("transactions that do not exist hold 1 of the tuples of " + Job.class.getName()),
                one -> assertThat(one).startsWith("tuple 2 of " + Job.class.getName() + " has a number"),
                one -> assertThat(one).isEqualTo("there is no table for " + Circle.class.getName()));
        server.run("ALTER TABLE " + jobs + " DROP COLUMN state; ALTER TABLE " + jobs
                + " ALTER COLUMN owner TYPE bytea USING owner::bytea");
        assertThat(problems()).contains("component state of " + Job.class.getName() + " is missing",
                "component owner of " + Job.class.getName() + " is bytea instead of text");
        SpaceFixture.reason(SpaceException.Reason.UNSUPPORTED, () -> TupleSpaces.recover(uri, server.fresh(), options));
    }
}
