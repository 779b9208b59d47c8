// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.treehaul.tuplespace.Shapes.Job;
import org.treehaul.tuplespace.postgresql.sql.Names;
import org.treehaul.tuplespace.sql.KeptChanges;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.store.Member;
import org.treehaul.tuplespace.store.Member.Right;
import org.treehaul.tuplespace.store.Owned;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;
import org.treehaul.tuplespace.store.SpaceMembers;
import org.treehaul.tuplespace.store.SpaceMembers.Visibility;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.StoreProviders;
import org.treehaul.tuplespace.tuple.Aggregate;
import org.treehaul.tuplespace.tuple.Template;

/** Users of a server share spaces as far as an administrator lets them; hostile statements give them no more. */
class PostgresSharingTest {
    private static final Template<Job> JOBS = Template.of(Job.class);
    private static final Duration NOW = Duration.ZERO;

    private final PostgresServer server = PostgresServer.shared();
    private final SpaceUri uri = server.fresh();
    private final String schema = uri.address().replaceFirst(".*=", "");
    private final String table = schema + ".\"" + Job.class.getName() + "\"";
    private final SpaceMembers members = TupleSpaces.members(uri);

    @BeforeEach
    void makeRoles() throws SQLException {
        for (String role : List.of("alice", "bob", "carol", "worker")) {
            server.role(role, "LOGIN");
        }
    }

    private static Member member(String user, Right right) {
        return new Member(user, right, false, OptionalLong.empty());
    }

    private SpaceUri as(String role) {
        return SpaceUri.parse(uri.toString().replace("owner@", role + "@"));
    }

    private TupleSpace open(String role) {
        return TupleSpaces.open(as(role), SpaceOptions.defaults());
    }

    private static Job job(int number) {
        return new Job(number, "new", null);
    }

    private static void fails(Reason reason, String message, ThrowingCallable call) {
        assertThatExceptionOfType(SpaceException.class).isThrownBy(call).satisfies(e -> {
            assertThat(e.reason()).isEqualTo(reason);
            assertThat(e).hasMessageContaining(message);
        });
    }

    private Connection connect(String role) throws SQLException {
        return DriverManager.getConnection("jdbc:postgresql://127.0.0.1:" + server.port() + "/postgres?user=" + role);
    }

