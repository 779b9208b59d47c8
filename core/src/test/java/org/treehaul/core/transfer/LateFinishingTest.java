// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.transfer.directory.Lease;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.finish.Finishing;
import org.treehaul.core.transfer.finish.FinishingRun;
import org.treehaul.core.transfer.journal.AttemptName;
import org.treehaul.core.transfer.journal.Attempts;
import org.treehaul.core.transfer.journal.JournalWriter;

/** A finishing process that is stopped, overtaken by another, and continues. */
class LateFinishingTest {

    private final TransferFixture fixture = TransferFixture.onTmpfs();

    @AfterEach
    void close() {
        fixture.close();
    }

    /** Runs an action once, as if the process were stopped in a call at that time. */
    private static final class Meanwhile {
        private final AtomicBoolean was = new AtomicBoolean();

        /** An action that may throw. */
        interface Action {
            void run() throws IOException, InterruptedException;
        }

        void once(Action action) {
            if (!was.getAndSet(true)) {
                try {
                    action.run();
                    // Waits for some heartbeats, so that the process notices when it continues.
                    Thread.sleep(300);
                } catch (IOException | InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        }
    }

    private void finishLate(TransferDirectory transfer, int generation, Meanwhile meanwhile, Fault... faults)
            throws IOException {
        TransferResult late = Finishing.of(FaultInjectingCalls.over(Linux.calls(), faults), transfer, generation)
                .finish(fixture.listener(), new Progress(), new Cancellation());
        assertThat(late.state()).isEqualTo(TransferResult.State.SUPERSEDED);
        assertThat(meanwhile.was).isTrue();
    }

    private void resumed(TransferDirectory transfer) throws IOException {
        assertThat(fixture.run(transfer, fixture.transfers().resume(transfer), 1).state())
                .isEqualTo(TransferResult.State.COMPLETE);
    }

    @Test
    void lateFinishingReportsNothingOfALargeFileThatChangedSince() throws IOException {
        ByteString large = ByteString.of("large");
        fixture.with(writer -> writer.file(large, 3L * TransferFixture.CHUNK_BYTES, 1));
        TransferDirectory transfer = fixture.planned(1);
        int generation = fixture.transfers().start(transfer);
        fixture.work(transfer, generation);
        Meanwhile meanwhile = new Meanwhile();
        finishLate(transfer, generation, meanwhile, Fault.on(Call.SYNCFS).runs(invocation -> meanwhile.once(() -> {
            // The file has its name by now. A resume detects that its chunks are of another version.
            fixture.with(writer -> writer.flipByte(large, 5));
            assertThat(fixture.run(transfer, fixture.transfers().resume(transfer), 1).state())
                    .isEqualTo(TransferResult.State.PARTIAL);
        })));
        resumed(transfer);
        assertThat(Files.mismatch(fixture.target().resolve("large"), fixture.source().resolve("large"))).isEqualTo(-1);
    }

    @Test
    void stepsForbiddenByALapsedLeaseAreNoFailuresOfTheTransfer() throws IOException {
        fixture.with(TransferTest::tree);
        TransferDirectory transfer = fixture.planned(1);
        int generation = fixture.transfers().start(transfer);
        fixture.work(transfer, generation);
        Lease.Moment begin = Lease.Moment.now();
        Duration late = Duration.ofMinutes(1);
        AtomicBoolean isLate = new AtomicBoolean();
        Cancellation stop = new Cancellation();
        Lease lease = new Lease(Duration.ofSeconds(30), stop, begin,
                () -> isLate.get()
                        ? new Lease.Moment(begin.nanos() + late.toNanos(), begin.millis() + late.toMillis())
                        : begin);
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.FCHMOD).nth(9).runs(invocation -> isLate.set(true)));
        try (JournalWriter journal = Attempts.atFinishing(transfer)
                .claim(new AttemptName(generation, 1), generation)
                .orElseThrow()) {
            TransferResult result = new FinishingRun(calls, transfer, generation, 0, journal, lease,
                    lease.whileGood(fixture.listener()), new Progress(), stop).finish();
            assertThat(isLate).isTrue();
            assertThat(result.state()).isEqualTo(TransferResult.State.STOPPED);
            assertThat(result.failed()).isZero();
        }
        assertThat(fixture.failures()).isEmpty();
    }

    @Test
    @Tag("rig")
    void lateFinishingRecordsNoResultAndLeavesTheFilesOfTheOther() throws Exception {
        fixture.withTiming(TransferFixture.CALM.withHeartbeat(Duration.ofMillis(50), Duration.ofSeconds(6)))
                .with(writer -> {
                    TransferTest.tree(writer);
                    for (int i = 0; i < 4000; i++) {
                        writer.directory(ByteString.of("many/" + i));
                    }
                });
        TransferDirectory transfer = fixture.planned(2);
        int generation = fixture.transfers().start(transfer);
        fixture.work(transfer, generation);
        Attempts attempts = Attempts.atFinishing(transfer);
        try (TransferProcess first = TransferProcess.finishing(transfer, generation)) {
            while (!attempts.exists(new AttemptName(generation, 1))) {
                Thread.sleep(1);
            }
            first.signal("STOP");
            FaultInjectingCalls slow = FaultInjectingCalls.over(Linux.calls(),
                    Fault.on(Call.OPENAT).delays(Duration.ofMillis(1)));
            CompletableFuture<TransferResult> second = CompletableFuture.supplyAsync(() -> {
                try {
                    return Finishing.of(slow, transfer, generation)
                            .finish(fixture.listener(), new Progress(), new Cancellation());
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            });
            while (!attempts.exists(new AttemptName(generation, 2))) {
                Thread.sleep(1);
            }
            first.signal("CONT");
            assertThat(first.await()).last().asString().contains("SUPERSEDED");
            assertThat(second.join().state()).isEqualTo(TransferResult.State.COMPLETE);
        }
        assertThat(fixture.transfers().status(transfer).state()).isEqualTo(TransferStatus.State.COMPLETE);
        fixture.isCopied();
    }
}
