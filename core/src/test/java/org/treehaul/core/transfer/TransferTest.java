// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.copy.options.Backup;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.plan.format.PlanHeader;
import org.treehaul.core.testing.TreeRemoval;
import org.treehaul.core.testing.TreeWriter;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.journal.FailureRecord;
import org.treehaul.core.transfer.operation.CopySettings;
import org.treehaul.core.transfer.work.WorkResult;

/** A transfer from its plan to its end, with no errors or only ordinary ones. */
public class TransferTest {

    private TransferFixture fixture = TransferFixture.onTmpfs();

    @BeforeEach
    void make() {
        fixture.close();
        fixture = TransferFixture.onTmpfs();
    }

    @AfterEach
    void remove() {
        fixture.close();
    }

    public static ByteString path(String text) {
        return ByteString.of(text);
    }

    public static void tree(TreeWriter writer) {
        for (int i = 0; i < 60; i++) {
            writer.file(path("d" + i % 7 + "/small" + i), 100 + i, i);
        }
        for (int i = 0; i < 6; i++) {
            writer.file(path("d" + i % 7 + "/medium" + i), 300_000 + i, i)
                    .hardLink(path("d" + i % 7 + "/medium" + i), path("e" + i % 3 + "/link" + i));
        }
        for (int i = 0; i < 2; i++) {
            writer.file(path("e0/large" + i), 3L * TransferFixture.CHUNK_BYTES + i, i);
        }
        writer.hardLink(path("e0/large1"), path("e1/other")).directory(path("empty")).directory(path("empty/inner"));
        writer.symlink(path("e1/symlink"), path("nowhere")).special(path("e1/fifo"), EntryKind.FIFO, 0);
    }

    @Test
    void anyNumberOfWorkersCopiesAllPlannedEntries() throws IOException {
        fixture.with(TransferTest::tree);
        for (int workers : new int[]{1, 3, 20}) {
            TransferDirectory transfer = fixture.planned(8);
            int generation = fixture.transfers().start(transfer);
            TransferResult result = fixture.run(transfer, generation, workers);
            assertThat(fixture.failures()).isEmpty();
            assertThat(result.state()).isEqualTo(TransferResult.State.COMPLETE);
            assertThat(result.done()).isEqualTo(result.entries()).isGreaterThan(70);
            fixture.isCopied();
            TreeRemoval.remove(Linux.calls(), fixture.target());
        }
    }

    @Test
    void eachBatchHasTimesOfItsBeginningAndEnd() throws IOException {
        fixture.with(TransferTest::tree);
        TransferDirectory transfer = fixture.planned(4);
        fixture.run(transfer, fixture.transfers().start(transfer), 2);
        assertThat(fixture.transfers().status(transfer).batches()).isNotEmpty().allSatisfy(batch -> {
            assertThat(batch.started().orElseThrow())
                    .isAfterOrEqualTo(transfer.created().truncatedTo(ChronoUnit.MILLIS));
            assertThat(batch.reported().orElseThrow()).isAfterOrEqualTo(batch.started().orElseThrow());
        });
    }

    @Test
    void aPlanWithoutEntriesCompletes() throws IOException {
        TransferDirectory transfer = fixture.planned(0);
        TransferResult result = fixture.run(transfer, fixture.transfers().start(transfer), 2);
        assertThat(result.state()).isEqualTo(TransferResult.State.COMPLETE);
        fixture.isCopied();
    }

    @Test
    void oneFileIsCopied() throws IOException {
        fixture.with(writer -> writer.file(path("one"), 10, 1));
        TransferDirectory transfer = fixture.planned(1);
        TransferResult result = fixture.run(transfer, fixture.transfers().start(transfer), 4);
        assertThat(result.state()).isEqualTo(TransferResult.State.COMPLETE);
        assertThat(result.done()).isEqualTo(1);
        fixture.isCopied();
    }

    @Test
    void batchesOfNothingAreDoneToo() throws IOException {
        fixture.with(writer -> writer.file(path("one"), 10, 1));
        TransferDirectory transfer = fixture.planned(5);
        assertThat(fixture.run(transfer, fixture.transfers().start(transfer), 2).state())
                .isEqualTo(TransferResult.State.COMPLETE);
        fixture.isCopied();
    }

    @Test
    void entriesChangedSinceThePlanAreCopiedAsTheyAreAndCounted() throws IOException {
        fixture.with(TransferTest::tree);
        TransferDirectory transfer = fixture.planned(4);
        Files.writeString(fixture.source().resolve("d1/small1"),
                "grown since it was planned, and otherwise than it was");
        Files.write(fixture.source().resolve("e0/large0"), new byte[1000]);
        TransferResult result = fixture.run(transfer, fixture.transfers().start(transfer), 2);
        assertThat(fixture.failures()).isEmpty();
        assertThat(result.state()).isEqualTo(TransferResult.State.COMPLETE);
        assertThat(result.changed()).isGreaterThanOrEqualTo(2);
        fixture.isCopied();
    }

