// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.plan.PlanWriter;
import org.treehaul.core.plan.format.ManifestEntry;
import org.treehaul.core.state.StateFile;
import org.treehaul.core.transfer.directory.GenerationResult;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.journal.AttemptName;
import org.treehaul.core.transfer.journal.Attempts;
import org.treehaul.core.transfer.journal.BatchProgress;
import org.treehaul.core.transfer.journal.JournalRecord;
import org.treehaul.core.transfer.journal.JournalWriter;
import org.treehaul.core.transfer.journal.WorkInProgress;

/** The status of a transfer while it runs and afterwards, and the cost of reading it. */
class StatusTest {

    private static final Path IO = Path.of("/proc/self/io");

    private final Instant now = Instant.now();
    private TransferFixture fixture = TransferFixture.onDisk();

    @BeforeEach
    void make() {
        fixture.close();
        fixture = TransferFixture.onDisk();
    }

    @AfterEach
    void remove() {
        fixture.close();
    }

    private TransferStatus status(TransferDirectory transfer) throws IOException {
        return new StatusReader(transfer, () -> now).read();
    }

    /** Creates a plan of this number of batches, each with 10 files of 100 bytes. */
    private TransferDirectory planned(int batches) throws IOException {
        TransferDirectory transfer = fixture.create();
        plan(transfer, batches);
        return transfer;
    }

    private void plan(TransferDirectory transfer, int batches) throws IOException {
        try (PlanWriter plan = PlanWriter.create(transfer.plan(),
                fixture.header(transfer, TransferFixture.options()))) {
            for (int batch = 0; batch < batches; batch++) {
                List<ManifestEntry> entries = new ArrayList<>();
                for (int i = 0; i < 10; i++) {
                    TreePath path = TreePath.of((batch + "-" + i).getBytes(StandardCharsets.US_ASCII));
                    entries.add(new ManifestEntry(i, 0, path, EntryKind.REGULAR, 100, new Timestamp(0, 0), 1, 1, 0,
                            null, 100));
                }
                plan.addBatch(entries);
            }
            plan.seal();
        }
    }

    private static void tell(TransferDirectory transfer, int batch, BatchProgress.State state, long done, long failed)
            throws IOException {
        Attempts.atBatches(transfer).claim(new AttemptName(batch, 1), 1).ifPresent(JournalWriter::close);
        new BatchProgress(1, state, 1_000, 6_000, done, done, done * 100, done * 100, failed, 0, done, done * 100,
                done * 100, "node1", "12_3", WorkInProgress.none(), List.of())
                .write(transfer.progress().resolve(batch + ".1"));
    }

    @Test
    void eachBatchHasTheStateThatItsWorkerReportedLast() throws IOException {
        TransferDirectory transfer = planned(7);
        assertThat(status(transfer).state()).isEqualTo(TransferStatus.State.PLANNING);
        fixture.transfers().start(transfer);
        assertThat(status(transfer).state()).isEqualTo(TransferStatus.State.WAITING);
        tell(transfer, 1, BatchProgress.State.RUNNING, 5, 0);
        tell(transfer, 2, BatchProgress.State.COMPLETE, 10, 0);
        tell(transfer, 3, BatchProgress.State.COMPLETE, 8, 2);
        tell(transfer, 4, BatchProgress.State.STOPPED, 3, 0);
        tell(transfer, 5, BatchProgress.State.GAVE_UP, 1, 0);
        tell(transfer, 6, BatchProgress.State.RUNNING, 1, 0);
        FileTime longAgo = FileTime.from(now.minus(Duration.ofHours(1)));
        Files.setLastModifiedTime(transfer.progress().resolve("6.1"), longAgo);
        Files.setLastModifiedTime(transfer.attempts().resolve("6.1.journal"), longAgo);
        TransferStatus status = status(transfer);
        assertThat(status.state()).isEqualTo(TransferStatus.State.RUNNING);
        assertThat(status.batches()).extracting(BatchStatus::state)
                .containsExactly(BatchStatus.State.WAITING, BatchStatus.State.RUNNING, BatchStatus.State.DONE,
                        BatchStatus.State.FAILED, BatchStatus.State.WAITING, BatchStatus.State.GAVE_UP,
                        BatchStatus.State.DEAD);
        assertThat(status.total(BatchStatus::entries)).isEqualTo(70);
        assertThat(status.total(BatchStatus::entriesDone)).isEqualTo(28);
        assertThat(status.total(BatchStatus::bytesDone)).isEqualTo(2800);
        assertThat(status.total(BatchStatus::failed)).isEqualTo(2);
        assertThat(status.batches().get(1).percent()).isEqualTo(50);
        assertThat(status.batches().get(1).host()).isEqualTo("node1");
        assertThat(status.batches().get(1).job()).isEqualTo("12_3");
        assertThat(status.percent()).isBetween(40.0, 43.0);
        // 40 entries are left, and one worker does 1 per second.
        assertThat(status.rest()).contains(Duration.ofSeconds(42));
    }

