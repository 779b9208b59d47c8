// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.plan.ManifestEntry;
import org.treehaul.core.plan.Plan;
import org.treehaul.core.plan.PlanRecords;
import org.treehaul.core.plan.PlanWriter;
import org.treehaul.core.testing.TreeRemoval;
import org.treehaul.core.walk.Cancellation;

/** Batches that change hands: stopped, dead, outdated and racing workers, damaged journals, plans that grow. */
class TakeoverTest {

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

    private void isComplete(TransferDirectory transfer) throws IOException {
        TransferResult result = fixture.run(transfer, fixture.transfers().resume(transfer), 2);
        assertThat(result.state()).isEqualTo(TransferResult.State.COMPLETE);
        fixture.isCopied();
    }

    @Test
    void anOwnerThatWasStoppedAndTakenOverHarmsNothingWhenItGoesOn() throws Exception {
        fixture.withTiming(TransferFixture.FAST);
        // At the first copy of a chunk it is stopped by the others' clock.
        for (long seed = 1; seed <= 4; seed++) {
            TransferDirectory transfer = fixture.planned(3);
            int generation = fixture.transfers().start(transfer);
            try (TransferProcess owner = TransferProcess.worker(transfer, generation, 0)) {
                TimeUnit.MILLISECONDS.sleep(new Random(seed).nextInt(400));
                owner.signal("STOP");
                // Until then it looks alive.
                TimeUnit.MILLISECONDS.sleep(200);
                // Waits until the owner's heartbeat is old enough, then does its batch, too.
                assertThat(fixture.work(transfer, generation).ending()).isEqualTo(WorkResult.Ending.DONE);
                TransferResult result = fixture.finish(transfer, generation);
                assertThat(result.state()).isEqualTo(TransferResult.State.COMPLETE);
                fixture.isCopied();
                owner.signal("CONT");
                owner.await();
            }
            // Of what it may have made before it saw that it was taken over, a resume leaves nothing.
            isComplete(transfer);
            TreeRemoval.remove(Linux.calls(), fixture.target());
            fixture.transfers().forget(transfer);
        }
    }

    @Test
    void ofManyWorkersExactlyOneClaimsEachBatch() throws IOException {
        TransferDirectory transfer = fixture.planned(12);
        TransferResult result = fixture.run(transfer, fixture.transfers().start(transfer), 10);
        assertThat(result.state()).isEqualTo(TransferResult.State.COMPLETE);
        assertThat(Attempts.atBatches(transfer).newest()).hasSize(12)
                .allSatisfy((batch, attempt) -> assertThat(attempt).isEqualTo(1));
        fixture.isCopied();
    }

    @Test
    void anOldWorkerOrFinishingThatStartsAfterAResumeTouchesNothing() throws IOException {
        TransferDirectory transfer = fixture.planned(3);
        int old = fixture.transfers().start(transfer);
        int current = fixture.transfers().resume(transfer);
        assertThat(fixture.work(transfer, old).ending()).isEqualTo(WorkResult.Ending.SUPERSEDED);
        assertThat(fixture.finish(transfer, old).state()).isEqualTo(TransferResult.State.SUPERSEDED);
        assertThat(fixture.target()).doesNotExist();
        assertThat(TransferFixture.names(transfer.attempts())).isEmpty();
        assertThat(Finishing.resultFile(transfer)).doesNotExist();
        assertThat(fixture.run(transfer, current, 1).state()).isEqualTo(TransferResult.State.COMPLETE);
        assertThat(fixture.finish(transfer, old).state()).isEqualTo(TransferResult.State.SUPERSEDED);
        assertThat(TransferResult.read(Finishing.resultFile(transfer)).map(TransferResult::generation))
                .contains(current);
        fixture.isCopied();
    }