    @Test
    void aVanishedFileIsAFailureAndTheRestIsCopied() throws IOException {
        fixture.with(TransferTest::tree);
        TransferDirectory transfer = fixture.planned(4);
        Files.delete(fixture.source().resolve("d1/small1"));
        TransferResult result = fixture.run(transfer, fixture.transfers().start(transfer), 2);
        assertThat(result.state()).isEqualTo(TransferResult.State.PARTIAL);
        assertThat(result.failures()).isEqualTo(Map.of(EntryFailure.Kind.VANISHED, 1L));
        assertThat(result.done()).isEqualTo(result.entries() - 1);
        List<FailureRecord> failures = new ArrayList<>();
        fixture.transfers().failures(transfer, failures::add);
        assertThat(failures).hasSize(1);
        assertThat(failures.getFirst().failure().path()).hasToString("d1/small1");
        assertThat(failures.getFirst().failure().errno()).isEqualTo(2);
        fixture.isCopied();

        // It is back: resume copies it and nothing else.
        Files.writeString(fixture.source().resolve("d1/small1"), "back");
        int generation = fixture.transfers().resume(transfer);
        long before = TransferFixture.names(transfer.attempts()).size();
        result = fixture.run(transfer, generation, 2);
        assertThat(result.state()).isEqualTo(TransferResult.State.COMPLETE);
        assertThat(TransferFixture.names(transfer.attempts()).size()).isEqualTo(before + 1);
        fixture.isCopied();
        failures.clear();
        fixture.transfers().failures(transfer, failures::add);
        assertThat(failures).isEmpty();
    }

    @Test
    void belowADirectoryThatFailedEveryEntryFailsAsItDid() throws IOException {
        fixture.with(TransferTest::tree);
        TransferDirectory transfer = fixture.planned(4);
        Files.createDirectory(fixture.target());
        Files.writeString(fixture.target().resolve("d3"), "in the way");
        TransferResult result = fixture.run(transfer, fixture.transfers().start(transfer), 2);
        assertThat(result.state()).isEqualTo(TransferResult.State.PARTIAL);
        List<String> failed = new ArrayList<>();
        fixture.transfers().failures(transfer, failure -> failed.add(failure.failure().path().toString()));
        assertThat(failed).as("the directory for all that is in it").containsOnly("d3");
        assertThat(result.failed()).isGreaterThan(3);
        assertThat(result.openBatches()).isZero();

        Files.delete(fixture.target().resolve("d3"));
        result = fixture.run(transfer, fixture.transfers().resume(transfer), 2);
        assertThat(result.state()).isEqualTo(TransferResult.State.COMPLETE);
        fixture.isCopied();
    }

    @Test
    void theOtherNamesOfALargeFileAreMadeWhereItsFirstFails() throws IOException {
        fixture.with(TransferTest::tree);
        TransferDirectory transfer = fixture.planned(4);
        // Nothing but the first name knows of it.
        Files.createDirectories(fixture.target().resolve("e0/large1"));
        TransferResult result = fixture.run(transfer, fixture.transfers().start(transfer), 2);
        assertThat(result.state()).isEqualTo(TransferResult.State.PARTIAL);
        assertThat(fixture.failures()).isNotEmpty().allMatch(failure -> failure.contains("e0/large1"));
        assertThat(fixture.target().resolve("e1/other")).hasSameBinaryContentAs(fixture.source().resolve("e1/other"));

        Files.delete(fixture.target().resolve("e0/large1"));
        result = fixture.run(transfer, fixture.transfers().resume(transfer), 2);
        assertThat(result.state()).isEqualTo(TransferResult.State.COMPLETE);
        fixture.isCopied();
    }

    @Test
    void aLargeFileThatTakesThePlaceOfALinkWhichIsBackedUpLeadsItsOtherNames() throws IOException {
        fixture.with(TransferTest::tree);
        TransferDirectory transfer = fixture.planned(4,
                TransferFixture.options().toBuilder().backup(Backup.of(Backup.Control.NUMBERED)).build());
        Files.createDirectories(fixture.target().resolve("e0"));
        Files.createSymbolicLink(fixture.target().resolve("e0/large1"), Path.of("elsewhere"));
        TransferResult result = fixture.run(transfer, fixture.transfers().start(transfer), 2);
        assertThat(fixture.failures()).isEmpty();
        assertThat(result.state()).isEqualTo(TransferResult.State.COMPLETE);
        assertThat(fixture.target().resolve("e0/large1.~1~")).isSymbolicLink();
        assertThat(fixture.target().resolve("e0/large1")).hasSameBinaryContentAs(fixture.source().resolve("e0/large1"));
        assertThat(Files.isSameFile(fixture.target().resolve("e0/large1"), fixture.target().resolve("e1/other")))
                .isTrue();
    }

