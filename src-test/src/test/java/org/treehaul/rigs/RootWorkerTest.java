// SPDX-License-Identifier: Apache-2.0
package org.treehaul.rigs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.state.StateFile;
import org.treehaul.core.testing.Installed;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Run;
import org.treehaul.tuplespace.PostgresServer;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.store.Member;
import org.treehaul.tuplespace.store.SpaceMembers;
import org.treehaul.tuplespace.store.SpaceUri;

/** A worker of root carries out the transfers of two users, whose accounts exist during the test. */
@Tag("rig")
class RootWorkerTest {

    // Several runs may be under way on a machine.
    private static final String RUN = "-" + ProcessHandle.current().pid();
    private static final String ALICE = "th-test-alice" + RUN;
    private static final String BOB = "th-test-bob" + RUN;
    private static final String GROUP = "th-test-group" + RUN;
    private static final Pattern OURS = Pattern.compile("th-test-[a-z]+-([0-9]+)");

    private final List<Process> started = new ArrayList<>();
    private TestDirectory directory;
    private PostgresServer server;
    private SpaceUri space;
    private SpaceMembers members;

    @BeforeEach
    void makeUsers() throws Exception {
        Privilege.requireRoot("it becomes other users");
        Installed.require("useradd", "groupadd", "userdel", "groupdel", "getent", "setsid", "setpriv");
        server = PostgresServer.shared();
        directory = TestDirectory.onTmpfs();
        Files.setPosixFilePermissions(directory.path(), PosixFilePermissions.fromString("rwxr-xr-x"));
        removeUsers();
        Run.of("groupadd", GROUP).expect(0);
        Run.of("useradd", "-m", "-d", home(ALICE), "-G", GROUP, ALICE).expect(0);
        Run.of("useradd", "-m", "-d", home(BOB), BOB).expect(0);
        space = server.fresh();
        members = TupleSpaces.members(space);
        members.create(SpaceMembers.Visibility.OWN);
        for (String role : List.of("alice", "bob", "carol", "pooler")) {
            server.role(role, "LOGIN");
        }
        grant("alice", uid(ALICE));
        grant("bob", uid(BOB));
        members.grant(new Member("pooler", Member.Right.WRITE, true, OptionalLong.empty()));
    }

