// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.plan.format.ManifestEntry;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanRecords;
import org.treehaul.core.testing.TreeRemoval;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.finish.Finishing;
import org.treehaul.core.transfer.journal.AttemptName;
import org.treehaul.core.transfer.journal.Attempts;
import org.treehaul.core.transfer.journal.BatchOutcome;
import org.treehaul.core.transfer.journal.BatchProgress;
import org.treehaul.core.transfer.journal.FinishingHistory;
import org.treehaul.core.transfer.journal.JournalReader;
import org.treehaul.core.transfer.journal.JournalRecord;
import org.treehaul.core.transfer.journal.JournalWriter;
import org.treehaul.core.transfer.work.WorkResult;
import org.treehaul.core.transfer.work.Worker;

/** After damage and errors, only durable work counts as done. */
class DurableWorkTest {

    private TransferFixture fixture = TransferFixture.onTmpfs();

    @BeforeEach
    void make() {
        fixture.close();
        fixture = TransferFixture.onTmpfs().with(TransferTest::tree);
    }

    @AfterEach
    void remove() {
        fixture.close();
    }

    private static void damage(Path journal, Random random) throws IOException {
        byte[] bytes = Files.readAllBytes(journal);
        if (random.nextBoolean()) {
            Files.write(journal, Arrays.copyOf(bytes, random.nextInt(bytes.length + 1)));
        } else {
            bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            Files.write(journal, bytes);
        }
    }

    @Test
    void withDamagedJournalsItIsNeverCalledCompleteAndResumedItIs() throws IOException {
        Random random = new Random(5);
        for (int i = 0; i < 12; i++) {
            TransferDirectory transfer = fixture.planned(4);
            int generation = fixture.transfers().start(transfer);
            fixture.work(transfer, generation);
            for (int batch = 0; batch < 4; batch += 1 + i % 2) {
                damage(transfer.attempts().resolve(batch + ".1.journal"), random);
            }
            TransferResult early = fixture.finish(transfer, generation);
            assertThat(early.state()).isIn(TransferResult.State.INCOMPLETE, TransferResult.State.COMPLETE);
            if (early.state() == TransferResult.State.INCOMPLETE) {
                assertThat(fixture.token(transfer)).exists();
                TransferResult result = fixture.run(transfer, fixture.transfers().resume(transfer), 2);
                assertThat(result.state())
                        .as(i + " " + result + fixture.notices() + Attempts.atBatches(transfer).newest())
                        .isEqualTo(TransferResult.State.COMPLETE);
                assertThat(result.done()).isEqualTo(result.entries());
            }
            fixture.isCopied();
            TreeRemoval.remove(Linux.calls(), fixture.target());
            fixture.transfers().forget(transfer);
        }
    }

    @Test
    void namesOfOneFileAreDoneAllOrNone() throws IOException {
        TransferDirectory transfer = fixture.planned(1);
        int generation = fixture.transfers().start(transfer);
        List<Integer> names = new ArrayList<>();
        try (PlanRecords<ManifestEntry> manifest = Plan.open(transfer.plan()).manifest(0)) {
            for (ManifestEntry entry = manifest.next(); entry != null; entry = manifest.next()) {
                if (entry.group() == 1) {
                    names.add(entry.index());
                }
            }
        }
        assertThat(names).hasSize(2);
        fixture.work(transfer, generation);
        // Simulates an attempt that began the names again and died after one of them was done.
        Attempts attempts = Attempts.atBatches(transfer);
        try (JournalWriter journal = attempts.claim(new AttemptName(0, 2), generation).orElseThrow()) {
            names.forEach(index -> journal.add(JournalRecord.Fact.AGAIN, index));
            journal.flush();
            journal.add(JournalRecord.Fact.DONE, names.getLast());
            journal.makeDurable(() -> {
            });
        }
        BatchOutcome outcome = BatchOutcome.read(attempts, 0, 2, FinishingHistory.read(transfer));
        assertThat(outcome.isDone(names.getLast())).isTrue();
        assertThat(outcome.isDone(names.getFirst())).isFalse();
        Path one = fixture.target().resolve("d0/medium0");
        byte[] content = Files.readAllBytes(one);
        Files.delete(one);
        Files.write(one, content);
        fixture.completes(transfer);
    }

    @Test
    void durableChunksOfAFileWithSeveralNamesAreNotCopiedAgain() throws IOException {
        fixture.close();
        fixture = TransferFixture.onTmpfs()
                .with(writer -> writer.file(TransferTest.path("large"), 3 * (int) TransferFixture.CHUNK_BYTES, 1)
                        .hardLink(TransferTest.path("large"), TransferTest.path("other")));
        TransferDirectory transfer = fixture.planned(1);
        int generation = fixture.transfers().start(transfer);
        fixture.work(transfer, generation);
        // Simulates an attempt that died before the last chunk was done.
        try (JournalWriter journal = Attempts.atBatches(transfer)
                .claim(new AttemptName(0, 2), generation)
                .orElseThrow()) {
            journal.add(JournalRecord.Fact.AGAIN, 2);
            journal.flush();
        }
        fixture.work(transfer, fixture.transfers().resume(transfer));
        assertThat(BatchProgress.read(transfer.progress().resolve("0.3")).orElseThrow()).satisfies(progress -> {
            assertThat(progress.entries()).isEqualTo(3);
            assertThat(progress.newEntries()).isEqualTo(1);
            assertThat(progress.newBytes()).isEqualTo(TransferFixture.CHUNK_BYTES);
        });
        fixture.completes(transfer);
    }

