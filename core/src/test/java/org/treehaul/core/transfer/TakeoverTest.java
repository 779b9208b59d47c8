// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.testing.TreeAssert;
import org.treehaul.core.testing.TreeRemoval;
import org.treehaul.core.transfer.batch.Claims;
import org.treehaul.core.transfer.directory.GenerationResult;
import org.treehaul.core.transfer.directory.Generations;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.journal.AttemptName;
import org.treehaul.core.transfer.journal.Attempts;
import org.treehaul.core.transfer.journal.FinishingHistory;
import org.treehaul.core.transfer.journal.JournalWriter;
import org.treehaul.core.transfer.work.WorkResult;
import org.treehaul.core.transfer.work.Worker;

/** Batches that change hands: of stopped, dead, outdated and racing workers. */
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

    @Test
    void anOwnerThatWasSuspendedAndTakenOverChangesNothingWhenItContinues() throws Exception {
        fixture.withTiming(TransferFixture.FAST);
        int stopped = 0;
        for (long seed = 1; seed <= 6; seed++) {
            TransferDirectory transfer = fixture.planned(3);
            int generation = fixture.transfers().start(transfer);
            try (TransferProcess owner = TransferProcess.worker(transfer, generation, 0)) {
                TimeUnit.MILLISECONDS.sleep(new Random(seed).nextInt(200));
                // On a fast machine it may have done everything.
                stopped += owner.reaches("STOP") ? 1 : 0;
                // Until then it looks alive.
                TimeUnit.MILLISECONDS.sleep(200);
                // Waits until the owner's heartbeat is old enough, then does its batch too.
                assertThat(fixture.work(transfer, generation).ending()).isEqualTo(WorkResult.Ending.DONE);
                TransferResult result = fixture.finishAtLast(transfer, generation);
                assertThat(result.state()).isEqualTo(TransferResult.State.COMPLETE);
                fixture.isCopied();
                owner.reaches("CONT");
                owner.await();
            }
            // A write that it was about to make is made now: the same data, but a new time. FenceTest suspends it elsewhere.
            fixture.isCopiedWithout(TreeAssert.Aspect.TIMES);
            TreeRemoval.remove(Linux.calls(), fixture.target());
            fixture.transfers().forget(transfer);
        }
        assertThat(stopped).isPositive();
    }

    @Test
    void exactlyOneOfManyWorkersClaimsEachBatch() throws IOException {
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
        assertThat(GenerationResult.of(transfer, old).result()).isEmpty();
        assertThat(fixture.run(transfer, current, 1).state()).isEqualTo(TransferResult.State.COMPLETE);
        assertThat(fixture.finish(transfer, old).state()).isEqualTo(TransferResult.State.SUPERSEDED);
        assertThat(fixture.transfers().status(transfer).state()).isEqualTo(TransferStatus.State.COMPLETE);
        fixture.isCopied();
    }

    @Test
    void aCancelledWorkerStopsAtItsNextHeartbeatAndContinuesAfterAResume() throws Exception {
        TransferDirectory transfer = fixture.planned(3);
        int generation = fixture.transfers().start(transfer);
        AtomicReference<@Nullable WorkResult> ended = new AtomicReference<>();
        // Slow enough not to end before.
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
        fixture.completes(transfer);
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

    @Test
    void aWorkerThatDiedBeforeItsFirstRecordIsTakenOverInTheSameGeneration() throws IOException {
        TransferDirectory transfer = fixture.planned(3);
        int generation = fixture.transfers().start(transfer);
        Optional<JournalWriter> dead = Attempts.atBatches(transfer).claim(new AttemptName(1, 1), generation);
        dead.orElseThrow().close();
        // An attempt that died even before it wrote its header.
        Files.createFile(transfer.attempts().resolve("2.1.journal"));
        for (int batch = 1; batch <= 2; batch++) {
            TransferFixture.age(transfer.attempts().resolve(batch + ".1.journal"), Duration.ofHours(1));
        }
        assertThat(fixture.work(transfer, generation).batches()).isEqualTo(3);
        assertThat(fixture.finish(transfer, generation).state()).isEqualTo(TransferResult.State.COMPLETE);
        assertThat(transfer.attempts().resolve("1.2.journal")).exists();
        assertThat(transfer.attempts().resolve("2.2.journal")).exists();
        fixture.isCopied();
    }

    private static Claims.Next next(TransferDirectory transfer, int generation) throws IOException {
        try (Claims claims = new Claims(transfer, generation, 0, FinishingHistory.read(transfer))) {
            Claims.Next next = claims.next(Plan.open(transfer.plan()));
            if (next instanceof Claims.Claimed claimed) {
                claimed.journal().close();
            }
            return next;
        }
    }

    @Test
    void aClaimIsNeverSeenWithoutItsMaker() throws Exception {
        TransferDirectory transfer = fixture.planned(1);
        Attempts attempts = Attempts.atBatches(transfer);
        CompletableFuture<Void> watching = CompletableFuture.runAsync(() -> {
            for (AttemptName name = new AttemptName(0, 1); name.number() <= 500;) {
                try {
                    if (attempts.exists(name)) {
                        assertThat(attempts.header(name)).isPresent();
                        name = name.next();
                    }
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        });
        for (AttemptName name = new AttemptName(0, 1); name.number() <= 500; name = name.next()) {
            attempts.claim(name, 1).orElseThrow().close();
            assertThat(attempts.claim(name, 1)).isEmpty();
        }
        watching.join();
        assertThat(TransferFixture.names(transfer.attempts())).hasSize(500);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void afterAForcedResumeWhoMayLiveIsWaitedFor(boolean isForced) throws IOException {
        TransferDirectory transfer = fixture.planned(1);
        AttemptName old = new AttemptName(0, 1);
        Attempts attempts = Attempts.atBatches(transfer);
        attempts.claim(old, fixture.transfers().start(transfer)).orElseThrow().close();
        transfer.generations().raise(Generations.Reason.RESUME, isForced);
        int generation = transfer.generations().raise(Generations.Reason.RESUME);
        if (isForced) {
            assertThat(next(transfer, generation)).isInstanceOf(Claims.Wait.class);
            TransferFixture.age(attempts.journal(old), TransferFixture.CALM.takeover().plusSeconds(1));
        }
        assertThat(next(transfer, generation)).isInstanceOf(Claims.Claimed.class);
    }
}