    @Test
    void aTransferRunsWhileItsWorkersAreBetweenBatches() throws IOException {
        TransferDirectory transfer = planned(2);
        fixture.transfers().start(transfer);
        tell(transfer, 0, BatchProgress.State.COMPLETE, 10, 0);
        Instant late = Instant.ofEpochMilli(6_000).plus(transfer.timing().heartbeat());
        StatusReader soon = new StatusReader(transfer, () -> late.minusMillis(1));
        assertThat(soon.read().state()).isEqualTo(TransferStatus.State.RUNNING);
        assertThat(new StatusReader(transfer, () -> late).read().state()).isEqualTo(TransferStatus.State.WAITING);
        tell(transfer, 1, BatchProgress.State.COMPLETE, 10, 0);
        assertThat(soon.read().state()).isEqualTo(TransferStatus.State.WAITING);
    }

    @Test
    void entriesInProgressCountTheirDataAndAreNamed() throws IOException {
        TransferDirectory transfer = planned(1);
        fixture.transfers().start(transfer);
        Attempts.atBatches(transfer).claim(new AttemptName(0, 1), 1).ifPresent(JournalWriter::close);
        Instant stuck = now.minusSeconds(90).truncatedTo(ChronoUnit.MILLIS);
        WorkInProgress current = new WorkInProgress(450, Optional.of(stuck),
                List.of(new WorkInProgress.Entry("/dead/a\\xff b", stuck)));
        new BatchProgress(1, BatchProgress.State.RUNNING, now.toEpochMilli() - 5_000, now.toEpochMilli(), 0, 0, 0, 0, 0,
                0, 0, 0, 0, "node1", "", current, List.of()).write(transfer.progress().resolve("0.1"));
        TransferStatus status = status(transfer);
        assertThat(status.batches().getFirst().current()).isEqualTo(current);
        assertThat(status.total(BatchStatus::bytesDone)).isEqualTo(450);
        // 550 bytes are left, at 90 per second.
        assertThat(status.rest()).contains(Duration.ofSeconds(6));
        assertThat(status.elapsed(now).toSeconds()).isEqualTo(5);
        assertThat(status.bytesPerSecond(now)).isEqualTo(90);
    }

    @Test
    void theTimeBetweenTheAttemptsOfAResumedTransferCountsNeitherAsTimeNorForTheRate() throws IOException {
        TransferDirectory transfer = planned(2);
        fixture.transfers().start(transfer);
        attempt(transfer, 1, new AttemptName(0, 1), 7_200, 7_190);
        fixture.transfers().resume(transfer);
        TransferStatus waiting = status(transfer);
        assertThat(waiting.began()).isEqualTo(now.minusSeconds(7_200).truncatedTo(ChronoUnit.MILLIS));
        assertThat(waiting.elapsed(now).toSeconds()).isEqualTo(10);
        assertThat(waiting.paused().toSeconds()).isEqualTo(7_190);
        attempt(transfer, 2, new AttemptName(0, 2), 30, 0);
        attempt(transfer, 2, new AttemptName(1, 1), 20, 0);
        TransferStatus resumed = status(transfer);
        assertThat(resumed.began()).isEqualTo(waiting.began());
        assertThat(resumed.elapsed(now).toSeconds()).isEqualTo(40);
        assertThat(resumed.paused().toSeconds()).isEqualTo(7_160);
        assertThat(resumed.bytesPerSecond(now)).isEqualTo(25);
    }