    @AfterEach
    void removeAll() throws Exception {
        for (Process process : started) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor();
        }
        if (directory != null) {
            try (TestDirectory _ = directory) {
                removeUsers();
            }
        }
    }

    /** Removes the accounts of this run, and those of runs that were killed. */
    private static void removeUsers() throws Exception {
        for (String user : ours("/etc/passwd")) {
            // Else userdel refuses.
            ProcessHandle.allProcesses()
                    .filter(process -> process.info().user().filter(user::equals).isPresent())
                    .forEach(ProcessHandle::destroyForcibly);
            Run.of("userdel", "-f", user);
        }
        for (String group : ours("/etc/group")) {
            Run.of("groupdel", group);
        }
        assertThat(ours("/etc/passwd")).as("accounts that could not be removed").isEmpty();
        assertThat(ours("/etc/group")).as("groups that could not be removed").isEmpty();
    }

    private static List<String> ours(String file) throws IOException {
        List<String> names = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of(file))) {
            Matcher account = OURS.matcher(line.substring(0, Math.max(0, line.indexOf(':'))));
            if (account.matches() && (account.group().endsWith(RUN)
                    || ProcessHandle.of(Long.parseLong(account.group(1))).isEmpty())) {
                names.add(account.group());
            }
        }
        return names;
    }

    private void grant(String role, long uid) {
        members.grant(new Member(role, Member.Right.WRITE, false, OptionalLong.of(uid)));
    }

    private Path home(String user) {
        return directory.resolve(user);
    }

    private static long uid(String user) throws Exception {
        return Long.parseLong(Run.of("id", "-u", user).expect(0).out().strip());
    }

    private String address(String role) {
        return space.toString().replace("owner@", role + "@");
    }

    private static List<String> as(String user) throws Exception {
        return List.of("setpriv", "--reuid=" + user, "--regid=" + Run.of("id", "-g", user).expect(0).out().strip(),
                "--init-groups", "--reset-env");
    }

    /** Runs treehaul as a user in the home directory. */
    private Run treehaul(String user, Object... arguments) throws Exception {
        return Run.of(new ProcessBuilder(Run.command(as(user), Run.JAR, arguments)).directory(home(user).toFile()));
    }

    private static void shell(String user, String script) throws Exception {
        List<String> command = new ArrayList<>(as(user));
        command.addAll(List.of("bash", "-ec", "cd; " + script));
        Run.of(command.toArray()).expect(0);
    }

    private void submit(String user, String role, Object... more) throws Exception {
        List<Object> arguments = new ArrayList<>(
                List.of("cp", "-aT", "--scheduler", "pool", "--space", address(role), "--batch-files", 2));
        arguments.addAll(List.of(more));
        arguments.addAll(List.of("S", "T"));
        treehaul(user, arguments.toArray()).expect(0);
    }

    /** Runs a worker of root until it was idle for a second. */
    private Run worker(Object... more) throws Exception {
        List<Object> arguments = new ArrayList<>(List.of("worker", "--pool", address("pooler"), "--idle", 1));
        arguments.addAll(List.of(more));
        return Run.of(Run.command(List.of(), Run.JAR, arguments.toArray()).toArray()).expect(0);
    }

    private Process start(Path log) throws IOException {
        Process worker = new ProcessBuilder(
                Run.command(List.of(), Run.JAR, "worker", "--pool", address("pooler"), "--threads", 1))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        started.add(worker);
        return worker;
    }

    private static Process end(Process worker) throws Exception {
        worker.destroy();
        worker.waitFor();
        return worker;
    }

    private ProcessHandle child(Process worker) {
        return Awaitility.await()
                .until(() -> worker.children().filter(ProcessHandle::isAlive).findFirst(), Optional::isPresent)
                .orElseThrow();
    }

    private Path transfer(String user) throws IOException {
        try (Stream<Path> all = Files.list(home(user).resolve(".treehaul/transfers"))) {
            return all.findFirst().orElseThrow();
        }
    }

    private String state(String user) throws Exception {
        return treehaul(user, "status", "last").out().lines().findFirst().orElse("");
    }

    /** Runs a statement as a role of the server. */
    private void sql(String role, String statement) throws SQLException {
        try (Connection connection = DriverManager
                .getConnection("jdbc:postgresql://127.0.0.1:" + server.port() + "/postgres?user=" + role);
                Statement run = connection.createStatement()) {
            run.execute(statement.replace("SCHEMA", space.address().replaceFirst(".*=", "")));
        }
    }

    @Test
    @Tag("happy-path")
    void eachTransferIsCarriedOutAsTheUserWhoSubmittedIt() throws Exception {
        for (String user : List.of(ALICE, BOB)) {
            shell(user, "mkdir S; for i in {1..9}; do echo $i > S/f$i; done");
            Files.writeString(home(user).resolve("S/secret"), "of root");
            Files.setPosixFilePermissions(home(user).resolve("S/secret"), PosixFilePermissions.fromString("rw-------"));
            Files.writeString(home(user).resolve("S/of-group"), "of the group");
            Run.of("chgrp", GROUP, home(user).resolve("S/of-group")).expect(0);
            Files.setPosixFilePermissions(home(user).resolve("S/of-group"),
                    PosixFilePermissions.fromString("rw-r-----"));
        }
        submit(ALICE, "alice", "--on-complete", "id; env; grep Cap /proc/self/status; ps -o sid=,tty= -p $PPID");
        submit(BOB, "bob");
        assertThat(treehaul(BOB, "status", "last").out()).contains("a worker of root, which you may not see");
        // Each says that root submitted it, in the only place that the submitter fills in.
        server.run("UPDATE " + space.address().replaceFirst(".*=", "")
                + ".\"org.treehaul.schedulers.pool.TransferOffer\" SET uid = 0");
        Run worker = worker();
        assertThat(worker.err()).contains(ALICE + ": transfer ", BOB + ": transfer ", "2 transfers finished");
        for (String user : List.of(ALICE, BOB)) {
            Path target = home(user).resolve("T");
            assertThat(target.resolve("f7")).hasContent("7");
            assertThat(Files.getAttribute(target.resolve("f7"), "unix:uid")).isEqualTo((int) uid(user));
            assertThat(target.resolve("secret")).doesNotExist();
            assertThat(state(user)).contains("partial");
        }
        assertThat(home(ALICE).resolve("T/of-group")).hasContent("of the group");
        assertThat(home(BOB).resolve("T/of-group")).as("bob is not in the group").doesNotExist();
        String hook = Run.of("bash", "-c", "cat " + transfer(ALICE) + "/log/th-on-complete-*").expect(0).out();
        assertThat(hook).startsWith("uid=" + uid(ALICE) + "(" + ALICE + ") ")
                .contains("(" + GROUP + ")", "HOME=" + home(ALICE), "CapEff:\t0000000000000000",
                        "CapPrm:\t0000000000000000", "CapInh:\t0000000000000000", " ?\n")
                .doesNotContain("PGPASS", "root");
        assertThat(server.number("SELECT count(*) FROM " + space.address().replaceFirst(".*=", "")
                + ".\"org.treehaul.schedulers.pool.TransferOffer\"")).isZero();
    }

    @Test
    void forgedTuplesDoNoHarm() throws Exception {
        for (String user : List.of(ALICE, BOB)) {
            shell(user, "mkdir S; for i in {1..9}; do echo " + user + " $i > S/f$i; done");
        }
        submit(ALICE, "alice");
        submit(BOB, "bob");
        String of = transfer(ALICE).getFileName().toString();
        String table = "SCHEMA.\"org.treehaul.schedulers.pool.";
        String ids = "nextval('SCHEMA.\"$ids\"')";
        // Bob knows the id of alice's transfer, and forges batches of it, the right to finish it, a bound of all
        // workers, and a worker that seems to be there.
        for (int batch = 0; batch < 4; batch++) {
            sql("bob", "INSERT INTO " + table + "BatchOffer\"(\"$id\", transfer, generation, batch) VALUES (" + ids
                    + ", '" + of + "', 1, " + batch + ")");
        }
        sql("bob", "INSERT INTO " + table + "FinishOffer\"(\"$id\", transfer, generation) VALUES (" + ids + ", '" + of
                + "', 1)");
        // He sees and takes none of hers.
        assertThat(query("bob", "SELECT count(*) FROM " + table + "BatchOffer\" WHERE transfer = '" + of + "'"))
                .isEqualTo("4");
        Run worker = worker();
        assertThat(worker.err()).contains("2 transfers finished");
        for (String user : List.of(ALICE, BOB)) {
            assertThat(state(user)).contains("complete");
            assertThat(home(user).resolve("T/f4")).hasContent(user + " 4");
        }
        // Bob offers a transfer of alice as his own.
        shell(ALICE, "rm -r T .treehaul");
        submit(ALICE, "alice");
        of = transfer(ALICE).getFileName().toString();
        String since = query("owner", "SELECT since::text FROM " + table + "TransferOffer\" LIMIT 1");
        String offers = "INSERT INTO " + table + "TransferOffer\"(\"$id\", transfer, generation, format, directory, "
                + "destination, uid, priority, most, offered, since) VALUES (" + ids + ", ";
        sql("bob", offers + "'" + of + "', 1, 1, '/', '/', " + uid(ALICE) + ", 0, 0, 9, '" + since + "')");
        assertThat(worker("--bound", "/nowhere=1").err()).contains("transfer " + of + ".1 is offered by several users",
                "alice", "bob", "0 transfers finished");
        assertThat(home(ALICE).resolve("T")).doesNotExist();
        sql("bob", "DELETE FROM " + table + "TransferOffer\"");
        // Rows that no program of ours writes: null, numbers out of range, bytes that are no time.
        for (String row : List.of("NULL, 1, 1, NULL, NULL, 0, 0, 0, 9, NULL",
                "'20260101-000000-abcd', 99999999999, 1, '', '', -1, 0, -1, -5, '\\x00'",
                "'20260101-000000-abce', 1, 1, '/', '/', 0, 0, 0, -5, '" + since + "'")) {
            sql("bob", offers + row + ")");
        }
        sql("bob", "INSERT INTO " + table + "PresentWorker\"(\"$id\", name, uid, host, pid, transfer, generation, "
                + "since) VALUES (" + ids + ", NULL, 0, NULL, 0, NULL, 0, '\\x00')");
        sql("bob", "INSERT INTO " + table + "BatchOffer\"(\"$id\", transfer, generation, batch) VALUES (" + ids
                + ", NULL, 99999999999, 99999999999)");
        // He says that all slots of a bound exist.
        sql("bob", "INSERT INTO " + table + "PlaceBound\"(\"$id\", place, most, slots) VALUES (" + ids + ", '"
                + directory.path() + "', 1, 2147483647)");
        Run.of(Run.command(List.of(), Run.JAR, "status", "--pool", space).toArray()).expect(0);
        assertThat(worker("--bound", directory.path() + "=2").err()).contains("1 transfer finished");
        assertThat(state(ALICE)).contains("complete");
        sql("bob", "DELETE FROM " + table + "TransferOffer\" WHERE generation < 9");
        assertThat(worker().err()).as("with an unreadable tuple").contains("0 transfers finished");
    }

    private String query(String role, String statement) throws SQLException {
        try (Connection connection = DriverManager
                .getConnection("jdbc:postgresql://127.0.0.1:" + server.port() + "/postgres?user=" + role);
                Statement run = connection.createStatement();
                var rows = run.executeQuery(statement.replace("SCHEMA", space.address().replaceFirst(".*=", "")))) {
            return rows.next() ? rows.getString(1) : "";
        }
    }

    @Test
    void rolesWithoutAUserOfThisNodeAreLeftAloneAndReportedOnce() throws Exception {
        shell(ALICE, "mkdir S; touch S/f");
        grant("carol", 0);
        submit(ALICE, "carol");
        submit(ALICE, "alice");
        assertThat(worker().err()).contains("role carol has the uid 0, and no worker acts as root for another role",
                "1 transfer finished");
        grant("carol", 3_999_999_999L);
        assertThat(worker().err()).containsOnlyOnce("role carol has the uid 3999999999, which no account of this node");
        members.revoke("carol");
        members.grant(new Member("carol", Member.Right.WRITE, false, OptionalLong.empty()));
        assertThat(worker().err()).containsOnlyOnce("role carol has no uid; an administrator");
        members.grant(new Member("carol", Member.Right.READ, false, OptionalLong.of(uid(ALICE))));
        assertThat(worker().err()).containsOnlyOnce("role carol may not write to the space any more");
        assertThat(treehaul(ALICE, "cp", "-aT", "--scheduler", "pool", "--space", address("carol"), "S", "U").expect(2)
                .err()).contains("role carol may only read this space");
        assertThat(home(ALICE).resolve("U")).doesNotExist();
    }

    @Test
    void theStateDirectoriesOfAllUsersMayHaveAPattern() throws Exception {
        shell(ALICE, "mkdir S; touch S/f");
        submit(ALICE, "alice", "--state-dir", home(ALICE).resolve("state"));
        assertThat(worker().err()).contains("0 transfers finished");
        assertThat(worker("--state-dir", directory.path() + "/%u/state").err()).contains("1 transfer finished");
        assertThat(home(ALICE).resolve("T/f")).exists();
    }

    @Test
    void aKilledChildOrWorkerIsContinuedByOthers() throws Exception {
        shell(ALICE, "mkdir S; for i in {1..9}; do head -c 100000 /dev/zero > S/f$i; done");
        submit(ALICE, "alice", "--bandwidth", "100K", "--batch-files", 1);
        Path header = transfer(ALICE).resolve("transfer");
        StateFile.read(header).with("heartbeat-ms", 100).with("takeover-ms", 1000).replace(header, true);
        Files.setAttribute(header, "unix:uid", (int) uid(ALICE));
        Path log = directory.resolve("log");
        Process worker = start(log);
        ProcessHandle first = child(worker);
        Awaitility.await().until(() -> Files.isDirectory(home(ALICE).resolve("T")));
        first.destroyForcibly();
        Awaitility.await().until(() -> worker.children().anyMatch(next -> next.pid() != first.pid()));
        ProcessHandle second = child(worker);
        worker.destroyForcibly().waitFor();
        second.onExit().get();
        Process last = start(directory.resolve("log2"));
        treehaul(ALICE, "limit", "last", "none").expect(0);
        Awaitility.await().atMost(Duration.ofMinutes(3)).until(() -> state(ALICE).contains("complete"));
        assertThat(end(last).exitValue()).isZero();
        assertThat(last.descendants()).isEmpty();
        for (int i = 1; i <= 9; i++) {
            assertThat(home(ALICE).resolve("T/f" + i)).hasSize(100_000);
        }
    }
}
