// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.tuplespace.Shapes.Job;
import org.treehaul.tuplespace.Shapes.JobCount;
import org.treehaul.tuplespace.store.BulkLoad;
import org.treehaul.tuplespace.store.Inspection;
import org.treehaul.tuplespace.store.Recovery;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;
import org.treehaul.tuplespace.tuple.Template;

/** A space whose file is damaged. */
class SqliteDamageTest {
    private static final Template<Job> JOBS = Template.of(Job.class);
    private static final Duration NOW = Duration.ZERO;
    private static final SpaceOptions OPTIONS = SpaceOptions.defaults().index(Job.class, "number");
    private static final SpaceOptions SHARED = OPTIONS.index(Job.class, "state").share(Job.class, "state");
    private static final int FLIPS = 75;

    @TempDir
    Path directory;

    @SuppressWarnings("NullAway") // set by JUnit
    SqliteDamageTest() {}

    private Path home() {
        return directory.resolve("space");
    }

    private Path file() {
        return home().resolve("space.db");
    }

    private List<Job> make(int count) {
        return make(count, OPTIONS);
    }

    private List<Job> make(int count, SpaceOptions options) {
        List<Job> jobs = IntStream.range(0, count).mapToObj(i -> new Job(i, "state " + i % 7, "owner " + i)).toList();
        try (BulkLoad load = TupleSpaces.bulkLoad(home(), options)) {
            load.addAll(jobs);
            load.finish();
        }
        return jobs;
    }