    // An attempt, with its times in seconds before now.
    private void attempt(TransferDirectory transfer, int generation, AttemptName name, int began, int reported)
            throws IOException {
        Instant at = now.minusSeconds(began);
        JournalWriter
                .claim(Attempts.atBatches(transfer).journal(name),
                        new JournalRecord.Header(transfer.id(), name.batch(), name.number(), generation, "node1", 1, "",
                                at))
                .ifPresent(JournalWriter::close);
        new BatchProgress(generation, BatchProgress.State.RUNNING, at.toEpochMilli(),
                now.minusSeconds(reported).toEpochMilli(), 5, 5, 500, 500, 0, 0, 5, 500, 500, "node1", "",
                WorkInProgress.none(), List.of()).write(transfer.progress().resolve(name.toString()));
    }

    @Test
    void theStatusNamesSourceAndDestination() throws IOException {
        fixture.with(TransferTest::tree);
        TransferDirectory transfer = fixture.planned(2);
        TransferPlaces places = status(transfer).places();
        assertThat(places.sources()).containsExactly(ByteString.of(fixture.source().toString()));
        assertThat(places.destination()).contains(ByteString.of(fixture.target().toString()));
    }

    @Test
    void aNewGenerationWaitsForWorkersOfItsOwn() throws IOException {
        TransferDirectory transfer = planned(1);
        fixture.transfers().start(transfer);
        tell(transfer, 0, BatchProgress.State.RUNNING, 5, 0);
        fixture.transfers().resume(transfer);
        assertThat(status(transfer).batches().getFirst().state()).isEqualTo(BatchStatus.State.WAITING);
        fixture.transfers().cancel(transfer);
        assertThat(status(transfer).state()).isEqualTo(TransferStatus.State.CANCELLED);
    }

    @Test
    void afterAResumeTheBatchesWithFailuresWaitToBeTriedAgain() throws IOException {
        TransferDirectory transfer = planned(3);
        int generation = fixture.transfers().start(transfer);
        tell(transfer, 0, BatchProgress.State.COMPLETE, 10, 0);
        tell(transfer, 1, BatchProgress.State.COMPLETE, 9, 1);
        tell(transfer, 2, BatchProgress.State.GAVE_UP, 1, 0);
        GenerationResult.of(transfer, generation)
                .record(TransferResult.empty(generation, TransferResult.State.INCOMPLETE, "a batch gave up"));
        assertThat(status(transfer).batches()).extracting(BatchStatus::state)
                .containsExactly(BatchStatus.State.DONE, BatchStatus.State.FAILED, BatchStatus.State.GAVE_UP);
        fixture.transfers().resume(transfer);
        TransferStatus resumed = status(transfer);
        assertThat(resumed.state()).isEqualTo(TransferStatus.State.WAITING);
        assertThat(resumed.batches()).extracting(BatchStatus::state)
                .containsExactly(BatchStatus.State.DONE, BatchStatus.State.WAITING, BatchStatus.State.WAITING);
        assertThat(resumed.isTried()).isFalse();
        assertThat(resumed.failed()).isEqualTo(1);
        fixture.transfers().cancel(transfer);
        assertThat(status(transfer).batches()).extracting(BatchStatus::state)
                .containsExactly(BatchStatus.State.DONE, BatchStatus.State.FAILED, BatchStatus.State.GAVE_UP);
    }

    @Test
    void theSumsOfATransferAreThoseOfTheTree() throws IOException {
        fixture.with(TransferTest::tree);
        TransferDirectory transfer = fixture.planned(5);
        int generation = fixture.transfers().start(transfer);
        fixture.work(transfer, generation);
        TransferStatus worked = status(transfer);
        assertThat(worked.state()).isEqualTo(TransferStatus.State.WAITING);
        assertThat(worked.isTried()).isTrue();
        assertThat(worked.percent()).isEqualTo(100);
        assertThat(worked.total(BatchStatus::entriesDone)).isEqualTo(worked.total(BatchStatus::entries));
        assertThat(worked.total(BatchStatus::bytesDone)).isEqualTo(worked.total(BatchStatus::bytes));
        assertThat(worked.total(BatchStatus::filesDone)).isEqualTo(worked.total(BatchStatus::files));
        fixture.finish(transfer, generation);
        TransferStatus finished = status(transfer);
        assertThat(finished.state()).isEqualTo(TransferStatus.State.COMPLETE);
        assertThat(finished.result().map(TransferResult::done))
                .isEqualTo(Optional.of(worked.total(BatchStatus::entriesDone)));
    }