    @Test
    void entriesThatAreNotDurableAreCopiedAgain() throws IOException {
        TransferDirectory transfer = fixture.planned(1);
        int generation = fixture.transfers().start(transfer);
        fixture.work(transfer, generation);
        Path journal = transfer.attempts().resolve("0.1.journal");
        List<Long> marks = new ArrayList<>();
        JournalReader.read(journal, new AttemptName(0, 1), transfer.id(), (offset, record) -> {
            if (record instanceof JournalRecord.Durable) {
                marks.add(offset);
            }
        });
        // Simulates a crash of the node: the journal lacks its last mark, and the files that it does not cover are
        // gone.
        Files.write(journal, Arrays.copyOf(Files.readAllBytes(journal), marks.getFirst().intValue()));
        TreeRemoval.remove(Linux.calls(), fixture.target());
        fixture.completes(transfer);
    }

    @Test
    void aWorkerWhoseSyncFailsEndsAndItsWorkSinceTheLastMarkIsRepeated() throws IOException {
        for (int failing = 1; failing <= 3; failing++) {
            TransferDirectory transfer = fixture.planned(3);
            int generation = fixture.transfers().start(transfer);
            FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                    Fault.on(Call.SYNCFS).nth(failing).fails(Errno.EIO));
            WorkResult result = Worker.of(calls, transfer, generation)
                    .withThreads(1)
                    .work(fixture.listener(), new Progress(), new Cancellation());
            assertThat(result.ending()).isEqualTo(WorkResult.Ending.GAVE_UP);
            assertThat(result.problem()).contains("syncfs", "EIO");
            assertThat(fixture.finish(transfer, generation).state()).isEqualTo(TransferResult.State.INCOMPLETE);
            if (failing == 1) {
                // Simulates a disk that has lost all data whose write-back failed: none of them was recorded as
                // durable.
                TreeRemoval.remove(Linux.calls(), fixture.target());
            }
            // No other worker of this generation repeats work that failed in this way.
            assertThat(fixture.work(transfer, generation).ending()).isEqualTo(WorkResult.Ending.DONE);
            assertThat(fixture.finish(transfer, generation).state()).isEqualTo(TransferResult.State.INCOMPLETE);
            fixture.completes(transfer);
            TreeRemoval.remove(Linux.calls(), fixture.target());
            fixture.transfers().forget(transfer);
        }
    }

    @Test
    void aWorkerThatGivesUpAtAFullDestinationNamesTheError() throws IOException {
        fixture.with(writer -> {
            for (int i = 0; i < 50; i++) {
                writer.file(ByteString.of("many" + i), 10, i);
            }
        });
        TransferDirectory transfer = fixture.planned(1);
        int generation = fixture.transfers().start(transfer);
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.WRITE).from(1).fails(Errno.ENOSPC));
        // On two threads an entry without content, still in progress, may succeed between two failures each time.
        WorkResult result = Worker.of(calls, transfer, generation)
                .withThreads(1)
                .work(fixture.listener(), new Progress(), new Cancellation());
        assertThat(result.problem())
                .isEqualTo("batch 0: the destination failed as a whole: No space left on device (ENOSPC)");
        fixture.completes(transfer);
    }

    @Test
    void finishingThatGivesUpAtAFullDestinationNamesTheError() throws IOException {
        for (int i = 0; i < 50; i++) {
            Files.createDirectory(fixture.source().resolve("directory" + i));
        }
        TransferDirectory transfer = fixture.planned(1);
        int generation = fixture.transfers().start(transfer);
        fixture.work(transfer, generation);
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.MKDIRAT).from(1).fails(Errno.EDQUOT));
        TransferResult result = Finishing.of(calls, transfer, generation)
                .finish(fixture.listener(), new Progress(), new Cancellation());
        assertThat(result.problem())
                .startsWith("the destination failed as a whole: Disk quota exceeded (EDQUOT); 'treehaul resume ");
        // A finishing that was stopped is repeated: by Slurm, and by each worker of a pool.
        assertThat(result.state()).isEqualTo(TransferResult.State.INCOMPLETE);
        fixture.completes(transfer);
    }

    @Test
    void finishingWhoseSyncFailsIsNotCompleteAndDoneAgainItIs() throws IOException {
        TransferDirectory transfer = fixture.planned(3);
        int generation = fixture.transfers().start(transfer);
        fixture.work(transfer, generation);
        int failed = 0;
        while (finishingFails(transfer, generation, failed + 1)) {
            failed++;
            assertThat(fixture.transfers().status(transfer).state()).isNotEqualTo(TransferStatus.State.COMPLETE);
        }
        assertThat(failed).isPositive();
        assertThat(fixture.finish(transfer, generation).state()).isEqualTo(TransferResult.State.COMPLETE);
        fixture.isCopied();
    }

    private boolean finishingFails(TransferDirectory transfer, int generation, int failing) {
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.SYNCFS).nth(failing).fails(Errno.EIO));
        try {
            TransferResult result = Finishing.of(calls, transfer, generation)
                    .finish(fixture.listener(), new Progress(), new Cancellation());
            assertThat(result.state()).isEqualTo(TransferResult.State.COMPLETE);
            return false;
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("syncfs");
            return true;
        }
    }
}
