// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.tuplespace.Shapes.Job;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.store.Inspection;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;
import org.treehaul.tuplespace.tuple.Template;

/** A space that users other than its owner read, or that no user can write to. */
class SqliteReadersTest {
    private static final Template<Job> JOBS = Template.of(Job.class);
    private static final Duration NOW = Duration.ZERO;
    private static final SpaceOptions OPTIONS = SpaceOptions.defaults().index(Job.class, "number");
    private static final int OTHER = 65534;

    @TempDir
    Path directory;

    @SuppressWarnings("NullAway") // set by JUnit
    SqliteReadersTest() {}

    private Path home() {
        return directory.resolve("space");
    }

    private void make() {
        try (TupleSpace space = TupleSpaces.open(home(), OPTIONS)) {
            space.writeAll(jobs(0, 100), Lease.FOREVER);
        }
    }

    private static List<Job> jobs(int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> new Job(i, "x".repeat(3000), null)).toList();
    }

    private static void reason(Reason reason, ThrowingCallable call) {
        assertThatExceptionOfType(SpaceException.class).isThrownBy(call)
                .satisfies(e -> assertThat(e.reason()).as(e.toString()).isEqualTo(reason));
    }

    /** Gives everything that is there to another user. */
    private void giveAway() throws IOException {
        assumeTrue(Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0), "needs root to give files away");
        try (Stream<Path> files = Files.walk(home())) {
            for (Path file : files.toList()) {
                Files.setAttribute(file, "unix:uid", OTHER);
            }
        }
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(home())) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private void readsAndChangesNothing() throws Exception {
        List<String> before = files();
        try (TupleSpace space = TupleSpaces.openToRead(home(), OPTIONS)) {
            assertThat(space.count(JOBS)).isEqualTo(100);
            assertThat(space.read(JOBS.equal("number", 7), NOW).isFound()).isTrue();
            assertThat(space.read(JOBS.equal("number", 700), Duration.ofMillis(20)).isFound()).isFalse();
            try (Stream<Job> jobs = space.contents(JOBS)) {
                assertThat(jobs).hasSize(100);
            }
            reason(Reason.DENIED, () -> space.write(new Job(1, "new", null)));
            reason(Reason.DENIED, () -> assertThat(space.take(JOBS, NOW).isFound()).isFalse());
            reason(Reason.DENIED, () -> space.remove(JOBS));
            reason(Reason.DENIED, () -> space.begin(Lease.FOREVER));
            reason(Reason.DENIED, () -> space.atomically(tuples -> tuples.remove(JOBS)));
            reason(Reason.DENIED, () -> space.on(JOBS, Set.of(EventKind.WRITTEN), Lease.FOREVER, event -> {
            }));
        }
        assertThat(TupleSpaces.check(home())).isEqualTo(new Inspection(100, 0, List.of()));
        assertThat(files()).isEqualTo(before);
    }

    @Test
    void itsOwnerMayOpenItForReadingOnly() throws Exception {
        make();
        readsAndChangesNothing();
        reason(Reason.ABSENT, () -> TupleSpaces.openToRead(directory.resolve("none"), OPTIONS));
    }

    @Test
    void anotherUserReadsItAndLeavesNoFileThere() throws Exception {
        make();
        giveAway();
        readsAndChangesNothing();
    }

    @Test
    void anotherUserReadsTheWritesOfAnOwnerWhoHasTheSpaceOpen() throws Exception {
        make();
        try (TupleSpace owner = TupleSpaces.open(home(), OPTIONS)) {
            owner.writeAll(jobs(100, 110), Lease.FOREVER);
            giveAway();
            try (TupleSpace space = TupleSpaces.openToRead(home(), OPTIONS)) {
                assertThat(space.count(JOBS)).isEqualTo(110);
                owner.writeAll(jobs(110, 120), Lease.FOREVER);
                assertThat(space.count(JOBS)).isEqualTo(120);
            }
            assertThat(owner.remove(JOBS)).isEqualTo(120);
        }
    }

    @Test
    void onAFileSystemThatIsMountedReadOnlyItIsRead() throws Exception {
        make();
        assumeTrue(run("mount", "--bind", home().toString(), home().toString()) == 0,
                "a directory cannot be mounted here (not root?)");
        try {
            assertThat(run("mount", "-o", "remount,ro,bind", home().toString())).isZero();
            readsAndChangesNothing();
        } finally {
            run("umount", home().toString());
        }
    }

    private static int run(String... command) throws InterruptedException {
        try {
            return new ProcessBuilder(command).inheritIO().start().waitFor();
        } catch (IOException missing) {
            return -1;
        }
    }

    @Test
    void aChangeByTheOwnerEndsAReadWithoutLocksAsBusy() throws Exception {
        make();
        giveAway();
        try (TupleSpace space = TupleSpaces.openToRead(home(), OPTIONS); Stream<Job> jobs = space.contents(JOBS)) {
            Iterator<Job> read = jobs.iterator();
            assertThat(read.next().number()).isZero();
            try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + home().resolve("space.db"));
                    Statement statement = connection.createStatement()) {
                statement.execute("DELETE FROM \"" + Job.class.getName() + "\"");
            }
            List<Job> rest = new ArrayList<>();
            reason(Reason.BUSY, () -> read.forEachRemaining(rest::add));
            // A new query sees the present state.
            assertThat(space.count(JOBS)).isZero();
        }
    }

    private void refusesToWrite(Path named, String... said) throws IOException {
        List<String> before = files();
        assertThatExceptionOfType(SpaceException.class).isThrownBy(() -> TupleSpaces.open(home(), OPTIONS))
                .withMessageStartingWith(named + " ")
                .satisfies(e -> assertThat(e).hasMessageContainingAll(said))
                .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.UNSAFE));
        assertThat(files()).isEqualTo(before);
    }

    @Test
    void aSpaceThatOthersCanWriteToIsReadButNotOpenedForWriting() throws Exception {
        make();
        Path file = home().resolve("space.db");
        for (String mode : List.of("rw--w----", "rw-----w-")) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
            refusesToWrite(file, "(mode 6", "chmod go-w " + file);
            try (TupleSpace space = TupleSpaces.openToRead(home(), OPTIONS)) {
                assertThat(space.count(JOBS)).isEqualTo(100);
            }
        }
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        Files.setPosixFilePermissions(home(), PosixFilePermissions.fromString("rwxrwxr-x"));
        refusesToWrite(home(), "(mode 775)", "chmod go-w " + home());
        // A symbolic link does not circumvent the check.
        Path real = Files.createDirectory(directory.resolve("real"));
        Files.setPosixFilePermissions(home(), PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.move(file, real.resolve("space.db"));
        Files.createSymbolicLink(file, real.resolve("space.db"));
        Files.setPosixFilePermissions(real, PosixFilePermissions.fromString("rwxrwxrwx"));
        refusesToWrite(real.toRealPath(), "(mode 777)");
        Files.setPosixFilePermissions(real, PosixFilePermissions.fromString("rwxr-xr-x"));
        TupleSpaces.open(home(), OPTIONS).close();
    }

    @Test
    void aDirectoryThatOthersCanWriteToGetsNoSpace() throws Exception {
        Files.createDirectory(home());
        Files.setPosixFilePermissions(home(), PosixFilePermissions.fromString("rwxrwxrwx"));
        refusesToWrite(home(), "(mode 777)", "chmod go-w " + home());
        reason(Reason.UNSAFE, () -> TupleSpaces.bulkLoad(home(), OPTIONS));
        assertThat(files()).isEmpty();
    }

    @Test
    void evenRootOpensNoSpaceOfAnotherUserForWriting() throws Exception {
        make();
        giveAway();
        refusesToWrite(home(), "belongs to user " + OTHER + " (mode 700)", "not to user 0");
        readsAndChangesNothing();
        Files.setAttribute(home(), "unix:uid", 0);
        refusesToWrite(home().resolve("space.db"), "belongs to user " + OTHER + " (mode 600)");
        readsAndChangesNothing();
    }
}
