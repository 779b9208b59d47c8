// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.transfer.batch.Claims;
import org.treehaul.core.transfer.directory.Heartbeat;
import org.treehaul.core.transfer.directory.Lease;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.directory.WrongMountException;
import org.treehaul.core.transfer.finish.Finishing;
import org.treehaul.core.transfer.journal.AttemptName;
import org.treehaul.core.transfer.journal.Attempts;
import org.treehaul.core.transfer.journal.FinishingHistory;
import org.treehaul.core.transfer.journal.JournalRecord;
import org.treehaul.core.transfer.journal.JournalWriter;
import org.treehaul.core.transfer.work.WorkResult;
import org.treehaul.core.transfer.work.Worker;

/** The last worker, after others have died. */
class LastWorkerTest {

    private final TransferFixture fixture = TransferFixture.onTmpfs();

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void aWorkerThatBeginsWhileAnotherFinishesDoesNotMissTheMount() throws IOException {
        fixture.with(TransferTest::tree);
        TransferDirectory transfer = fixture.planned(2);
        int generation = fixture.transfers().start(transfer);
        String token = String.valueOf(fixture.token(transfer).getFileName());
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.STATX).named(token).nth(1).runs(invocation -> {
                    fixture.work(transfer, generation);
                    assertThat(fixture.finish(transfer, generation).state()).isEqualTo(TransferResult.State.COMPLETE);
                }));

        WorkResult late = Worker.of(calls, transfer, generation)
                .work(fixture.listener(), new Progress(), new Cancellation());

        assertThat(fixture.token(transfer)).doesNotExist();
        assertThat(late.ending()).isEqualTo(WorkResult.Ending.DONE);
        assertThat(late.batches()).isZero();
    }

    @Test
    void aBatchWhoseWorkerDiedJustNowIsNotLeftToAResume() throws Exception {
        fixture.withTiming(TransferFixture.CALM.withHeartbeat(Duration.ofSeconds(20), Duration.ofSeconds(80)))
                .with(TransferTest::tree);
        TransferDirectory transfer = fixture.planned(2);
        int generation = fixture.transfers().start(transfer);
        Attempts attempts = Attempts.atBatches(transfer);
        AttemptName other = new AttemptName(1, 1);
        attempts.claim(other, generation).orElseThrow().close();
        CompletableFuture<WorkResult> working = new CompletableFuture<>();
        Thread worker = Thread.ofPlatform().start(() -> {
            try {
                working.complete(fixture.work(transfer, generation));
            } catch (IOException e) {
                working.completeExceptionally(e);
            }
        });
        // Waits until it examines the other's work, and has nothing else to do.
        Awaitility.await()
                .atMost(Duration.ofMinutes(2))
                .until(() -> working.isDone()
                        || attempts.exists(new AttemptName(0, 1)) && attempts.end(new AttemptName(0, 1)).isPresent());
        FileTime looked = looked(transfer);
        Awaitility.await()
                .atMost(Duration.ofMinutes(2))
                .until(() -> working.isDone() || !looked(transfer).equals(looked));
        assertThat(working).isNotDone();
        TransferFixture.age(attempts.journal(other), Duration.ofHours(1));
        worker.join();
        assertThat(working.join().batches()).isEqualTo(2);
        assertThat(fixture.finish(transfer, generation).state()).isEqualTo(TransferResult.State.COMPLETE);
        fixture.isCopied();
    }

    // Each check writes a file to read the server's time.
    private static FileTime looked(TransferDirectory transfer) throws IOException {
        for (String name : TransferFixture.names(transfer.progress())) {
            if (name.startsWith(".now-")) {
                return Files.getLastModifiedTime(transfer.progress().resolve(name));
            }
        }
        return FileTime.fromMillis(0);
    }

    @Test
    void theLastWorkerDoesNotWaitForLivingOnes() throws Exception {
        fixture.with(TransferTest::tree);
        TransferDirectory transfer = fixture.planned(2);
        int generation = fixture.transfers().start(transfer);
        try (JournalWriter living = Attempts.atBatches(transfer).claim(new AttemptName(1, 1), generation).orElseThrow();
                Heartbeat heartbeat = new Heartbeat(
                        new Lease(transfer.timing().takeover(), new Cancellation(), Lease.Moment.now()),
                        transfer.timing(), () -> {
                            Files.writeString(transfer.progress().resolve("1.1"), "alive");
                            return Optional.empty();
                        })) {
            heartbeat.start();
            assertThat(fixture.work(transfer, generation).batches()).isEqualTo(1);
            living.flush();
        }
    }

    private Optional<TransferResult> finishIfLast(TransferDirectory transfer, int generation) throws IOException {
        return Finishing.of(Linux.calls(), transfer, generation)
                .finishIfLast(fixture.listener(), new Progress(), new Cancellation());
    }

    private static TransferStatus.State state(TransferFixture fixture, TransferDirectory transfer) throws IOException {
        return fixture.transfers().status(transfer).state();
    }

    @Test
    void theLastWorkerFinishesAndThoseThatComeLaterFindNothingToDo() throws IOException {
        fixture.with(TransferTest::tree);
        TransferDirectory transfer = fixture.planned(2);
        int generation = fixture.transfers().start(transfer);
        assertThat(finishIfLast(transfer, generation)).as("before anything is copied").isEmpty();
        fixture.work(transfer, generation);
        assertThat(state(fixture, transfer)).as("before anybody finishes").isEqualTo(TransferStatus.State.WAITING);
        assertThat(fixture.transfers().status(transfer).isTried()).isTrue();
        TransferResult result = finishIfLast(transfer, generation).orElseThrow();
        assertThat(result.state()).isEqualTo(TransferResult.State.COMPLETE);
        assertThat(state(fixture, transfer)).isEqualTo(TransferStatus.State.COMPLETE);
        fixture.isCopied();
        // Held by the scheduler until now: not even the mounts matter.
        Files.move(fixture.source(), fixture.directory().resolve("away"));
        WorkResult late = fixture.work(transfer, generation);
        assertThat(late.ending()).isEqualTo(WorkResult.Ending.DONE);
        assertThat(late.batches()).isZero();
        assertThat(finishIfLast(transfer, generation)).isEmpty();
        assertThat(fixture.finish(transfer, generation)).isEqualTo(result);
        assertThat(TransferFixture.names(transfer.finish())).filteredOn(name -> name.endsWith(".journal")).hasSize(1);
    }

    @Test
    void aWorkerThatEndsEarlierLeavesFinishingToTheLast() throws IOException {
        fixture.with(TransferTest::tree);
        TransferDirectory transfer = fixture.planned(2);
        int generation = fixture.transfers().start(transfer);
        try (JournalWriter other = Attempts.atBatches(transfer)
                .claim(new AttemptName(1, 1), generation)
                .orElseThrow()) {
            try (Claims claims = new Claims(transfer, generation, 0, FinishingHistory.read(transfer))) {
                assertThat(claims.next(Plan.open(transfer.plan()))).isInstanceOf(Claims.Claimed.class);
            }
            assertThat(finishIfLast(transfer, generation)).isEmpty();
            other.flush();
        }
        assertThat(TransferFixture.names(transfer.finish())).isEmpty();
    }

    @Test
    void aBatchThatGaveUpIsReportedByTheJobThatFinishes() throws IOException {
        fixture.with(TransferTest::tree);
        TransferDirectory transfer = fixture.planned(1);
        int generation = fixture.transfers().start(transfer);
        try (JournalWriter other = Attempts.atBatches(transfer)
                .claim(new AttemptName(0, 1), generation)
                .orElseThrow()) {
            other.end(new JournalRecord.End(JournalRecord.Ending.GAVE_UP, 0, 0, 0, 0));
        }
        assertThat(finishIfLast(transfer, generation)).isEmpty();
        assertThat(fixture.finish(transfer, generation).state()).isEqualTo(TransferResult.State.INCOMPLETE);
    }

    @Test
    void afterAResumeTheFailuresAreTriedAgainBeforeAnybodyFinishes() throws IOException {
        fixture.with(TransferTest::tree);
        TransferDirectory transfer = fixture.planned(2);
        int generation = fixture.transfers().start(transfer);
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.OPENAT).named("small1").fails(Errno.EACCES));
        Worker.of(calls, transfer, generation).work(fixture.listener(), new Progress(), new Cancellation());
        assertThat(finishIfLast(transfer, generation).orElseThrow().state()).isEqualTo(TransferResult.State.PARTIAL);
        int resumed = fixture.transfers().resume(transfer);
        // A worker that takes only the batches of its own host may end while those of other hosts wait in a queue.
        assertThat(finishIfLast(transfer, resumed)).isEmpty();
        fixture.work(transfer, resumed);
        assertThat(finishIfLast(transfer, resumed).orElseThrow().state()).isEqualTo(TransferResult.State.COMPLETE);
        fixture.isCopied();
    }

    @Test
    void aWorkerThatIsStoppedWhileItFinishesLeavesThatToTheNext() throws IOException {
        fixture.with(TransferTest::tree);
        TransferDirectory transfer = fixture.planned(2);
        int generation = fixture.transfers().start(transfer);
        fixture.work(transfer, generation);
        Cancellation stop = new Cancellation();
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.SYNCFS).runs(invocation -> stop.cancel()));
        TransferResult stopped = Finishing.of(calls, transfer, generation)
                .finishIfLast(fixture.listener(), new Progress(), stop)
                .orElseThrow();
        assertThat(stopped.state()).isEqualTo(TransferResult.State.STOPPED);
        assertThat(state(fixture, transfer)).as("the job that finishes is still to come")
                .isEqualTo(TransferStatus.State.WAITING);
        assertThat(finishIfLast(transfer, generation).orElseThrow().state()).isEqualTo(TransferResult.State.COMPLETE);
        fixture.isCopied();
    }

    @Test
    void theFinishingJobRetriesAFinishThatFailedInAWorker() throws IOException {
        fixture.with(TransferTest::tree);
        TransferDirectory transfer = fixture.planned(2);
        int generation = fixture.transfers().start(transfer);
        fixture.work(transfer, generation);
        Path away = fixture.directory().resolve("away");
        Files.move(fixture.source(), away);
        assertThatThrownBy(() -> finishIfLast(transfer, generation)).isInstanceOf(WrongMountException.class);
        Files.move(away, fixture.source());
        assertThat(fixture.transfers().status(transfer).result()).isEmpty();
        assertThat(finishIfLast(transfer, generation)).isEmpty();
        assertThat(fixture.finish(transfer, generation).state()).isEqualTo(TransferResult.State.COMPLETE);
        fixture.isCopied();
    }

    @Test
    void aWorkerThatIsKilledWhileItFinishesIsTakenOverByAnother() throws Exception {
        fixture.withTiming(TransferFixture.FAST).with(writer -> {
            TransferTest.tree(writer);
            for (int i = 0; i < 1000; i++) {
                writer.directory(ByteString.of("many/" + i));
            }
        });
        TransferDirectory transfer = fixture.planned(2);
        int generation = fixture.transfers().start(transfer);
        fixture.work(transfer, generation);
        Attempts finishing = Attempts.atFinishing(transfer);
        try (TransferProcess killed = TransferProcess.last(transfer, generation)) {
            while (!finishing.exists(new AttemptName(generation, 1))) {
                Thread.sleep(1);
            }
            killed.kill();
        }
        Optional<TransferResult> result = finishIfLast(transfer, generation);
        // On a busy machine a short lease lapses for live workers too.
        while (result.isPresent() && result.get().state() == TransferResult.State.STOPPED) {
            result = finishIfLast(transfer, generation);
        }
        assertThat(state(fixture, transfer)).isEqualTo(TransferStatus.State.COMPLETE);
        fixture.isCopied();
    }
}