    @Test
    void cancelledItStopsAtTheNextHeartbeatAndResumedItGoesOn() throws Exception {
        TransferDirectory transfer = fixture.planned(3);
        int generation = fixture.transfers().start(transfer);
        AtomicReference<@Nullable WorkResult> ended = new AtomicReference<>();
        // So slow that it does not end before.
        FaultInjectingCalls slow = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.OPENAT).delays(Duration.ofMillis(50)));
        Thread working = Thread.ofPlatform().start(() -> {
            try {
                ended.set(Worker.of(slow, transfer, generation)
                        .withThreads(1)
                        .work(fixture.listener(), new Progress(), new Cancellation()));
            } catch (IOException e) {
                fixture.notices().add(e.toString());
            }
        });
        while (Attempts.atBatches(transfer).newest().isEmpty()) {
            Thread.sleep(10);
        }
        fixture.transfers().cancel(transfer);
        working.join();
        assertThat(ended.get()).as(fixture.notices().toString())
                .extracting(WorkResult::ending)
                .isEqualTo(WorkResult.Ending.SUPERSEDED);
        assertThat(fixture.transfers().status(transfer).state()).isEqualTo(TransferStatus.State.CANCELLED);
        assertThat(fixture.finish(transfer, generation).state()).isEqualTo(TransferResult.State.SUPERSEDED);
        isComplete(transfer);
    }

    @Test
    void askedToStopItWritesThatDownAndAnotherOfTheSameGenerationGoesOn() throws IOException {
        TransferDirectory transfer = fixture.planned(3);
        int generation = fixture.transfers().start(transfer);
        Cancellation stop = new Cancellation();
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.OPENAT).named("small1").runs(invocation -> stop.cancel()));
        WorkResult stopped = Worker.of(calls, transfer, generation)
                .withThreads(1)
                .work(fixture.listener(), new Progress(), stop);
        assertThat(stopped.ending()).isEqualTo(WorkResult.Ending.STOPPED);
        assertThat(fixture.work(transfer, generation).ending()).isEqualTo(WorkResult.Ending.DONE);
        assertThat(fixture.finish(transfer, generation).state()).isEqualTo(TransferResult.State.COMPLETE);
        fixture.isCopied();
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
    void aWorkerThatDiedWithoutAWordIsTakenOverInTheSameGeneration() throws IOException {
        fixture.withTiming(TransferFixture.FAST);
        TransferDirectory transfer = fixture.planned(3);
        int generation = fixture.transfers().start(transfer);
        Optional<JournalWriter> dead = Attempts.atBatches(transfer).claim(new AttemptName(1, 1), generation);
        dead.orElseThrow().close();
        // One that died even before it wrote its header.
        Files.createFile(transfer.attempts().resolve("2.1.journal"));
        assertThat(fixture.work(transfer, generation).batches()).isEqualTo(3);
        assertThat(fixture.finish(transfer, generation).state()).isEqualTo(TransferResult.State.COMPLETE);
        assertThat(transfer.attempts().resolve("1.2.journal")).exists();
        assertThat(transfer.attempts().resolve("2.2.journal")).exists();
        fixture.isCopied();
    }

    @Test
    void aLiveWorkerKeepsItsBatch() throws IOException {
        TransferDirectory transfer = fixture.planned(3);
        int generation = fixture.transfers().start(transfer);
        try (JournalWriter live = Attempts.atBatches(transfer).claim(new AttemptName(1, 1), generation).orElseThrow()) {
            WorkResult result = fixture.work(transfer, generation);
            assertThat(result.ending()).isEqualTo(WorkResult.Ending.DONE);
            assertThat(result.batches()).isBetween(2, 3);
            live.flush();
        }
    }

    @Test
    void withoutTheSourceOrTheDestinationNothingIsWritten() throws IOException {
        TransferDirectory transfer = fixture.planned(3);
        int generation = fixture.transfers().start(transfer);
        Path token = fixture.token(transfer);
        Files.delete(token);
        assertThatThrownBy(() -> fixture.work(transfer, generation)).isInstanceOf(WrongMountException.class)
                .hasMessageContaining(token.getFileName().toString());
        Files.writeString(token, "");
        Path away = fixture.directory().resolve("away");
        Files.move(fixture.source(), away);
        Files.createDirectory(fixture.source());
        assertThatThrownBy(() -> fixture.work(transfer, generation)).isInstanceOf(WrongMountException.class)
                .hasMessageContaining("none of what was planned");
        assertThat(fixture.target()).doesNotExist();
        assertThat(TransferFixture.names(transfer.attempts())).isEmpty();
        assertThat(fixture.finish(transfer, generation).state()).isEqualTo(TransferResult.State.INCOMPLETE);
        Files.delete(fixture.source());
        Files.move(away, fixture.source());
        isComplete(transfer);
        // Finished, the token is gone; the directory itself is known now.
        isComplete(transfer);
        Files.move(fixture.directory().resolve("D"), away);
        Files.createDirectory(fixture.directory().resolve("D"));
        int next = fixture.transfers().resume(transfer);
        assertThatThrownBy(() -> fixture.work(transfer, next)).isInstanceOf(WrongMountException.class);
        assertThat(fixture.target()).doesNotExist();
    }

    @Test
    void aPlanThatGrowsIsWorkedOnWhileItDoes() throws Exception {
        TransferDirectory transfer = fixture.create();
        Files.writeString(fixture.token(transfer), "");
        int generation = fixture.transfers().start(transfer);
        SmallPlan plan = SmallPlan.of(fixture.source(), 6);
        AtomicReference<@Nullable Object> ended = new AtomicReference<>();
        try (PlanWriter writer = PlanWriter.create(transfer.plan(),
                fixture.header(transfer, TransferFixture.options()))) {
            writer.probes(plan.probes());
            Thread working = Thread.ofPlatform().start(() -> {
                try {
                    ended.set(fixture.run(transfer, generation, 3));
                } catch (IOException e) {
                    ended.set(e);
                }
            });
            for (List<ManifestEntry> batch : plan.batches()) {
                writer.addBatch(batch);
                Thread.sleep(100);
            }
            assertThat(ended.get()).isNull();
            plan.end(writer);
            working.join();
        }
        assertThat(ended.get()).isInstanceOfSatisfying(TransferResult.class,
                result -> assertThat(result.state()).isEqualTo(TransferResult.State.COMPLETE));
        fixture.isCopied();
    }

    @Test
    void whenThePlannerDiesTheWorkersEndAndItIsPlannedAgain() throws Exception {
        fixture.withTiming(TransferFixture.FAST);
        TransferDirectory transfer = fixture.create();
        Files.writeString(fixture.token(transfer), "");
        int generation = fixture.transfers().start(transfer);
        SmallPlan plan = SmallPlan.of(fixture.source(), 6);
        try (PlanWriter writer = PlanWriter.create(transfer.plan(),
                fixture.header(transfer, TransferFixture.options()))) {
            writer.probes(plan.probes());
            writer.addBatch(plan.batches().getFirst());
            Files.writeString(Plan.heartbeat(transfer.plan()), "");
        }
        assertThat(fixture.work(transfer, generation).ending()).isEqualTo(WorkResult.Ending.PLANNER_DIED);
        TransferResult result = fixture.finish(transfer, generation);
        assertThat(result.state()).isEqualTo(TransferResult.State.INCOMPLETE);
        assertThat(result.problem()).contains("plans again");
        assertThat(fixture.transfers().needsPlan(transfer)).isTrue();

        int next = fixture.transfers().resume(transfer);
        fixture.transfers().removePlan(transfer);
        SmallPlan.of(fixture.source(), 3).write(transfer.plan(), fixture.header(transfer, TransferFixture.options()));
        assertThat(fixture.run(transfer, next, 2).state()).isEqualTo(TransferResult.State.COMPLETE);
        fixture.isCopied();
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
        // As if an attempt had begun with the names again, and died when one of them was done.
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
        isComplete(transfer);
    }

    @Test
    void whatIsNotYetDurableIsDoneAgain() throws IOException {
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
        // As after a crash of the node: the journal without its last mark, and the files gone that it does not cover.
        Files.write(journal, Arrays.copyOf(Files.readAllBytes(journal), marks.getFirst().intValue()));
        TreeRemoval.remove(Linux.calls(), fixture.target());
        isComplete(transfer);
    }
}