    @Test
    void everyChunkOfALargeFileWithSeveralNamesIsCounted() throws IOException {
        fixture.with(writer -> {
            writer.file(ByteString.of("large"), 5L * TransferFixture.CHUNK_BYTES + 1, 1);
            writer.hardLink(ByteString.of("large"), ByteString.of("other"));
        });
        TransferDirectory transfer = fixture.planned(1);
        int generation = fixture.transfers().start(transfer);
        fixture.work(transfer, generation);
        TransferStatus worked = status(transfer);
        assertThat(worked.total(BatchStatus::bytesDone)).isEqualTo(5L * TransferFixture.CHUNK_BYTES + 1)
                .isEqualTo(worked.total(BatchStatus::bytes));
        assertThat(worked.percent()).isEqualTo(100);
        // Work done before counts too.
        fixture.work(transfer, fixture.transfers().resume(transfer));
        assertThat(status(transfer).percent()).isEqualTo(100);
    }

    @Test
    void holesAreNoWorkThatIsLeft() throws IOException {
        fixture.with(writer -> {
            for (int i = 0; i < 7; i++) {
                writer.file(ByteString.of("dense" + i), 100_000, i);
            }
            writer.sparse(ByteString.of("sparse"), TransferFixture.CHUNK_BYTES, 0);
        });
        TransferDirectory transfer = WalkedPlans.plan(fixture,
                WalkedPlans.arguments(fixture.source(), fixture.target()), TransferFixture.options());
        fixture.transfers().start(transfer);
        long now = this.now.toEpochMilli();
        // Half of the dense files are done, which took 4 seconds; the sparse one is the last of batch 3.
        for (int batch = 0; batch < 4; batch++) {
            Attempts.atBatches(transfer).claim(new AttemptName(batch, 1), 1).ifPresent(JournalWriter::close);
            new BatchProgress(1, BatchProgress.State.RUNNING, now - 4_000, now, 1, 1, 100_000, 100_000, 0, 0, 1,
                    100_000, 100_000, "", "", WorkInProgress.none(), List.of())
                    .write(transfer.progress().resolve(batch + ".1"));
        }
        TransferStatus status = status(transfer);
        assertThat(status.total(BatchStatus::bytes)).isEqualTo(700_000 + TransferFixture.CHUNK_BYTES);
        assertThat(status.percent()).isBetween(50.0, 60.0);
        assertThat(status.rest()).contains(Duration.ofSeconds(4));
    }

    @ParameterizedTest
    @CsvSource({"2000,1,false", "2000,100000,true", "900,100000,false"})
    void theFirstMomentsOfAJobGiveNoRemainingTime(int millis, int bytes, boolean isKnown) throws IOException {
        fixture.with(writer -> writer.file(ByteString.of("large"), TransferFixture.CHUNK_BYTES, 1));
        TransferDirectory transfer = WalkedPlans.plan(fixture,
                WalkedPlans.arguments(fixture.source(), fixture.target()), TransferFixture.options());
        fixture.transfers().start(transfer);
        long time = now.toEpochMilli();
        Attempts.atBatches(transfer).claim(new AttemptName(0, 1), 1).ifPresent(JournalWriter::close);
        new BatchProgress(1, BatchProgress.State.RUNNING, time - millis, time, 0, 0, 0, 0, 0, 0, 0, 0, 0, "", "",
                new WorkInProgress(bytes, Optional.of(now), List.of()), List.of())
                .write(transfer.progress().resolve("0.1"));
        assertThat(status(transfer).rest().isPresent()).isEqualTo(isKnown);
    }