    /** Runs a statement of a user; returns the number in the first row, or of the changed rows. */
    private static long run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            if (!statement.execute(sql)) {
                return statement.getUpdateCount();
            }
            try (ResultSet row = statement.getResultSet()) {
                return row.next() ? row.getLong(1) : 0;
            }
        }
    }

    private static List<Integer> numbers(TupleSpace space) {
        try (Stream<Job> jobs = space.contents(JOBS)) {
            return jobs.map(Job::number).sorted().toList();
        }
    }

    @Test
    void indexedValuesOfMembersMayHaveAnyLength() {
        members.create(Visibility.OWN);
        members.grant(member("alice", Right.WRITE));
        String text = new Random(1).ints(4000, 0x21, 0x7f)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
        try (TupleSpace alice = TupleSpaces.open(as("alice"),
                SpaceOptions.defaults().index(Job.class, "number", "state"))) {
            alice.writeAll(List.of(new Job(1, text, null), new Job(1, text + "!", null)), Lease.FOREVER);
            assertThat(alice.count(JOBS.equal("number", 1).equal("state", text))).isEqualTo(1);
        }
    }

    @Test
    void theServerUsesIndexesOfTextsWhereUsersAreApart() throws Exception {
        members.create(Visibility.OWN);
        SpaceOptions options = SpaceOptions.defaults().index(Job.class, "state");
        for (String user : List.of("alice", "bob")) {
            members.grant(member(user, Right.WRITE));
            try (TupleSpace space = TupleSpaces.open(as(user), options)) {
                space.writeAll(IntStream.range(0, 3000).mapToObj(i -> new Job(i, "s" + i, null)).toList(),
                        Lease.FOREVER);
            }
        }
        server.run("ANALYZE " + table);
        try (TupleSpace alice = TupleSpaces.open(as("alice"), options)) {
            assertThat(alice.count(JOBS.prefix("state", "s29"))).isEqualTo(111);
            assertThat(alice.count(JOBS.in("state", List.of("s7", "s8", "none")))).isEqualTo(2);
            assertThat(alice.count(JOBS.equal("state", "s" + "9".repeat(200)))).isZero();
            long scans = indexScans();
            Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> {
                assertThat(alice.count(JOBS.equal("state", "s7"))).isEqualTo(1);
                return indexScans() > scans;
            });
            assertThat(alice.take(JOBS.equal("state", "s7"), NOW).isFound()).isTrue();
            assertThat(alice.take(JOBS.equal("state", "s7"), NOW).isFound()).isFalse();
        }
    }

    private long indexScans() throws SQLException {
        return server.number("SELECT sum(idx_scan) FROM pg_stat_user_indexes WHERE schemaname = '" + schema
                + "' AND indexrelname LIKE 'state of %'");
    }

    @Test
    void membersReadOrWriteAndOtherRolesHaveNoRights() throws Exception {
        members.create(Visibility.ALL);
        fails(Reason.DENIED, "role alice", () -> open("alice"));
        members.grant(member("alice", Right.WRITE));
        members.grant(member("bob", Right.READ));
        try (TupleSpace alice = open("alice"); TupleSpace bob = open("bob")) {
            alice.writeAll(List.of(job(1), job(2)), Lease.FOREVER);
            assertThat(numbers(bob)).containsExactly(1, 2);
            assertThat(bob.read(JOBS, NOW).isFound()).isTrue();
            assertThat(bob.sum(JOBS, "number")).isEqualTo(3L);
            for (ThrowingCallable change : List.<ThrowingCallable>of(() -> bob.write(job(3)), () -> bob.take(JOBS, NOW),
                    () -> bob.remove(JOBS), () -> bob.begin(Lease.FOREVER), () -> bob.atomically(all -> all))) {
                fails(Reason.DENIED, "role bob may only read this space", change);
            }
            try (TupleSpace read = TupleSpaces.openToRead(as("bob"), SpaceOptions.defaults())) {
                assertThat(read.count(JOBS)).isEqualTo(2);
            }
            fails(Reason.DENIED, "role carol", () -> TupleSpaces.openToRead(as("carol"), SpaceOptions.defaults()));
            fails(Reason.DENIED, "role carol", () -> open("carol"));
            members.grant(member("bob", Right.WRITE));
            try (TupleSpace again = open("bob")) {
                assertThat(again.take(JOBS, NOW).isFound()).isTrue();
            }
        }
        assertThat(server.number(
                "SELECT count(*) FROM pg_class c JOIN pg_roles r ON r.oid = relowner" + " WHERE relnamespace = '"
                        + schema + "'::regnamespace AND (rolcanlogin OR rolname NOT LIKE '%_owner')"))
                .isZero();
    }

    @Test
    void aUserWhoseRightsAreRevokedLosesThemAtOnce() throws Exception {
        members.create(Visibility.OWN);
        members.grant(new Member("alice", Right.WRITE, false, OptionalLong.of(1001)));
        members.grant(new Member("worker", Right.WRITE, true, OptionalLong.empty()));
        assertThat(members.list()).containsExactly(new Member("alice", Right.WRITE, false, OptionalLong.of(1001)),
                new Member("worker", Right.WRITE, true, OptionalLong.empty()));
        try (TupleSpace alice = open("alice"); TupleSpace worker = open("worker")) {
            alice.write(job(1));
            Transaction transaction = alice.begin(Lease.FOREVER);
            assertThat(transaction.take(JOBS, NOW).isFound()).isTrue();
            assertThat(TupleSpaces.members(as("alice")).list()).hasSize(2);
            assertThat(members.revoke("alice")).isTrue();
            fails(Reason.DENIED, "role alice", () -> alice.write(job(2)));
            fails(Reason.DENIED, "role alice", () -> alice.count(JOBS));
            fails(Reason.DENIED, "role alice", transaction::commit);
            // Now it ends, for those who may see its tuples.
            worker.write(job(3));
            assertThat(numbers(worker)).containsExactly(1, 3);
            assertThat(worker.takeAll(JOBS, 9)).hasSize(2);
        }
        assertThat(members.list()).extracting(Member::user).containsExactly("worker");
        assertThat(members.revoke("alice")).isFalse();
        assertThat(server.number("SELECT count(*) FROM " + schema + ".\"$users\"")).isZero();
    }

    @Test
    void usersWhoAreApartSeeAndTakeOnlyTheirOwnTuples() throws Exception {
        members.create(Visibility.OWN);
        members.grant(member("alice", Right.WRITE));
        members.grant(member("bob", Right.WRITE));
        members.grant(new Member("worker", Right.WRITE, true, OptionalLong.empty()));
        members.grant(member("carol", Right.READ));
        try (TupleSpace alice = open("alice");
                TupleSpace bob = open("bob");
                TupleSpace carol = open("carol");
                TupleSpace worker = open("worker");
                TupleSpace owner = open("owner")) {
            alice.writeAll(List.of(job(1), job(2)), Duration.ofHours(1));
            bob.write(job(3));
            assertThat(numbers(alice)).containsExactly(1, 2);
            assertThat(numbers(bob)).containsExactly(3);
            assertThat(numbers(carol)).isEmpty();
            assertThat(numbers(worker)).containsExactly(1, 2, 3);
            assertThat(numbers(owner)).containsExactly(1, 2, 3);
            assertThat(bob.groupBy(JOBS, List.of("state"), Aggregate.count()).getFirst().values()).containsExactly(1L);
            assertThat(bob.take(JOBS.equal("number", 1), NOW)).isEqualTo(new Result.Empty<>());
            assertThat(bob.takeIfExists(JOBS.equal("number", 1), NOW)).isEqualTo(new Result.Empty<>());
            assertThat(bob.remove(JOBS)).isEqualTo(1);
            try (Transaction taking = worker.begin(Duration.ofMinutes(1))) {
                assertThat(taking.take(JOBS.equal("number", 1), NOW).isFound()).isTrue();
                assertThat(numbers(alice)).containsExactly(2);
                assertThat(alice.takeIfExists(JOBS.equal("number", 1), NOW)).isEqualTo(new Result.Locked<>());
            }
            assertThat(numbers(alice)).containsExactly(1, 2);
            bob.write(job(1));
            try (Stream<Owned<Job>> jobs = worker.ownedContents(JOBS)) {
                assertThat(jobs).containsExactlyInAnyOrder(owned(1, "alice"), owned(2, "alice"), owned(1, "bob"));
            }
            try (Transaction taking = worker.begin(Duration.ofMinutes(1))) {
                assertThat(taking.takeOwned(JOBS.equal("number", 1), 9)).containsExactlyInAnyOrder(owned(1, "alice"),
                        owned(1, "bob"));
                taking.commit();
            }
            assertThat(alice.takeOwned(JOBS, 9)).containsExactly(owned(2, "alice"));
        }
    }

    private static Owned<Job> owned(int number, String owner) {
        return new Owned<>(job(number), Optional.of(owner));
    }

    @Test
    void noStatementOfAMemberReachesTheTuplesOfAnother() throws Exception {
        members.create(Visibility.OWN);
        members.grant(member("alice", Right.WRITE));
        members.grant(member("bob", Right.WRITE));
        BlockingQueue<Integer> heard = new LinkedBlockingQueue<>();
        try (TupleSpace alice = open("alice");
                TupleSpace other = open("alice");
                TupleSpace bobs = open("bob");
                Connection bob = connect("bob")) {
            hear(other, heard);
            bobs.write(job(7));
            alice.write(job(1));
            assertThat(heard.poll(60, TimeUnit.SECONDS)).isEqualTo(1);
            assertThat(server.number("SELECT count(*) FROM " + schema + ".\"$changes\"")).isEqualTo(2);
            Transaction transaction = alice.begin(Lease.FOREVER);
            assertThat(run(bob, "SELECT count(*) FROM " + table)).isEqualTo(1);
            assertThat(run(bob, "SELECT count(*) FROM " + schema + ".\"$changes\" WHERE \"$owner\" <> 'bob'")).isZero();
            assertThat(run(bob, "UPDATE " + table + " SET \"$taker\" = NULL WHERE \"$owner\" = 'alice'")).isZero();
            assertThat(run(bob, "DELETE FROM " + table + " WHERE \"$owner\" = 'alice'")).isZero();
            assertThat(run(bob, "DELETE FROM " + schema + ".\"$transactions\"")).isZero();
            assertThat(run(bob, "UPDATE " + schema + ".\"$transactions\" SET expires = 0")).isZero();
            assertThat(run(bob, "DELETE FROM " + schema + ".\"$watchers\"")).isZero();
            assertThat(run(bob, "DELETE FROM " + schema + ".\"$clients\"")).isZero();
            String defined = "SELECT " + schema + ".\"$define\"(";
            for (String sql : List.of("INSERT INTO " + table + "(\"$id\", number, \"$owner\") VALUES (99, 1, 'alice')",
                    "UPDATE " + table + " SET \"$owner\" = 'alice'", "UPDATE " + table + " SET number = 2",
                    "SELECT 1 FROM " + table + " FOR UPDATE; SET row_security = off; SELECT count(*) FROM " + table,
                    "TRUNCATE " + table, "ALTER TABLE " + table + " DISABLE ROW LEVEL SECURITY", "DROP TABLE " + table,
                    "CREATE TABLE " + schema + ".mine(x int)", "CREATE POLICY mine ON " + table + " USING (true)",
                    "INSERT INTO " + schema + ".\"$changes\" VALUES (9, '', 'TAKEN', '', '', 'alice')",
                    "UPDATE " + schema + ".\"$space\" SET changes = 0",
                    "UPDATE " + schema + ".\"$access\" SET apart = false",
                    "INSERT INTO " + schema + ".\"$users\" VALUES ('bob', 0)",
                    "INSERT INTO " + schema + ".\"$types\" VALUES ('x', '')", "SET SESSION AUTHORIZATION alice",
                    "SET ROLE alice", "SET ROLE \"treehaul_postgres_" + schema + "_owner\"",
                    "GRANT \"treehaul_postgres_" + schema + "_all\" TO bob", "SELECT " + schema + ".\"$changed\"(-1)",
                    defined + "'x', '$space', '{}', '{}', '')", defined + "'$x', 'x', '{}', '{}', '')",
                    defined + "'x', 'x', '{a}', ARRAY['bigint); DROP TABLE " + table.replace("'", "''") + "; --'], '')",
                    "SELECT " + schema + ".\"$index\"('i', '$users', '{uid}', '{TEXT}')",
                    "SELECT " + schema + ".\"$index\"('i', '" + Job.class.getName()
                            + "', ARRAY['number); GRANT SELECT ON x TO bob; --'], '{BLOB}')")) {
                assertThatExceptionOfType(SQLException.class).as(sql)
                        .isThrownBy(() -> run(bob, sql))
                        .satisfies(e -> assertThat(e.getSQLState()).as(e.getMessage()).isIn("42501", "P0001", "42703"));
                run(bob, "RESET row_security");
            }
            // The role in whose name statements run is not the user.
            run(bob, "SET ROLE \"treehaul_postgres_" + schema + "_write\"");
            run(bob, "INSERT INTO " + table + "(\"$id\", number) VALUES (nextval('" + schema + ".\"$ids\"'), 8)");
            assertThat(run(bob, "SELECT count(*) FROM " + table + " WHERE \"$owner\" = session_user")).isEqualTo(2);
            transaction.write(job(2));
            transaction.commit();
            assertThat(numbers(alice)).containsExactly(1, 2);
            assertThat(numbers(bobs)).containsExactly(7, 8);
        }
    }

    @Test
    void aMemberCannotStopTheChangesOfOthers() throws Exception {
        members.create(Visibility.OWN);
        members.grant(member("alice", Right.WRITE));
        members.grant(member("bob", Right.WRITE));
        members.grant(new Member("worker", Right.WRITE, true, OptionalLong.empty()));
        BlockingQueue<Integer> heard = new LinkedBlockingQueue<>();
        try (TupleSpace alice = open("alice"); TupleSpace worker = open("worker"); Connection bob = connect("bob")) {
            alice.write(job(1));
            Registration registration = hear(worker, heard);
            // Numbers that the next changes get, and one that no change gets.
            run(bob, "INSERT INTO " + schema + ".\"$changes\" SELECT n, 'x', 'TAKEN', 'x', ''"
                    + " FROM unnest(ARRAY[1, 2, 3, 9223372036854775807]) n");
            alice.write(job(2));
            assertThat(heard.poll(60, TimeUnit.SECONDS)).isEqualTo(2);
            run(bob, "INSERT INTO " + schema + ".\"$changes\" VALUES (9223372036854775807, 'x', 'TAKEN', 'x', '')");
            run(bob, "NOTIFY \"treehaul " + schema + "\"");
            alice.write(job(3));
            assertThat(heard.poll(60, TimeUnit.SECONDS)).isEqualTo(3);
            assertThat(registration.lost()).isZero();

            String known = Job.class.getName();
            String unknown = "a.".repeat(20) + "\u20ac".repeat(20);
            String defined = "SELECT count(*) FROM " + schema + ".\"$define\"(";
            for (String wrong : List.of("'" + known + "', '" + known + "', '{}', '{}', 'nothing'",
                    "'" + known + "', '" + known + "', '{}', '{}', E'BLOB number\\nTEXT state\\nTEXT owner\\n'",
                    "'" + known + "', '" + known + "', '{}', '{}', E'INTEGER number\\n'",
                    "'a.B', 'other', '{}', '{}', ''", "'a.B', 'a.B', '{$head 7}', '{bytea}', ''",
                    "'" + unknown + "', '" + Names.shortened(unknown + "x") + "', '{}', '{}', ''")) {
                assertThatExceptionOfType(SQLException.class).as(wrong)
                        .isThrownBy(() -> run(bob, defined + wrong + ")"))
                        .satisfies(e -> assertThat(e.getSQLState()).as(e.getMessage()).isEqualTo("P0001"));
            }
            run(bob, defined + "'" + unknown + "', '" + Names.shortened(unknown) + "', '{}', '{}', '')");
            run(bob, defined + "'" + known + "', '" + known
                    + "', '{}', '{}', E'INTEGER number\\nTEXT state\\nTEXT owner\\nTEXT later\\n')");
            try (TupleSpace again = open("alice")) {
                assertThat(numbers(again)).containsExactly(1, 2, 3);
                again.write(job(4));
                again.sweep();
            }
        }
    }

    @Test
    void aMemberCannotTakeTheNumbersOfOthers() throws Exception {
        members.create(Visibility.OWN);
        members.grant(member("alice", Right.WRITE));
        members.grant(member("bob", Right.WRITE));
        try (TupleSpace alice = open("alice"); Connection bob = connect("bob")) {
            alice.write(job(1));
            String next = "(SELECT last_value + 1 FROM " + schema + ".\"$ids\")";
            for (String wrong : List.of("INSERT INTO " + table + "(\"$id\", number) VALUES (" + next + ", 7)",
                    "INSERT INTO " + schema + ".\"$transactions\"(id, client, expires) VALUES (" + next + ", 1, 0)",
                    "INSERT INTO " + schema + ".\"$clients\"(id) SELECT last_value + 1 FROM " + schema
                            + ".\"$client_ids\"")) {
                assertThatExceptionOfType(SQLException.class).as(wrong)
                        .isThrownBy(() -> run(bob, wrong))
                        .satisfies(e -> assertThat(e.getSQLState()).as(e.getMessage()).isEqualTo("42501"));
            }
            // A number that was given, as if to another user who has not used it yet.
            run(bob, "SELECT nextval('" + schema + ".\"$ids\"')");
            run(bob, "INSERT INTO " + table + "(\"$id\", number) SELECT last_value, 7 FROM " + schema + ".\"$ids\"");
            alice.write(job(2));
            try (Transaction transaction = alice.begin(Duration.ofHours(1))) {
                transaction.write(job(3));
                transaction.commit();
            }
            alice.writeAll(List.of(job(4), job(5)), Lease.FOREVER);
            assertThat(numbers(alice)).containsExactly(1, 2, 3, 4, 5);
        }
    }

    @Test
    void aChangeWhoseNumberAnotherHasTakenIsMadeWithANewOne() throws Exception {
        try (TupleSpace space = open("owner")) {
            space.write(job(1));
            space.write(job(2));
            server.run("SELECT setval('" + schema + ".\"$ids\"', last_value - 1) FROM " + schema + ".\"$ids\"");
            space.write(job(3));
            assertThat(numbers(space)).containsExactly(1, 2, 3);
        }
    }

    @Test
    void changesOfOthersAreNoGapHoweverManyTheyAre() {
        KeptChanges first = new KeptChanges("self", 10);
        first.removedUntil(5);
        first.readUntil(2_000_000);
        KeptChanges second = new KeptChanges("self", first.last());
        second.removedUntil(1_500_000);
        assertThat(first.isGap()).isFalse();
        assertThat(second.isGap()).isFalse();
        assertThat(second.last()).isEqualTo(2_000_000);
        KeptChanges late = new KeptChanges("self", 10);
        late.removedUntil(11);
        assertThat(late.isGap()).isTrue();
    }

    @Test
    void aPreparedTransactionOfAMemberStaysUntilItIsCommitted() throws Exception {
        members.create(Visibility.OWN);
        members.grant(member("alice", Right.WRITE));
        members.grant(member("bob", Right.READ));
        List<Store> stores = new ArrayList<>();
        long transaction;
        try (TupleSpace alice = open(stores)) {
            Store store = stores.getLast();
            transaction = store.begin(Store.NEVER);
            store.write(List.of(job(1)), Store.NEVER, transaction);
            assertThat(store.prepare(transaction)).isTrue();
            assertThat(numbers(alice)).isEmpty();
        }
        try (Connection bob = connect("bob")) {
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(() -> run(bob, "INSERT INTO " + schema + ".\"$clients\" VALUES (0, 1)"))
                    .satisfies(e -> assertThat(e.getSQLState()).isEqualTo("23514"));
        }
        members.revoke("alice");
        members.grant(member("alice", Right.WRITE));
        try (TupleSpace alice = open(stores)) {
            alice.sweep();
            assertThat(numbers(alice)).isEmpty();
            assertThat(stores.getLast().commit(transaction)).isTrue();
            assertThat(numbers(alice)).containsExactly(1);
        }
    }

    /** Opens the space as a member, and adds its store to a list. */
    private TupleSpace open(List<Store> stores) {
        SpaceOptions options = SpaceOptions.defaults();
        return Space.over(listener -> {
            stores.add(StoreProviders.of(uri).open(as("alice"), options.store(), listener));
            return stores.getLast();
        }, options);
    }

    @Test
    void anAdministratorRevokesTheGrantsOfAnother() throws Exception {
        server.role("admin", "LOGIN CREATEROLE");
        server.run("GRANT CREATE ON DATABASE postgres TO admin");
        TupleSpaces.members(as("admin")).create(Visibility.OWN);
        TupleSpaces.members(as("admin")).grant(new Member("alice", Right.WRITE, true, OptionalLong.empty()));
        members.grant(member("alice", Right.READ));
        assertThat(members.list()).containsExactly(member("alice", Right.READ));
        assertThat(members.revoke("alice")).isTrue();
        assertThat(members.list()).isEmpty();
        fails(Reason.DENIED, "role alice", () -> open("alice"));
    }

    private static Registration hear(TupleSpace space, BlockingQueue<Integer> heard) {
        return space.on(JOBS, EnumSet.of(EventKind.WRITTEN, EventKind.TAKEN), event -> heard
                .add(event.kind() == EventKind.WRITTEN ? event.tuple().number() : -event.tuple().number()));
    }

    @Test
    void eventsReachOnlyThoseWhoSeeTheTuple() throws Exception {
        members.create(Visibility.OWN);
        members.grant(member("alice", Right.WRITE));
        members.grant(member("bob", Right.WRITE));
        members.grant(new Member("worker", Right.WRITE, true, OptionalLong.empty()));
        BlockingQueue<Integer> ofAlice = new LinkedBlockingQueue<>();
        BlockingQueue<Integer> ofBob = new LinkedBlockingQueue<>();
        BlockingQueue<Integer> ofAll = new LinkedBlockingQueue<>();
        try (TupleSpace alice = open("alice");
                TupleSpace second = open("alice");
                TupleSpace bob = open("bob");
                TupleSpace second2 = open("bob");
                TupleSpace worker = open("worker");
                TupleSpace watching = open("worker");
                Connection carol = connect("carol")) {
            List<Registration> all = List.of(hear(second, ofAlice), hear(second2, ofBob), hear(watching, ofAll));
            run(carol, "LISTEN \"treehaul " + schema + "\"");
            alice.write(job(1));
            worker.takeAll(JOBS, 1);
            bob.write(job(2));
            bob.takeAll(JOBS, 1);
            alice.writeAll(List.of(job(3), job(4)), Lease.FOREVER);
            assertThat(next(ofAll, 6)).containsExactly(1, -1, 2, -2, 3, 4);
            assertThat(next(ofAlice, 4)).containsExactly(1, -1, 3, 4);
            assertThat(next(ofBob, 2)).containsExactly(2, -2);
            assertThat(all).allSatisfy(one -> assertThat(one.lost()).isZero());
            assertThat(ofAlice).isEmpty();
            assertThat(ofBob).isEmpty();
            run(carol, "SELECT 1");
            assertThat(carol.unwrap(PGConnection.class).getNotifications()).isNotEmpty()
                    .allSatisfy(one -> assertThat(one.getParameter()).isEmpty());
        }
    }

    private static List<Integer> next(BlockingQueue<Integer> heard, int count) throws InterruptedException {
        List<Integer> next = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Integer one = heard.poll(60, TimeUnit.SECONDS);
            next.add(one == null ? 0 : one);
        }
        return next;
    }

    @Test
    void aMemberWhoOnlyReadsHearsOfChanges() throws Exception {
        members.create(Visibility.ALL);
        members.grant(member("alice", Right.WRITE));
        members.grant(member("bob", Right.READ));
        BlockingQueue<Integer> heard = new LinkedBlockingQueue<>();
        try (TupleSpace alice = open("alice")) {
            alice.write(job(1));
            for (Consumer<BlockingQueue<Integer>> opening : List.<Consumer<BlockingQueue<Integer>>>of(queue -> {
                try (TupleSpace bob = open("bob")) {
                    hearChange(alice, bob, queue);
                }
            }, queue -> {
                try (TupleSpace bob = TupleSpaces.openToRead(as("bob"), SpaceOptions.defaults())) {
                    hearChange(alice, bob, queue);
                }
            })) {
                opening.accept(heard);
            }
            try (TupleSpace waiting = open("alice"); Connection bob = connect("bob")) {
                hear(waiting, heard);
                assertThat(run(bob, "DELETE FROM " + schema + ".\"$watchers\"")).isZero();
            }
            // Nobody watches any more.
            assertThat(server.number("SELECT count(*) FROM " + schema + ".\"$watchers\"")).isZero();
        }
    }

    private static void hearChange(TupleSpace writing, TupleSpace reading, BlockingQueue<Integer> heard) {
        hear(reading, heard);
        writing.write(job(2));
        Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> Integer.valueOf(2).equals(heard.poll()));
    }

    @Test
    void theWatchOfADeadProcessOfAnotherUserEndsAndThatOfALiveOneStays() throws Exception {
        members.create(Visibility.OWN);
        members.grant(member("alice", Right.WRITE));
        members.grant(member("bob", Right.WRITE));
        try (TupleSpace alice = open("alice"); TupleSpace bobs = open("bob"); Connection bob = connect("bob")) {
            Transaction alive = bobs.begin(Lease.FOREVER);
            alive.write(job(1));
            String client = "('" + schema + ".\"$client_ids\"')";
            run(bob, "INSERT INTO " + schema + ".\"$clients\" VALUES (nextval" + client + ", 1)");
            run(bob, "INSERT INTO " + schema + ".\"$watchers\" VALUES (currval" + client + ", true)");
            run(bob, "INSERT INTO " + schema + ".\"$transactions\" VALUES (nextval('" + schema + ".\"$ids\"'), currval"
                    + client + ", 9223372036854775807)");
            Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> {
                alice.sweep();
                return server.number("SELECT count(*) FROM " + schema + ".\"$clients\"") == 1;
            });
            assertThat(server.number("SELECT count(*) FROM " + schema + ".\"$watchers\"")).isZero();
            alive.commit();
            bobs.write(job(2));
            assertThat(numbers(bobs)).containsExactly(1, 2);
            assertThat(server.number("SELECT count(*) FROM " + schema + ".\"$transactions\"")).isZero();
        }
    }

    @Test
    void anAdministratorNeedsNoRightsBeyondMakingRolesAndSchemas() throws Exception {
        server.role("admin", "LOGIN CREATEROLE");
        server.run("GRANT CREATE ON DATABASE postgres TO admin");
        SpaceMembers own = TupleSpaces.members(as("admin"));
        own.create(Visibility.OWN);
        own.grant(new Member("alice", Right.WRITE, false, OptionalLong.of(7)));
        assertThat(own.visibility()).isEqualTo(Visibility.OWN);
        assertThat(own.list()).containsExactly(new Member("alice", Right.WRITE, false, OptionalLong.of(7)));
        own.grant(new Member("alice", Right.READ, true, OptionalLong.of(8)));
        assertThat(own.list()).containsExactly(new Member("alice", Right.READ, true, OptionalLong.of(8)));
        fails(Reason.DENIED, "role alice does not administer this space",
                () -> TupleSpaces.members(as("alice")).grant(member("bob", Right.WRITE)));
        fails(Reason.DENIED, "role alice does not administer this space",
                () -> TupleSpaces.members(as("alice")).revoke("alice"));
        assertThat(own.revoke("alice")).isTrue();
        assertThat(own.list()).isEmpty();
    }

    @Test
    void spacesThatCannotBeSharedAreRefusedAndNothingIsLeftBehind() throws Exception {
        fails(Reason.DENIED, "role alice may not share spaces here",
                () -> TupleSpaces.members(as("alice")).create(Visibility.ALL));
        assertThat(server.number("SELECT count(*) FROM pg_roles WHERE rolname LIKE '%\\_" + schema + "\\_%'")).isZero();
        fails(Reason.ABSENT, "no tuple space", members::list);
        fails(Reason.ABSENT, "no tuple space", () -> members.grant(member("alice", Right.READ)));
        members.create(Visibility.ALL);
        fails(Reason.IO, "the schema exists already", () -> members.create(Visibility.ALL));
        fails(Reason.ABSENT, "createuser nobody", () -> members.grant(member("nobody", Right.READ)));
        server.run("DROP SCHEMA " + schema + " CASCADE");
        fails(Reason.IO, "DROP ROLE removes it", () -> members.create(Visibility.ALL));
        SpaceUri plain = server.fresh();
        TupleSpaces.open(plain, SpaceOptions.defaults()).close();
        fails(Reason.UNSUPPORTED, "was not made to be shared", TupleSpaces.members(plain)::list);
        fails(Reason.UNSUPPORTED, "cannot be shared by users of a server",
                () -> TupleSpaces.members(SpaceUri.parse("sqlite:/tmp/none")));
    }
}
