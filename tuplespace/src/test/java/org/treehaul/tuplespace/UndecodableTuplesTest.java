// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.tuple.Aggregate;
import org.treehaul.tuplespace.tuple.Template;

/** Rows of a database that are no tuples, because another program has written them. */
class UndecodableTuplesTest {
    private static final Template<Meeting> MEETINGS = Template.of(Meeting.class);
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Instant AT = Instant.parse("2026-11-26T12:00:00Z");

    record Meeting(int number, Instant at) {}

    @TempDir
    Path directory;

    @SuppressWarnings("NullAway") // set by JUnit
    UndecodableTuplesTest() {}

    /** Changes the rows of a database beside the space. */
    private interface Database {
        void run(String sql) throws SQLException;
    }

    @Test
    void inPostgresql() throws Exception {
        PostgresServer server = PostgresServer.shared();
        SpaceUri uri = server.fresh();
        String table = uri.address().replaceFirst(".*=", "") + ".\"" + Meeting.class.getName() + "\"";
        write(uri);
        assertThat(TupleSpaces.check(uri).problems()).isEmpty();
        check(uri, number -> server.run("UPDATE " + table + " SET at = '\\x00' WHERE number = " + number));
        assertThat(TupleSpaces.check(uri).problems()).hasSize(2)
                .allSatisfy(problem -> assertThat(problem).contains("tuple ", "cannot be decoded: component at"));
        removes(uri);
    }

    @Test
    void inSqlite() throws Exception {
        SpaceUri uri = SpaceUri.of(directory.resolve("space"));
        write(uri);
        Database database = sql -> {
            try (Connection connection = DriverManager
                    .getConnection("jdbc:sqlite:" + directory.resolve("space/space.db"));
                    Statement statement = connection.createStatement()) {
                statement.execute(sql);
            }
        };
        // As in a space of version 1, whose tuples have no checksums.
        database.run("CREATE TABLE \"$upgraded\"(version INTEGER NOT NULL)");
        check(uri, number -> database.run("UPDATE \"" + Meeting.class.getName()
                + "\" SET at = x'00', \"$check\" = NULL WHERE number = " + number));
        removes(uri);
    }

    private static void write(SpaceUri uri) {
        try (TupleSpace space = TupleSpaces.open(uri, SpaceOptions.defaults())) {
            space.writeAll(Stream.of(1, 2, 3).map(number -> new Meeting(number, AT)).toList(), Lease.FOREVER);
        }
    }

    private static void refuses(ThrowingCallable reading) {
        assertThatExceptionOfType(SpaceException.class).isThrownBy(reading)
                .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.DAMAGED))
                .withMessageContainingAll(Meeting.class.getName() + " cannot be decoded: component at is not of "
                        + Instant.class.getName() + ", but has length 1", ": tuple 2 of ");
    }

    private interface Spoiling {
        void spoil(int number) throws SQLException;
    }

    private static void check(SpaceUri uri, Spoiling spoiling) throws Exception {
        try (TupleSpace space = TupleSpaces.open(uri, SpaceOptions.defaults())) {
            spoiling.spoil(2);
            Template<Meeting> spoilt = MEETINGS.equal("number", 2);
            refuses(() -> assertThat(space.read(spoilt, Duration.ZERO).isFound()).isFalse());
            refuses(() -> assertThat(space.take(spoilt, Duration.ZERO).isFound()).isFalse());
            refuses(() -> {
                try (Stream<Meeting> all = space.contents(MEETINGS)) {
                    assertThat(all.count()).isZero();
                }
            });
            assertThatExceptionOfType(SpaceException.class)
                    .isThrownBy(() -> space.groupBy(MEETINGS, List.of("at"), Aggregate.count()))
                    .withMessageContaining("a tuple cannot be decoded: component at");
            assertThat(space.count(MEETINGS)).isEqualTo(3);
            assertThat(space.take(MEETINGS.equal("number", 1), Duration.ZERO).tuple()).contains(new Meeting(1, AT));
            reportsTheOthers(space, spoiling);
        }
    }

    /** Checks that the end of a transaction reports tuples although one of them cannot be decoded. */
    private static void reportsTheOthers(TupleSpace space, Spoiling spoiling) throws Exception {
        List<Integer> heard = Collections.synchronizedList(new ArrayList<>());
        try (Registration registration = space.on(MEETINGS, Set.of(EventKind.WRITTEN),
                event -> heard.add(event.tuple().number())); Transaction transaction = space.begin(LONG)) {
            transaction.write(new Meeting(4, AT));
            transaction.write(new Meeting(5, AT));
            spoiling.spoil(4);
            transaction.commit();
            space.write(new Meeting(6, AT));
            Awaitility.await().atMost(LONG).until(() -> heard.size() >= 2);
            assertThat(heard).containsExactly(5, 6);
            assertThat(registration.lost()).isZero();
        }
        assertThat(space.count(MEETINGS)).isEqualTo(5);
    }

    /** Checks that a transaction can remove such tuples among others, and reports the others. */
    private static void removes(SpaceUri uri) {
        List<Integer> heard = Collections.synchronizedList(new ArrayList<>());
        try (TupleSpace space = TupleSpaces.open(uri, SpaceOptions.defaults());
                Registration registration = space.on(MEETINGS, Set.of(EventKind.TAKEN),
                        event -> heard.add(event.tuple().number()));
                Transaction transaction = space.begin(LONG)) {
            transaction.write(new Meeting(7, AT));
            assertThat(transaction.remove(MEETINGS.atLeast("number", 2))).isEqualTo(6);
            assertThat(transaction.count(MEETINGS)).isZero();
            assertThat(space.count(MEETINGS)).isZero();
            transaction.commit();
            Awaitility.await().atMost(LONG).until(() -> heard.size() >= 3);
            assertThat(heard).containsExactlyInAnyOrder(3, 5, 6);
            assertThat(registration.lost()).isZero();
            assertThat(space.count(MEETINGS)).isZero();
        }
    }
}