    private void sql(String... statements) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file());
                Statement statement = connection.createStatement()) {
            for (String one : statements) {
                statement.execute(one);
            }
        }
    }

    private static int find(byte[] bytes, String text) {
        byte[] wanted = text.getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i + wanted.length <= bytes.length; i++) {
            if (Arrays.equals(bytes, i, i + wanted.length, wanted, 0, wanted.length)) {
                return i;
            }
        }
        throw new AssertionError(text);
    }

    @Test
    void aFlippedBitInATupleIsFoundWhenItIsReadAndNamesTheTuple() throws Exception {
        make(1000);
        byte[] bytes = Files.readAllBytes(file());
        bytes[find(bytes, "owner 500") + 1] ^= 4;
        Files.write(file(), bytes);
        try (TupleSpace space = TupleSpaces.open(home(), OPTIONS)) {
            assertThat(space.read(JOBS.equal("number", 499), NOW).isFound()).isTrue();
            for (boolean isTake : new boolean[]{false, true}) {
                assertThatExceptionOfType(SpaceException.class).isThrownBy(() -> {
                    Template<Job> damaged = JOBS.equal("number", 500);
                    Result<Job> found = isTake ? space.take(damaged, NOW) : space.read(damaged, NOW);
                    assertThat(found.isFound()).isFalse();
                }).satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.DAMAGED)).withMessageContaining("number=500");
            }
            assertThat(space.count(JOBS)).isEqualTo(1000);
        }
        Inspection inspection = TupleSpaces.check(home());
        assertThat(inspection.problems()).singleElement().asString().contains("tuple 501", "number=500", "osner 500");
        assertThat(inspection.tuples()).isEqualTo(1000);
        Recovery recovery = TupleSpaces.recover(home(), directory.resolve("new"), OPTIONS);
        assertThat(recovery.recovered()).isEqualTo(999);
        assertThat(recovery.problems()).singleElement().asString().contains("tuple 501");
        assertThat(TupleSpaces.check(directory.resolve("new"))).isEqualTo(new Inspection(999, 0, List.of()));
    }

    @Test
    void aTupleThatIsOnlyTrueBesideAllOthersIsLeftOutIfSomeAreLost() throws IOException {
        make(1000);
        try (TupleSpace space = TupleSpaces.open(home(), OPTIONS)) {
            space.write(new JobCount(1000));
        }
        Template<JobCount> counts = Template.of(JobCount.class);
        TupleSpaces.recover(home(), directory.resolve("whole"), OPTIONS);
        try (TupleSpace space = TupleSpaces.open(directory.resolve("whole"), OPTIONS)) {
            assertThat(space.count(counts)).isEqualTo(1);
        }
        byte[] bytes = Files.readAllBytes(file());
        bytes[find(bytes, "owner 500") + 1] ^= 4;
        Files.write(file(), bytes);

        assertThat(TupleSpaces.recover(home(), directory.resolve("new"), OPTIONS).problems()).hasSize(1);

        try (TupleSpace space = TupleSpaces.open(directory.resolve("new"), OPTIONS)) {
            assertThat(space.count(JOBS)).isEqualTo(999);
            assertThat(space.count(counts)).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void noFlippedBitGoesUnnoticed(boolean isShared) throws Exception {
        SpaceOptions options = isShared ? SHARED : OPTIONS;
        List<Job> jobs = make(150, options);
        byte[] whole = Files.readAllBytes(file());
        Random random = new Random(14);
        int harmless = 0;
        for (int i = 0; i < FLIPS; i++) {
            byte[] bytes = whole.clone();
            int bit = random.nextInt(bytes.length * 8);
            bytes[bit / 8] ^= (byte) (1 << bit % 8);
            Files.write(file(), bytes);
            List<Job> read = new ArrayList<>();
            boolean isRefused = false;
            try (TupleSpace space = TupleSpaces.openToRead(home(), options); Stream<Job> all = space.contents(JOBS)) {
                all.forEach(read::add);
            } catch (SpaceException e) {
                isRefused = true;
            }
            assertThat(jobs).as("bit %s", bit).containsAll(read);
            if (!isRefused && !read.equals(jobs)) {
                assertThat(isWhole()).as("bit %s", bit).isFalse();
            }
            harmless += !isRefused && read.equals(jobs) ? 1 : 0;
        }
        assertThat(harmless).isLessThan(FLIPS);
    }

    private boolean isWhole() {
        try {
            return TupleSpaces.check(home()).isWhole();
        } catch (SpaceException damaged) {
            return false;
        }
    }

    @Test
    void checksumsStayRightThroughAllChanges() throws Exception {
        try (TupleSpace space = TupleSpaces.open(home(), OPTIONS)) {
            Lease lease = space.write(new Job(1, "leased", null), Duration.ofHours(1));
            lease.renew(Lease.FOREVER);
            lease.renew(Duration.ofDays(30_000));
            space.writeAll(List.of(new Job(0, "", ""), new Job(-7, "\u00e4", null)), Lease.FOREVER);
            try (Transaction kept = space.begin(Duration.ofHours(1)); Transaction undone = space.begin(Lease.FOREVER)) {
                kept.write(new Job(2, "written", null));
                undone.take(JOBS.equal("number", 1), NOW).orElseThrow();
                undone.write(new Job(3, "undone", null));
                kept.take(JOBS.equal("number", 0), NOW).orElseThrow();
                assertThat(TupleSpaces.check(home())).isEqualTo(new Inspection(5, 0, List.of()));
                kept.commit();
            }
            try (Stream<Job> jobs = space.contents(JOBS)) {
                assertThat(jobs.map(Job::number)).containsExactlyInAnyOrder(1, -7, 2);
            }
        }
        assertThat(TupleSpaces.check(home())).isEqualTo(new Inspection(3, 0, List.of()));
    }

    @Test
    void aSpaceOfTheVersionWithoutChecksumsIsReadAndItsNewTuplesGetThem() throws Exception {
        make(3);
        sql("ALTER TABLE \"" + Job.class.getName() + "\" DROP COLUMN \"$check\"", "PRAGMA user_version = 1");
        byte[] before = Files.readAllBytes(file());
        try (TupleSpace space = TupleSpaces.openToRead(home(), OPTIONS); Stream<Job> jobs = space.contents(JOBS)) {
            assertThat(jobs).hasSize(3);
        }
        assertThat(TupleSpaces.check(home())).isEqualTo(new Inspection(3, 3, List.of()));
        assertThat(Files.readAllBytes(file())).isEqualTo(before);
        try (TupleSpace space = TupleSpaces.open(home(), OPTIONS)) {
            space.write(new Job(7, "new", null));
            assertThat(space.take(JOBS.equal("number", 0), NOW).isFound()).isTrue();
            assertThat(space.count(JOBS)).isEqualTo(3);
        }
        assertThat(TupleSpaces.check(home())).isEqualTo(new Inspection(3, 2, List.of()));
    }

    private static int half(byte[] bytes) {
        return bytes.length / 2 / 4096 * 4096;
    }

    @Test
    void theFirstHalfOfATruncatedFileIsRecovered() throws IOException {
        make(20_000);
        byte[] bytes = Files.readAllBytes(file());
        Files.write(file(), Arrays.copyOf(bytes, half(bytes)));
        Recovery recovery = TupleSpaces.recover(home(), directory.resolve("new"), OPTIONS);
        assertThat(recovery.recovered()).isGreaterThan(8_000);
        assertThat(recovery.problems()).isNotEmpty();
        assertThat(Files.size(file())).isEqualTo(half(bytes));
        assertThat(TupleSpaces.check(directory.resolve("new")).tuples()).isEqualTo(recovery.recovered());
    }

    @Test
    void aFileWithADamagedFirstPageIsRecoveredWhole() throws IOException {
        make(2_000);
        byte[] bytes = Files.readAllBytes(file());
        bytes[100] ^= 2;
        Files.write(file(), bytes);
        assertThat(isWhole()).isFalse();
        Recovery recovery = TupleSpaces.recover(home(), directory.resolve("new"), OPTIONS);
        assertThat(recovery.recovered()).isEqualTo(2_000);
    }

    private void damagePage(int from) throws IOException {
        byte[] bytes = Files.readAllBytes(file());
        Arrays.fill(bytes, from, from + 4096, (byte) 0);
        Files.write(file(), bytes);
    }

    private void flipTuple() throws IOException {
        byte[] bytes = Files.readAllBytes(file());
        bytes[find(bytes, "owner 5000") + 1] ^= 4;
        Files.write(file(), bytes);
    }

    @Test
    void readingLeavesADamagedFileUnchanged() throws Exception {
        make(10_000);
        byte[] whole = Files.readAllBytes(file());
        for (String journal : List.of("DELETE", "WAL")) {
            for (boolean isPage : new boolean[]{true, false}) {
                Files.write(file(), whole);
                sql("PRAGMA journal_mode = " + journal);
                if (isPage) {
                    damagePage(half(whole));
                } else {
                    flipTuple();
                }
                byte[] damaged = Files.readAllBytes(file());
                try (TupleSpace space = TupleSpaces.open(home(), OPTIONS)) {
                    assertThat(space.read(JOBS.equal("number", 0), NOW).isFound()).isTrue();
                    assertThatExceptionOfType(SpaceException.class).isThrownBy(() -> space.atomically(alone -> {
                        alone.write(new Job(-1, "new", null));
                        try (Stream<Job> jobs = alone.contents(JOBS)) {
                            return jobs.count();
                        }
                    })).satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.DAMAGED));
                }
                assertThat(file()).as("%s %s", journal, isPage).hasBinaryContent(damaged);
            }
        }
    }

    @Test
    void aDamagedFileOfTheVersionWithoutChecksumsIsNotMadeOneWithThem() throws Exception {
        make(10_000);
        sql("ALTER TABLE \"" + Job.class.getName() + "\" DROP COLUMN \"$check\"", "PRAGMA user_version = 1");
        damagePage(half(Files.readAllBytes(file())));
        byte[] damaged = Files.readAllBytes(file());
        assertThatExceptionOfType(SpaceException.class).isThrownBy(() -> TupleSpaces.open(home(), OPTIONS))
                .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.DAMAGED));
        assertThat(file()).hasBinaryContent(damaged);
        assertThat(TupleSpaces.recover(home(), directory.resolve("new"), OPTIONS).recovered()).isGreaterThan(8_000);
    }

    @Test
    void theFirstOpeningOfALoadedSpaceDoesNotChangeIt() throws Exception {
        make(1_000);
        byte[] loaded = Files.readAllBytes(file());
        TupleSpaces.open(home(), OPTIONS).close();
        assertThat(file()).hasBinaryContent(loaded);
    }
}