    @Test
    void finishingBeforeAllIsTriedReportsTheOpenBatchesAndChangesNothing() throws IOException {
        fixture.with(TransferTest::tree);
        TransferDirectory transfer = fixture.planned(4);
        TransferResult result = fixture.finish(transfer, fixture.transfers().start(transfer));
        assertThat(result.state()).isEqualTo(TransferResult.State.INCOMPLETE);
        assertThat(result.openBatches()).isEqualTo(4);
        assertThat(result.problem())
                .contains("not done: 0, 1, 2, 3; 'treehaul resume " + transfer.id() + "' continues");
        assertThat(fixture.target()).doesNotExist();
        assertThat(fixture.token(transfer)).exists();
    }

    @Test
    void finishedAgainItIsStillFinished() throws IOException {
        fixture.with(TransferTest::tree);
        TransferDirectory transfer = fixture.planned(4);
        int generation = fixture.transfers().start(transfer);
        TransferResult first = fixture.run(transfer, generation, 2);
        TransferResult again = fixture.finish(transfer, generation);
        assertThat(again.state()).isEqualTo(first.state());
        assertThat(again.done()).isEqualTo(first.done());
        TransferResult resumed = fixture.run(transfer, fixture.transfers().resume(transfer), 2);
        assertThat(resumed.state()).isEqualTo(TransferResult.State.COMPLETE);
        fixture.isCopied();
    }

    @Test
    void aPlanThatIsDamagedOrOfAnotherVersionIsReported() throws IOException {
        fixture.with(TransferTest::tree);
        TransferDirectory transfer = fixture.planned(2);
        int generation = fixture.transfers().start(transfer);
        Path manifest = transfer.plan().resolve("manifest/1");
        byte[] bytes = Files.readAllBytes(manifest);
        bytes[bytes.length / 2] ^= 4;
        Files.write(manifest, bytes);
        WorkResult work = fixture.work(transfer, generation);
        assertThat(work.ending()).isEqualTo(WorkResult.Ending.GAVE_UP);
        assertThat(work.batches()).isEqualTo(2);
        assertThat(work.problem()).contains("manifest/1 is damaged");
        TransferResult result = fixture.finish(transfer, generation);
        assertThat(result.state()).isEqualTo(TransferResult.State.INCOMPLETE);
        assertThat(result.openBatches()).isEqualTo(1);
        bytes[bytes.length / 2] ^= 4;
        Files.write(manifest, bytes);
        assertThat(fixture.run(transfer, fixture.transfers().resume(transfer), 1).state())
                .isEqualTo(TransferResult.State.COMPLETE);
        fixture.isCopied();
        Files.writeString(transfer.plan().resolve("header"),
                Files.readString(transfer.plan().resolve("header")).replaceFirst("\t1\n", "\t99\n"));
        int next = fixture.transfers().resume(transfer);
        assertThatThrownBy(() -> fixture.run(transfer, next, 1)).isInstanceOf(IOException.class)
                .hasMessageContaining("header");
    }

    @Test
    void unknownSettingsStopTheTransferBeforeItBegins() throws IOException {
        TransferDirectory transfer = fixture.create();
        fixture.with(TransferTest::tree);
        TreeMap<String, String> settings = new TreeMap<>(CopySettings.of(TransferFixture.options()));
        settings.put("teleport", "yes");
        PlanHeader header = fixture.header(transfer, TransferFixture.options());
        SmallPlan.of(fixture.source(), 2)
                .write(transfer.plan(), new PlanHeader(header.id(), header.created(), 022, 0, "", "test",
                        header.limits(), 1, 0, true, header.roots(), header.token(), List.of(), settings));
        int generation = fixture.transfers().start(transfer);
        assertThatThrownBy(() -> fixture.run(transfer, generation, 1)).isInstanceOf(TransferException.class)
                .hasMessageContaining("[teleport]");
        assertThat(fixture.target()).doesNotExist();
    }

    @Test
    void forgottenItIsGoneAndTheCopyStays() throws IOException {
        fixture.with(TransferTest::tree);
        TransferDirectory transfer = fixture.planned(2);
        fixture.run(transfer, fixture.transfers().start(transfer), 1);
        assertThat(fixture.transfers().list()).containsExactly(transfer.id());
        fixture.transfers().forget(transfer);
        assertThat(fixture.transfers().list()).isEmpty();
        assertThat(transfer.path()).doesNotExist();
        fixture.isCopied();
    }
}