    @Test
    void allBytesAreDataIfAWorkerReportsNoData() throws IOException {
        TransferDirectory transfer = planned(1);
        fixture.transfers().start(transfer);
        tell(transfer, 0, BatchProgress.State.RUNNING, 5, 0);
        Path file = transfer.progress().resolve("0.1");
        StateFile told = StateFile.read(file);
        StateFile older = StateFile.empty();
        for (String key : List.of("generation", "state", "started", "told", "entries", "files", "bytes", "failed",
                "changed", "new-entries", "new-bytes", "host", "job")) {
            older = older.with(key, told.text(key));
        }
        older.replace(file, false);
        TransferStatus status = status(transfer);
        assertThat(status.total(BatchStatus::dataDone)).isEqualTo(500);
        assertThat(status.percent()).isEqualTo(50);
        assertThat(status.rest()).contains(Duration.ofSeconds(5));
    }

    @Test
    void progressThatFoundNoSpaceIsTakenFromTheJournals() throws IOException {
        fixture.with(TransferTest::tree);
        TransferDirectory transfer = fixture.planned(3);
        int generation = fixture.transfers().start(transfer);
        fixture.work(transfer, generation);
        // The disk was full: one batch has no progress file, and the end of another was not recorded.
        Files.delete(transfer.progress().resolve("0.1"));
        BatchProgress told = BatchProgress.read(transfer.progress().resolve("1.1")).orElseThrow();
        new BatchProgress(1, BatchProgress.State.RUNNING, told.started(), told.reported(), 1, 1, 1, 1, 0, 0, 1, 1, 1,
                "here", "", WorkInProgress.none(), List.of()).write(transfer.progress().resolve("1.1"));
        TransferStatus worked = status(transfer);
        assertThat(worked.isTried()).isTrue();
        assertThat(worked.percent()).isEqualTo(100);
        fixture.finish(transfer, generation);
        Files.delete(transfer.progress().resolve("2.1"));
        Files.delete(transfer.attempts().resolve("2.1.journal"));
        TransferStatus finished = status(transfer);
        assertThat(finished.percent()).isEqualTo(100);
        assertThat(finished.total(BatchStatus::filesDone)).isEqualTo(finished.total(BatchStatus::files));
    }

    private static long counter(String name) throws IOException {
        for (String line : Files.readAllLines(IO)) {
            if (line.startsWith(name + ": ")) {
                return Long.parseLong(line.substring(name.length() + 2));
            }
        }
        throw new AssertionError(name);
    }

    @Test
    void aThousandBatchesCostAThousandSmallReads() throws IOException {
        Assumptions.assumeTrue(Files.isReadable(IO), IO + " is not there: the kernel counts no reads");
        TransferDirectory transfer = planned(1000);
        fixture.transfers().start(transfer);
        for (int batch = 0; batch < 1000; batch++) {
            tell(transfer, batch, batch < 10 ? BatchProgress.State.RUNNING : BatchProgress.State.COMPLETE, 10, 0);
        }
        status(transfer);
        long reads = counter("syscr");
        long bytes = counter("rchar");
        long start = System.nanoTime();
        status(transfer);
        System.out.println("1000 batches in " + (System.nanoTime() - start) / 1_000_000 + " ms");
        // One read for each file; those of the plan, of the journals of running batches, and any others of the JVM.
        assertThat(counter("syscr") - reads).isLessThan(1_300);
        assertThat(counter("rchar") - bytes).isLessThan(700_000);
    }

    @Test
    void severalThreadsReadTheSameProgressAsOne() throws IOException {
        TransferDirectory transfer = planned(300);
        fixture.transfers().start(transfer);
        for (int batch = 0; batch < 300; batch += 1 + batch % 2) {
            tell(transfer, batch, BatchProgress.State.COMPLETE, batch % 10, 0);
        }
        ReportedProgress near = ReportedProgress.read(transfer, true, new SeenWork(transfer), Long.MAX_VALUE / 1000);
        ReportedProgress far = ReportedProgress.read(transfer, true, new SeenWork(transfer), 0);
        for (int batch = 0; batch < 300; batch++) {
            assertThat(far.newest(batch)).isEqualTo(near.newest(batch));
            assertThat(far.of(batch)).isEqualTo(near.of(batch));
        }
        assertThat(near.of(5).map(BatchProgress::entries)).contains(5L);
        assertThat(near.newest(2)).isZero();
        assertThat(near.of(2)).isEmpty();
    }

