// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.treehaul.core.state.StateFile;
import org.treehaul.core.transfer.TransferFixture;
import org.treehaul.core.transfer.directory.TransferDirectory;

/** The quick way to read progress files, beside the one that reads any of them. */
class ProgressReaderTest {

    private static final AttemptName NAME = new AttemptName(17, 3);

    private static TransferFixture fixture;
    private static TransferDirectory transfer;
    private static Path file;

    @BeforeAll
    static void make() throws IOException {
        fixture = TransferFixture.onTmpfs();
        transfer = fixture.planned(1);
        file = transfer.progress().resolve("17.3");
    }

    @AfterAll
    static void remove() {
        fixture.close();
    }

    private static BatchProgress progress(Random random, int entries, int slow) {
        List<WorkInProgress.Entry> current = new ArrayList<>();
        for (int i = 0; i < entries; i++) {
            current.add(
                    new WorkInProgress.Entry("/src/\\xff b\u00e4" + i, Instant.ofEpochMilli(random.nextInt(1 << 30))));
        }
        List<SlowFile> slowest = new ArrayList<>();
        for (int i = 0; i < slow; i++) {
            slowest.add(
                    new SlowFile("/src/file " + i, random.nextInt(1 << 30), Duration.ofMillis(random.nextInt(9_999))));
        }
        return new BatchProgress(1 + random.nextInt(9), List.of(BatchProgress.State.values()).get(random.nextInt(4)),
                1_700_000_000_000L + random.nextInt(), 1_700_000_000_000L + random.nextInt(), random.nextInt(1 << 20),
                random.nextInt(1 << 20), random.nextLong(1L << 58), random.nextLong(1L << 58), random.nextInt(3),
                random.nextInt(3), random.nextInt(9), random.nextLong(1L << 58), random.nextLong(1L << 58),
                random.nextBoolean() ? "node" + random.nextInt(3) : "",
                random.nextBoolean() ? "12_" + random.nextInt(3) : "",
                new WorkInProgress(random.nextInt(100),
                        random.nextBoolean() ? Optional.empty() : Optional.of(Instant.ofEpochMilli(77)), current),
                slowest);
    }

    private static Optional<BatchProgress> usual(byte[] text) {
        return new ProgressText(Arrays.copyOf(text, text.length + 100), text.length).progress("node1", "12_1");
    }

    @Test
    void theProgressThatAWorkerWroteIsReadUnchanged() throws IOException {
        Random random = new Random(29);
        try (ProgressReader reader = new ProgressReader(transfer)) {
            for (int i = 0; i < 300; i++) {
                BatchProgress progress = progress(random, random.nextInt(WorkInProgress.MOST + 1),
                        random.nextInt(SlowFile.MOST + 1));
                progress.write(file);
                assertThat(usual(Files.readAllBytes(file))).contains(progress);
                assertThat(reader.read(NAME)).contains(progress);
                assertThat(BatchProgress.read(file)).contains(progress);
            }
        }
    }

    @Test
    void aFileThatIsCutOrDamagedAnywhereHasNoProgress() throws IOException {
        progress(new Random(3), 1, 1).write(file);
        byte[] text = Files.readAllBytes(file);
        try (ProgressReader reader = new ProgressReader(transfer)) {
            for (int length = 0; length < text.length; length++) {
                assertThat(usual(Arrays.copyOf(text, length))).isEmpty();
                byte[] damaged = text.clone();
                damaged[length] ^= 1;
                assertThat(usual(damaged)).isEmpty();
            }
            Files.write(file, Arrays.copyOf(text, text.length - 20));
            assertThat(reader.read(NAME)).isEmpty();
        }
    }

    @Test
    void linesOfWorkersOfOtherVersionsAreReadWithoutThem() throws IOException {
        BatchProgress progress = progress(new Random(5), 2, 3);
        progress.write(file);
        StateFile written = StateFile.read(file);
        try (ProgressReader reader = new ProgressReader(transfer)) {
            written.with("later", "x").replace(file, false);
            assertThat(usual(Files.readAllBytes(file))).isEmpty();
            assertThat(reader.read(NAME)).contains(progress);
            StateFile older = StateFile.empty();
            for (String key : List.of("generation", "state", "started", "told", "entries", "files", "bytes",
                    "failed")) {
                older = older.with(key, written.text(key));
            }
            older.replace(file, false);
            assertThat(reader.read(NAME).map(BatchProgress::data)).contains(progress.bytes());
            // A number that is none counts as 0, and a state that is none makes the file useless.
            written.with("failed", "many").replace(file, false);
            assertThat(reader.read(NAME).map(BatchProgress::failed)).contains(0L);
            written.with("state", "asleep").replace(file, false);
            assertThat(reader.read(NAME)).isEmpty();
        }
    }

    @Test
    void aLargeFileIsReadAndAMissingOneIsMissing() throws IOException {
        BatchProgress small = progress(new Random(7), 0, 0);
        List<SlowFile> slowest = new ArrayList<>();
        for (int i = 0; i < SlowFile.MOST; i++) {
            slowest.add(new SlowFile("/" + "a".repeat(1000), i, Duration.ofMillis(i)));
        }
        BatchProgress large = new BatchProgress(1, BatchProgress.State.COMPLETE, 1, 2, 3, 4, 5, 5, 0, 0, 3, 5, 5, "h",
                "j", WorkInProgress.none(), slowest);
        try (ProgressReader reader = new ProgressReader(transfer)) {
            large.write(file);
            assertThat(reader.read(NAME)).contains(large);
            small.write(file);
            assertThat(reader.read(NAME)).contains(small);
            Files.delete(file);
            assertThat(reader.read(NAME)).isEmpty();
        }
    }

    @Test
    void onlyNamesOfJournalsAreAttempts() {
        assertThat(attempt("0.1.journal")).contains(new AttemptName(0, 1));
        assertThat(attempt("123456789.999999999.journal")).contains(new AttemptName(123_456_789, 999_999_999));
        for (String name : List.of(".", "..", "", ".journal", "1.journal", "1..journal", ".1.journal", "1.2.journa",
                "1.2.journal2", "1.2.3.journal", "1234567890.1.journal", "1.1234567890.journal", "-1.2.journal",
                "1.x.journal", "1.2", "1.2.Journal", ".now-host-1", "1.2.journal.new")) {
            assertThat(attempt(name)).as(name).isEmpty();
        }
    }

    private static Optional<AttemptName> attempt(String name) {
        byte[] bytes = ("7.7.journal/" + name + "7.journal").getBytes(StandardCharsets.US_ASCII);
        return AttemptName.of(bytes, "7.7.journal/".length(), name.length());
    }
}
