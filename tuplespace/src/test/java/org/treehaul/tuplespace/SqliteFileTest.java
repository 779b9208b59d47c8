// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.tuplespace.Shapes.Job;
import org.treehaul.tuplespace.store.BulkLoad;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.store.Recovery;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.tuple.Template;

/** The properties of a space in a file: permissions, other versions, damage, a full disk, other processes. */
class SqliteFileTest {
    private static final Template<Job> JOBS = Template.of(Job.class);
    private static final Duration NOW = Duration.ZERO;
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final SpaceOptions OPTIONS = SpaceOptions.defaults().index(Job.class, "number");

    @TempDir
    Path directory;

    @SuppressWarnings("NullAway") // set by JUnit
    SqliteFileTest() {}

    private Path home() {
        return directory.resolve("space");
    }

    private Path file() {
        return home().resolve("space.db");
    }

    private TupleSpace open() {
        return TupleSpaces.open(home(), OPTIONS);
    }

    private void make(Job... jobs) {
        try (TupleSpace space = open()) {
            space.writeAll(List.of(jobs), Lease.FOREVER);
        }
    }

    private void sql(String... statements) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file());
                Statement statement = connection.createStatement()) {
            for (String one : statements) {
                statement.execute(one);
            }
        }
    }

    private static void reason(Reason reason, ThrowingCallable call) {
        assertThatExceptionOfType(SpaceException.class).isThrownBy(call)
                .satisfies(e -> assertThat(e.reason()).as(e.toString()).isEqualTo(reason));
    }

    @Test
    void writtenTuplesAreFoundWhenTheSpaceIsOpenedAgain() throws Exception {
        make(new Job(1, "new", null), new Job(2, "new", "x"));
        try (TupleSpace space = TupleSpaces.open(home().toString(), SpaceOptions.defaults())) {
            assertThat(space.take(JOBS.equal("owner", "x"), NOW).orElseThrow()).isEqualTo(new Job(2, "new", "x"));
        }
        try (TupleSpace space = TupleSpaces.openExisting(home(), OPTIONS)) {
            assertThat(space.contents(JOBS)).containsExactly(new Job(1, "new", null));
        }
        assertThat(TupleSpaces.exists(home())).isTrue();
        reason(Reason.ABSENT, () -> TupleSpaces.openExisting(directory.resolve("none"), OPTIONS));
        assertThat(directory.resolve("none")).doesNotExist();
    }

    @Test
    void aThreadThatIsInterruptedWritesAlsoIfTheReserveMustGrow() throws Exception {
        try (TupleSpace space = open()) {
            space.write(new Job(1, "new", null));
            Files.delete(home().resolve("space.db-reserve"));
            Thread.currentThread().interrupt();
            try {
                space.write(new Job(2, "new", null));
                assertThat(Thread.currentThread().isInterrupted()).isTrue();
            } finally {
                Thread.interrupted();
            }
            assertThat(home().resolve("space.db-reserve")).isNotEmptyFile();
            assertThat(space.count(JOBS)).isEqualTo(2);
        }
    }

    @Test
    void aThreadThatIsInterruptedOpensASpace() {
        for (int i = 0; i < 2; i++) {
            Thread.currentThread().interrupt();
            try (TupleSpace space = open()) {
                assertThat(Thread.currentThread().isInterrupted()).isTrue();
                assertThat(space.count(JOBS)).isEqualTo(i);
                space.write(new Job(i, "new", null));
            } finally {
                Thread.interrupted();
            }
        }
    }

    @Test
    void aThreadThatIsInterruptedRecoversASpace() {
        make(new Job(1, "new", null));
        Thread.currentThread().interrupt();
        try {
            assertThat(TupleSpaces.recover(home(), directory.resolve("new"), OPTIONS).recovered()).isOne();
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
        } finally {
            Thread.interrupted();
        }
    }

    @Test
    @SuppressWarnings("StreamResourceLeak") // that is what is tested
    void contentsThatWereReadToTheirEndKeepNoFileOpen() throws Exception {
        try (TupleSpace space = open()) {
            space.write(new Job(1, "new", null));
            assertThat(space.contents(JOBS)).hasSize(1);
            long before = openFiles();
            for (int i = 0; i < 20; i++) {
                assertThat(space.contents(JOBS)).hasSize(1);
                assertThat(space.contents(JOBS.equal("number", 2))).isEmpty();
            }
            assertThat(openFiles()).isEqualTo(before);
        }
        assertThat(openFiles()).isZero();
    }

    private long openFiles() throws IOException {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return descriptors.filter(descriptor -> {
                try {
                    return Files.readSymbolicLink(descriptor).startsWith(home());
                } catch (IOException closedMeanwhile) {
                    return false;
                }
            }).count();
        }
    }

    @Test
    void onlyItsOwnerMayReadIt() throws Exception {
        try (TupleSpace space = open()) {
            space.write(new Job(1, "new", null));
            try (var files = Files.list(home())) {
                for (Path file : files.toList()) {
                    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).as(file.toString())
                            .isEqualTo("rw-------");
                }
            }
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(home()))).isEqualTo("rwx------");
        }
    }

    @Test
    void aNameOfAnyCharactersWillDo() {
        Charset ofNames = Charset.forName(System.getProperty("sun.jnu.encoding"));
        Path odd = directory.resolve("a ?mode=ro&b#c%41 " + (ofNames.newEncoder().canEncode('\u20ac') ? "\u20ac" : ""));
        try (TupleSpace space = TupleSpaces.open(odd, OPTIONS)) {
            space.write(new Job(1, "new", null));
            assertThat(space.count(JOBS)).isEqualTo(1);
        }
        assertThat(odd.resolve("space.db")).exists();
    }

    @Test
    void aFileThatWasCutToNothingIsDamagedAndNoEmptySpace() throws Exception {
        make(new Job(1, "new", null));
        try (RandomAccessFile raw = new RandomAccessFile(file().toFile(), "rw")) {
            raw.setLength(0);
        }
        reason(Reason.DAMAGED, this::open);
        reason(Reason.DAMAGED, () -> TupleSpaces.openExisting(home(), OPTIONS));
        reason(Reason.DAMAGED, () -> TupleSpaces.recover(home(), directory.resolve("new"), OPTIONS));
        assertThat(file()).isEmptyFile();
        assertThat(TupleSpaces.exists(home())).isTrue();
        assertThat(directory.resolve("new")).doesNotExist();
        Files.write(file(), new byte[8192]);
        reason(Reason.DAMAGED, this::open);
    }

    @Test
    void aSpaceThatIsMadeHasItsNameWhenItIsWhole() throws Exception {
        List<CompletableFuture<Long>> openers = IntStream.range(0, 8)
                .mapToObj(i -> CompletableFuture.supplyAsync(() -> {
                    try (TupleSpace space = open()) {
                        space.write(new Job(i, "new", null));
                        return space.count(JOBS);
                    }
                }))
                .toList();
        for (CompletableFuture<Long> opener : openers) {
            assertThat(opener.get(60, TimeUnit.SECONDS)).isPositive();
        }
        try (TupleSpace space = open(); var files = Files.list(home())) {
            assertThat(space.count(JOBS)).isEqualTo(8);
            assertThat(files.map(Path::getFileName).map(Path::toString)).allMatch(name -> name.startsWith("space.db"));
        }
    }

    @Test
    void aSpaceOfAnotherVersionAndAFileThatIsNoneAreRefusedAndLeft() throws Exception {
        make(new Job(1, "new", null));
        sql("PRAGMA user_version = 99");
        byte[] before = Files.readAllBytes(file());
        reason(Reason.VERSION, this::open);
        assertThat(Files.readAllBytes(file())).isEqualTo(before);
        sql("PRAGMA application_id = 7");
        reason(Reason.DAMAGED, this::open);
        Files.writeString(file(), "This is a text and no database, and it is long enough to be looked at. ".repeat(20));
        reason(Reason.DAMAGED, this::open);
        assertThat(file()).content().startsWith("This is a text");
    }

    @Test
    void recordsThatGainedOrLostAComponentStillMatch() throws Exception {
        make(new Job(1, "new", "x"));
        String table = "\"" + Job.class.getName() + "\"";
        // As an older version would have made it: without the owner, and with a component that was removed since.
        sql("ALTER TABLE " + table + " DROP COLUMN owner",
                "ALTER TABLE " + table + " ADD COLUMN weight INTEGER NOT NULL DEFAULT 0",
                "UPDATE " + table + " SET \"$check\" = NULL", "CREATE TABLE \"$upgraded\"(version INTEGER NOT NULL)",
                "UPDATE \"$types\" SET components = 'INTEGER number\nTEXT state\nINTEGER weight\n'");
        try (TupleSpace space = open()) {
            assertThat(space.read(JOBS.isNull("owner"), NOW).orElseThrow()).isEqualTo(new Job(1, "new", null));
            space.write(new Job(2, "new", "y"));
            assertThat(space.count(JOBS.equal("owner", "y"))).isEqualTo(1);
        }
        sql("ALTER TABLE " + table + " DROP COLUMN owner", "UPDATE " + table + " SET \"$check\" = NULL",
                "UPDATE \"$types\" SET components = 'INTEGER number\nTEXT state\n'");
        try (TupleSpace reading = TupleSpaces.openToRead(SpaceUri.of(home()), SpaceOptions.defaults())) {
            assertThatExceptionOfType(SpaceException.class).isThrownBy(() -> reading.count(JOBS))
                    .withMessage(
                            file() + ": an older version of TreeHaul wrote this space; one who may change it has to"
                                    + " do so once with this version, for example by 'treehaul index'")
                    .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.VERSION));
        }
        try (TupleSpace space = open(); Stream<Job> jobs = space.contents(JOBS)) {
            assertThat(jobs).containsExactly(new Job(1, "new", null), new Job(2, "new", null));
        }
        sql("UPDATE \"$types\" SET components = 'TEXT number\nTEXT state\n'");
        try (TupleSpace space = open()) {
            reason(Reason.VERSION, () -> space.read(JOBS, NOW));
        }
    }

    @Test
    void aTransactionThatRemovesManyTuplesDoesNotLookAtTheTakenOnesAgainAndAgain() throws Exception {
        int count = 5500;
        AtomicInteger tests = new AtomicInteger();
        try (TupleSpace space = open()) {
            space.writeAll(IntStream.range(0, count).mapToObj(i -> new Job(i, "new", null)).toList(), Lease.FOREVER);
            try (Transaction transaction = space.begin(Duration.ofMinutes(10))) {
                transaction.write(new Job(count, "own", null));
                assertThat(transaction.remove(JOBS.test("number", "any", number -> tests.incrementAndGet() > 0)))
                        .isEqualTo(count + 1);
                assertThat(tests.get()).isLessThan(3 * count);
                assertThat(transaction.count(JOBS)).isZero();
            }
            assertThat(space.count(JOBS)).isEqualTo(count);
        }
    }

    @Test
    void readableTuplesOfADamagedFileAreRecovered() throws Exception {
        int count = 20_000;
        try (BulkLoad load = TupleSpaces.bulkLoad(home(), SpaceOptions.defaults())) {
            for (int i = 0; i < count; i++) {
                load.add(new Job(i, "some state that fills the pages", null));
            }
            assertThat(load.finish()).isEqualTo(count);
        }
        try (RandomAccessFile raw = new RandomAccessFile(file().toFile(), "rw")) {
            raw.seek(raw.length() / 2 / 4096 * 4096);
            raw.write(new byte[4096]);
        }
        byte[] before = Files.readAllBytes(file());
        try (TupleSpace space = TupleSpaces.open(home(), SpaceOptions.defaults())) {
            reason(Reason.DAMAGED, () -> space.sum(JOBS, "number"));
            before = Files.readAllBytes(file());
        }
        Recovery recovery = TupleSpaces.recover(home(), directory.resolve("new"), SpaceOptions.defaults());
        assertThat(recovery.recovered()).isBetween(count - 1000L, count - 1L);
        assertThat(recovery.problems()).singleElement().asString().contains("are lost");
        assertThat(Files.readAllBytes(file())).isEqualTo(before);
        try (TupleSpace space = TupleSpaces.open(directory.resolve("new"), OPTIONS)) {
            assertThat(space.count(JOBS)).isEqualTo(recovery.recovered());
            assertThat(space.read(JOBS.equal("number", count - 1), NOW).isFound()).isTrue();
        }
    }

    @Test
    void aBulkLoadIsThereWhollyOrNotAtAll() throws Exception {
        try (BulkLoad load = TupleSpaces.bulkLoad(home(), OPTIONS)) {
            load.add(new Job(1, "new", null));
            assertThat(TupleSpaces.exists(home())).isFalse();
        }
        assertThat(home()).isEmptyDirectory();
        try (BulkLoad load = TupleSpaces.bulkLoad(home(), OPTIONS)) {
            load.addAll(List.of(new Job(1, "new", null), new Shapes.Circle("a", 1)));
            assertThat(load.finish()).isEqualTo(2);
        }
        reason(Reason.IO, () -> TupleSpaces.bulkLoad(home(), OPTIONS));
        try (TupleSpace space = open(); var files = Files.list(home())) {
            assertThat(files.map(Path::getFileName).map(Path::toString)).allMatch(name -> name.startsWith("space.db"));
            space.write(new Job(2, "new", null));
            assertThat(space.count(Template.of(Record.class))).isEqualTo(3);
        }
    }

    private List<Path> loads() throws IOException {
        try (Stream<Path> files = Files.list(home())) {
            return files.filter(file -> file.getFileName().toString().startsWith(".load-")).toList();
        }
    }

    @Test
    @Tag("rig")
    void aLoadRemovesNoFileOfARunningOneOfAnotherContainerThatHasItsProcessNumber() throws Exception {
        Process other = Child.start("load", directory, 0);
        try {
            assertThat(other.inputReader().readLine()).startsWith("ready");
            Path file = loads().getFirst();
            Path renamed = file.resolveSibling(".load-" + ProcessHandle.current().pid() + "-1.db");
            Files.move(file, renamed);
            TupleSpaces.bulkLoad(home(), OPTIONS).close();
            assertThat(renamed).exists();
            other.destroyForcibly().waitFor();
            TupleSpaces.bulkLoad(home(), OPTIONS).close();
            assertThat(loads()).isEmpty();
        } finally {
            other.destroyForcibly().waitFor();
        }
    }

    @Test
    void aLoadRemovesTheFilesOfAKilledOneThatHadItsProcessNumber() throws Exception {
        // In a container, each program may have the same number.
        Path left = Files.createDirectories(home()).resolve(".load-" + ProcessHandle.current().pid() + "-1.db");
        Files.createFile(left);
        try (BulkLoad load = TupleSpaces.bulkLoad(home(), OPTIONS)) {
            assertThat(left).doesNotExist();
            load.add(new Job(1, "new", null));
            // It removes nothing of another one that is in progress.
            TupleSpaces.bulkLoad(home(), OPTIONS).close();
            assertThat(load.finish()).isOne();
        }
        try (TupleSpace space = open()) {
            assertThat(space.count(JOBS)).isOne();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aWriteThatFindsNoRoomFailsAloneAndTheSpaceStaysUsable(boolean hasLog) throws Exception {
        Path small = Files.createDirectory(directory.resolve("small"));
        Path mount = hasLog ? small : Files.createDirectory(directory.resolve("fuse"));
        assumeTrue(run("mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", small.toString()) == 0,
                "a tmpfs cannot be mounted here (not root?)");
        try {
            assumeTrue(hasLog || run("bindfs", small.toString(), mount.toString()) == 0,
                    "bindfs is missing or cannot mount here");
            Path filler = mount.resolve("filler");
            try (TupleSpace space = TupleSpaces.open(mount.resolve("space"), SpaceOptions.defaults())) {
                space.write(new Job(0, "first", null));
                Files.write(filler, new byte[2 << 20]);
                int[] written = {1};
                reason(Reason.FULL, () -> {
                    for (; written[0] < 100_000; written[0]++) {
                        space.write(new Job(written[0], "x".repeat(10_000), null));
                    }
                });
                assertThat(space.count(JOBS)).isEqualTo(written[0]);
                // Without a log, SQLite finds the disk full at the end, in the middle of writing the file.
                reason(Reason.FULL, () -> space.atomically(tuples -> {
                    tuples.remove(JOBS);
                    return tuples.writeAll(
                            IntStream.range(0, 1000).mapToObj(n -> new Job(n, "y".repeat(10_000), null)).toList(),
                            Lease.FOREVER);
                }));
                assertThat(space.count(JOBS)).isEqualTo(written[0]);
                assertThat(space.read(JOBS.equal("state", "first"), NOW).isFound()).isTrue();
                Files.delete(filler);
                space.write(new Job(-1, "again", null));
                assertThat(space.take(JOBS.equal("state", "again"), NOW).isFound()).isTrue();
            }
        } finally {
            if (!hasLog) {
                run("umount", "-l", mount.toString());
            }
            // Lazily, because bindfs may still hold it for a moment.
            run("umount", "-l", small.toString());
        }
    }

    @FunctionalInterface
    private interface Use {
        void of(TupleSpace space) throws Exception;
    }

    /** Uses a space where there is no write-ahead log. */
    private void withoutLog(Use use) throws Exception {
        Path mount = Files.createDirectory(directory.resolve("fuse"));
        Path behind = Files.createDirectory(directory.resolve("behind"));
        assumeTrue(run("bindfs", behind.toString(), mount.toString()) == 0, "bindfs is missing or cannot mount here");
        try (TupleSpace space = TupleSpaces.open(mount.resolve("space"), OPTIONS)) {
            use.of(space);
            assertThat(mount.resolve("space/space.db-wal")).doesNotExist();
            space.store(mount.resolve("snapshot"));
        } finally {
            run("umount", "-l", mount.toString());
        }
    }

    @Test
    void withoutAWriteAheadLogItWorksBySlowerMeans() throws Exception {
        withoutLog(space -> {
            space.write(new Job(1, "new", null));
            space.write(new Job(2, "new", null));
            try (var jobs = space.contents(JOBS)) {
                assertThat(space.take(JOBS.equal("number", 1), NOW).isFound()).isTrue();
                assertThat(jobs).hasSize(2);
            }
        });
    }

    @Test
    void withoutAWriteAheadLogManyChangesKeepNoReaderOut() throws Exception {
        withoutLog(space -> {
            space.write(new Job(0, "new", null));
            // More than the cache of a connection holds.
            List<Job> much = IntStream.rangeClosed(1, 400)
                    .mapToObj(i -> new Job(i, "x".repeat(100_000), null))
                    .toList();
            space.atomically(tuples -> {
                tuples.writeAll(much, Lease.FOREVER);
                // On another thread, because this one sees its own writes.
                assertThat(CompletableFuture.supplyAsync(() -> space.count(JOBS)).join()).isEqualTo(1);
                return true;
            });
            assertThat(space.count(JOBS)).isEqualTo(401);
        });
    }

    @Test
    void withoutAWriteAheadLogASpaceThatIsOpenedBesideAReaderKeepsNoLock() throws Exception {
        withoutLog(space -> {
            space.write(new Job(1, "new", null));
            Path home = directory.resolve("fuse/space");
            try (Connection reader = DriverManager.getConnection("jdbc:sqlite:" + home.resolve("space.db"));
                    Statement statement = reader.createStatement()) {
                statement.execute("BEGIN");
                statement.execute("SELECT * FROM sqlite_schema");
                try (TupleSpace second = TupleSpaces.open(home, OPTIONS)) {
                    assertThat(second.count(JOBS)).isEqualTo(1);
                    statement.execute("COMMIT");
                    second.write(new Job(2, "new", null));
                }
            }
            assertThat(space.take(JOBS.equal("number", 2), NOW).isFound()).isTrue();
        });
    }

    @Test
    void aSpaceWithoutLocksIsRefusedWithTheRemedy() throws Exception {
        assumeTrue(run("strace", "-qq", "-o", "/dev/null", "true") == 0, "strace is missing or may not trace here");
        Process child = Child.startUnder(List.of("strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=fcntl", "-e",
                "inject=fcntl:error=ENOLCK"), "open", directory, 0);
        try (BufferedReader said = child.inputReader()) {
            assertThat(said.readLine()).startsWith("NO_LOCKS, " + file())
                    .contains("Put the space on a local disk", "PostgreSQL");
        } finally {
            child.destroyForcibly().waitFor();
        }
        try (TupleSpace space = open()) {
            assertThat(space.count(JOBS)).isZero();
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
    void processesTakeTuplesOfOthersAndAreNotifiedOfThem() throws Exception {
        Process child = Child.start("echo", directory, 0);
        BlockingQueue<TupleEvent<Job>> heard = new LinkedBlockingQueue<>();
        try (TupleSpace space = open()) {
            space.on(JOBS, EnumSet.of(EventKind.WRITTEN, EventKind.TAKEN), heard::add);
            assertThat(child.inputReader().readLine()).isEqualTo("ready");
            space.write(new Job(7, "ping", null));
            assertThat(space.take(JOBS.equal("state", "pong"), LONG).orElseThrow().number()).isEqualTo(8);
            // Changes by others are noticed a little later than changes in this process.
            assertThat(List.of(next(heard), next(heard), next(heard), next(heard)))
                    .containsExactlyInAnyOrder("WRITTEN 7", "TAKEN 7", "WRITTEN 8", "TAKEN 8")
                    .startsWith("WRITTEN 7")
                    .containsSubsequence("TAKEN 7", "WRITTEN 8");
        } finally {
            child.destroyForcibly().waitFor();
        }
    }

    @Test
    void writesOfAnotherProcessAreNotifiedBetweenOwnWrites() throws Exception {
        BlockingQueue<TupleEvent<Job>> heard = new LinkedBlockingQueue<>();
        int many = 100;
        try (TupleSpace space = open(); TupleSpace other = open()) {
            space.on(JOBS.equal("state", "other's"), EnumSet.of(EventKind.WRITTEN), heard::add);
            other.write(new Job(0, "other's", null));
            assertThat(next(heard)).isEqualTo("WRITTEN 0");
            for (int i = 1; i <= many; i++) {
                other.write(new Job(i, "other's", null));
                space.write(new Job(i, "own", null));
            }
            for (int i = 1; i <= many; i++) {
                assertThat(next(heard)).isEqualTo("WRITTEN " + i);
            }
        }
    }

    @Test
    void writesBesideManyOtherStatementsAreNotifiedElsewhere() throws Exception {
        BlockingQueue<TupleEvent<Job>> heard = new LinkedBlockingQueue<>();
        try (TupleSpace space = open()) {
            space.on(JOBS, EnumSet.of(EventKind.WRITTEN), heard::add);
            // Enough statements on a connection that in one of the rounds some are evicted within the last write.
            for (int many = 170; many <= 200; many++) {
                int shapes = many;
                try (TupleSpace other = open()) {
                    other.atomically(tuples -> {
                        for (int i = 1; i <= shapes; i++) {
                            assertThat(tuples.count(JOBS.in("number", IntStream.range(-i, 0).boxed().toList())))
                                    .isZero();
                        }
                        return tuples.writeAll(List.of(new Job(1, "new", null), new Job(2, "new", null)),
                                Lease.FOREVER);
                    });
                }
                assertThat(next(heard)).isEqualTo("WRITTEN 1");
                assertThat(next(heard)).isEqualTo("WRITTEN 2");
            }
        }
    }

    private static String next(BlockingQueue<TupleEvent<Job>> heard) throws InterruptedException {
        TupleEvent<Job> event = heard.poll(60, TimeUnit.SECONDS);
        return event == null ? "nothing" : event.kind() + " " + event.tuple().number();
    }

    @Test
    void aProcessThatDiesInATransactionReturnsItsTakenTuples() throws Exception {
        make(new Job(1, "new", null));
        Process child = Child.start("hold", directory, 3000);
        try (TupleSpace space = open()) {
            assertThat(child.inputReader().readLine()).isEqualTo("ready");
            child.destroyForcibly().waitFor();
            assertThat(space.take(JOBS, LONG).orElseThrow()).isEqualTo(new Job(1, "new", null));
            assertThat(space.take(JOBS, NOW)).isEqualTo(new Result.Empty<>());
        } finally {
            child.destroyForcibly().waitFor();
        }
    }
}