    @Test
    void laterLooksReadOnlyTheProgressOfAttemptsThatRunAndSeeWhatIsNew() throws IOException {
        TransferDirectory transfer = planned(4);
        fixture.transfers().start(transfer);
        tell(transfer, 0, BatchProgress.State.COMPLETE, 10, 0);
        tell(transfer, 1, BatchProgress.State.RUNNING, 3, 0);
        StatusWatch watch = fixture.transfers().watch(transfer);
        assertThat(watch.look()).isEqualTo(fixture.transfers().status(transfer));
        // An attempt that has ended writes nothing more, so that its file is not read again.
        Files.delete(transfer.progress().resolve("0.1"));
        tell(transfer, 1, BatchProgress.State.RUNNING, 7, 0);
        tell(transfer, 2, BatchProgress.State.COMPLETE, 9, 1);
        assertThat(watch.look().batches()).extracting(BatchStatus::entriesDone).containsExactly(10L, 7L, 9L, 0L);
        tell(transfer, 1, BatchProgress.State.STOPPED, 8, 0);
        watch.look();
        Attempts.atBatches(transfer).claim(new AttemptName(1, 2), 1).ifPresent(JournalWriter::close);
        new BatchProgress(1, BatchProgress.State.COMPLETE, 1_000, 6_000, 10, 10, 1_000, 1_000, 0, 0, 2, 200, 200, "",
                "", WorkInProgress.none(), List.of()).write(transfer.progress().resolve("1.2"));
        assertThat(watch.look().batches()).extracting(BatchStatus::state)
                .containsExactly(BatchStatus.State.DONE, BatchStatus.State.DONE, BatchStatus.State.FAILED,
                        BatchStatus.State.WAITING);
    }

    @Test
    void aPlanThatIsMadeAgainIsSeenWithItsOwnAttempts() throws IOException {
        TransferDirectory transfer = fixture.create();
        try (PlanWriter plan = PlanWriter.create(transfer.plan(),
                fixture.header(transfer, TransferFixture.options()))) {
            plan.addBatch(List.of());
            // The walk dies before it seals the plan.
        }
        fixture.transfers().start(transfer);
        tell(transfer, 0, BatchProgress.State.COMPLETE, 10, 0);
        StatusWatch watch = fixture.transfers().watch(transfer);
        assertThat(watch.look().total(BatchStatus::entriesDone)).isEqualTo(10);
        fixture.transfers().resume(transfer);
        fixture.transfers().removePlan(transfer);
        assertThat(watch.look().batches()).isEmpty();
        plan(transfer, 2);
        tell(transfer, 0, BatchProgress.State.RUNNING, 3, 0);
        assertThat(watch.look().total(BatchStatus::entriesDone)).isEqualTo(3);
        assertThat(watch.look().total(BatchStatus::entries)).isEqualTo(20);
    }

    @Test
    void anAttemptWithoutProgressCountsFromItsHeaderOn() throws IOException {
        TransferDirectory transfer = planned(2);
        fixture.transfers().start(transfer);
        attempt(transfer, 1, new AttemptName(0, 1), 7_200, 7_190);
        attempt(transfer, 1, new AttemptName(1, 1), 7_230, 7_190);
        Files.delete(transfer.progress().resolve("1.1"));
        fixture.transfers().resume(transfer);
        assertThat(status(transfer).began()).isEqualTo(now.minusSeconds(7_230).truncatedTo(ChronoUnit.MILLIS));
        assertThat(status(transfer).elapsed(now).toSeconds()).isEqualTo(40);
    }

    @Test
    void statusIsTheSameWhileTheTransferIsPlannedAgain() throws Exception {
        TransferDirectory transfer = fixture.with(TransferTest::tree).planned(12);
        fixture.work(transfer, fixture.transfers().start(transfer));
        CompletableFuture<Void> removing = CompletableFuture.runAsync(() -> {
            try {
                for (Path journal : TransferFixture.names(transfer.attempts())
                        .stream()
                        .map(transfer.attempts()::resolve)
                        .toList()) {
                    Files.delete(transfer.progress().resolve(journal.getFileName().toString().replace(".journal", "")));
                    Files.delete(journal);
                    Thread.sleep(2);
                }
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        while (!removing.isDone()) {
            assertThat(fixture.transfers().status(transfer).batches()).hasSize(12);
        }
        removing.join();
    }
}
