// SPDX-License-Identifier: Apache-2.0
package org.treehaul.rigs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
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
import org.treehaul.core.testing.Installed;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Run;
import org.treehaul.tuplespace.PostgresServer;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.store.Member;
import org.treehaul.tuplespace.store.SpaceMembers;
import org.treehaul.tuplespace.store.SpaceUri;

/** Two users, whose accounts exist during a test, and workers of root that carry out their transfers. */
abstract class RootWorkers {

    // Several runs may be under way on a machine.
    private static final String RUN = "-" + ProcessHandle.current().pid();
    static final String ALICE = "th-test-alice" + RUN;
    static final String BOB = "th-test-bob" + RUN;
    static final String GROUP = "th-test-group" + RUN;
    private static final Pattern OURS = Pattern.compile("th-test-[a-z]+-([0-9]+)");

    private final List<Process> started = new ArrayList<>();
    TestDirectory directory;
    PostgresServer server;
    SpaceUri space;
    SpaceMembers members;

    @BeforeEach
    void makeUsers() throws Exception {
        Privilege.requireRoot("it becomes other users");
        Installed.require("useradd", "groupadd", "userdel", "groupdel", "getent", "setsid", "setpriv");
        server = PostgresServer.shared();
        directory = TestDirectory.onTmpfs();
        Files.setPosixFilePermissions(directory.path(), PosixFilePermissions.fromString("rwxr-xr-x"));
        removeUsers();
        Run.of("groupadd", "-K", "GID_MIN=61200", "-K", "GID_MAX=61999", GROUP).expect(0);
        addUser("-m", "-d", home(ALICE), "-G", GROUP, ALICE);
        addUser("-m", "-d", home(BOB), BOB);
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

    // All processes with the numbers of these users are killed in the end. Users in containers, such as those of another
    // test that runs at the same time, have numbers below.
    private static void addUser(Object... arguments) throws Exception {
        Run.of(Stream.concat(Stream.of("useradd", "-K", "UID_MIN=61200", "-K", "UID_MAX=61999", "-K", "GID_MIN=61200",
                "-K", "GID_MAX=61999"), Stream.of(arguments)).toArray()).expect(0);
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

    void grant(String role, long uid) {
        members.grant(new Member(role, Member.Right.WRITE, false, OptionalLong.of(uid)));
    }

    Path home(String user) {
        return directory.resolve(user);
    }

    static long uid(String user) throws Exception {
        return Long.parseLong(Run.of("id", "-u", user).expect(0).out().strip());
    }

    String address(String role) {
        return space.toString().replace("owner@", role + "@");
    }

    private static List<String> as(String user) throws Exception {
        return List.of("setpriv", "--reuid=" + user, "--regid=" + Run.of("id", "-g", user).expect(0).out().strip(),
                "--init-groups", "--reset-env");
    }

    /** Runs treehaul as a user in the home directory. */
    Run treehaul(String user, Object... arguments) throws Exception {
        return Run.of(new ProcessBuilder(Run.command(as(user), Run.JAR, arguments)).directory(home(user).toFile()));
    }

    static void shell(String user, String script) throws Exception {
        List<String> command = new ArrayList<>(as(user));
        command.addAll(List.of("bash", "-ec", "cd; " + script));
        Run.of(command.toArray()).expect(0);
    }

    void submit(String user, String role, Object... more) throws Exception {
        List<Object> arguments = new ArrayList<>(
                List.of("cp", "-aT", "--scheduler", "pool", "--space", address(role), "--batch-files", 2));
        arguments.addAll(List.of(more));
        arguments.addAll(List.of("S", "T"));
        treehaul(user, arguments.toArray()).expect(0);
    }

    /** Runs a worker of root until it was idle for a second. */
    Run worker(Object... more) throws Exception {
        List<Object> arguments = new ArrayList<>(List.of("worker", "--pool", address("pooler"), "--idle", 1));
        arguments.addAll(List.of(more));
        return Run.of(Run.command(List.of(), Run.JAR, arguments.toArray()).toArray()).expect(0);
    }

    Process start(Path log) throws IOException {
        return start(log, Run.command(List.of(), Run.JAR, "worker", "--pool", address("pooler"), "--threads", 1));
    }

    /** Starts a process that ends with the test. */
    Process start(Path log, List<String> command) throws IOException {
        Process worker = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
        started.add(worker);
        return worker;
    }

    static Process end(Process worker) throws Exception {
        worker.destroy();
        worker.waitFor();
        return worker;
    }

    /** Waits until a worker has a process that carries out a transfer; it also starts others, which end soon. */
    ProcessHandle child(Process worker) {
        return Awaitility.await()
                .atMost(Duration.ofMinutes(2))
                .until(() -> worker.children().filter(RootWorkers::carriesOut).findFirst(), Optional::isPresent)
                .orElseThrow();
    }

    private static boolean carriesOut(ProcessHandle process) {
        try {
            return Files.readString(Path.of("/proc/" + process.pid() + "/cmdline"), StandardCharsets.ISO_8859_1)
                    .contains("\0--submitted=");
        } catch (IOException e) {
            // It has ended.
            return false;
        }
    }

    Path transfer(String user) throws IOException {
        try (Stream<Path> all = Files.list(home(user).resolve(".treehaul/transfers"))) {
            return all.findFirst().orElseThrow();
        }
    }

    String state(String user) throws Exception {
        return treehaul(user, "status", "last").out().lines().findFirst().orElse("");
    }

    /** Runs a statement as a role of the server. */
    void sql(String role, String statement) throws SQLException {
        try (Connection connection = DriverManager
                .getConnection("jdbc:postgresql://127.0.0.1:" + server.port() + "/postgres?user=" + role);
                Statement run = connection.createStatement()) {
            run.execute(statement.replace("SCHEMA", space.address().replaceFirst(".*=", "")));
        }
    }

    String query(String role, String statement) throws SQLException {
        try (Connection connection = DriverManager
                .getConnection("jdbc:postgresql://127.0.0.1:" + server.port() + "/postgres?user=" + role);
                Statement run = connection.createStatement();
                var rows = run.executeQuery(statement.replace("SCHEMA", space.address().replaceFirst(".*=", "")))) {
            return rows.next() ? rows.getString(1) : "";
        }
    }
}
