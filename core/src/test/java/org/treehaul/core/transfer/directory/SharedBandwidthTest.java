// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.directory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.state.StateFile;
import org.treehaul.core.transfer.TransferFixture;
import org.treehaul.core.transfer.TransferRunner;
import org.treehaul.core.transfer.TransferTest;
import org.treehaul.core.transfer.work.WorkResult;
import org.treehaul.core.transfer.work.Worker;

/** Processes of one transfer that share its limit. */
class SharedBandwidthTest {

    private static final long LIMIT = 2 << 20;
    private static final int FILES = 40;
    private static final int SIZE = 100_000;

    private final TransferFixture fixture = TransferFixture.onTmpfs();

    @AfterEach
    void close() {
        fixture.close();
    }

    private TransferDirectory planned(long limit) {
        fixture.with(
                writer -> IntStream.range(0, FILES).forEach(i -> writer.file(TransferTest.path("f" + i), SIZE, i)));
        return fixture.planned(8, TransferFixture.options().toBuilder().bandwidth(limit).build());
    }

    private TransferResult run(TransferDirectory transfer) throws IOException {
        return TransferRunner.of(Linux.calls(), transfer)
                .withWorkers(4)
                .run(fixture.transfers().start(transfer), event -> {}, new Progress(), new Cancellation());
    }

    private static void hasNoWorker(TransferDirectory transfer) throws IOException {
        try (Stream<Path> files = Files.list(transfer.path().resolve("bandwidth"))) {
            assertThat(files.map(file -> file.getFileName().toString()).filter(name -> !name.equals("limit")))
                    .isEmpty();
        }
    }

    @Test
    void fourWorkersTogetherAreNotFasterThanTheLimit() throws Exception {
        TransferDirectory transfer = planned(LIMIT);
        long start = System.nanoTime();
        assertThat(run(transfer).state()).isEqualTo(TransferResult.State.COMPLETE);
        // A portion for each of the two threads of each worker is granted immediately.
        double least = (FILES * SIZE - 8 * LIMIT / 40.0) / LIMIT;
        assertThat((System.nanoTime() - start) * 1e-9).isGreaterThan(least * 0.8);
        fixture.isCopied();
        hasNoWorker(transfer);
    }

    @Test
    void aLimitThatWouldTakeAWeekIsLiftedWhileTheTransferRuns() throws Exception {
        TransferDirectory transfer = planned(5);
        Thread other = Thread.ofPlatform().start(() -> {
            try {
                Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> processes(transfer).size() == 4);
                fixture.transfers().limitBandwidth(transfer, 0);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        assertThat(run(transfer).state()).isEqualTo(TransferResult.State.COMPLETE);
        other.join();
        assertThat(fixture.transfers().bandwidth(transfer)).isZero();
        fixture.isCopied();
        hasNoWorker(transfer);
    }

    @Test
    void theLimitOfThePlanHoldsUntilAnotherIsSet() throws Exception {
        TransferDirectory transfer = planned(LIMIT);
        assertThat(fixture.transfers().bandwidth(transfer)).isEqualTo(LIMIT);
        fixture.transfers().limitBandwidth(transfer, 7_000_000);
        fixture.transfers().limitBandwidth(transfer, 8_000_000);
        assertThat(fixture.transfers().bandwidth(transfer)).isEqualTo(8_000_000);
    }

    @Test
    void aNewWorkerMovesNothingUntilTheOthersGiveItAShare() throws Exception {
        TransferDirectory transfer = planned(LIMIT);
        try (SharedBandwidth first = SharedBandwidth.join(transfer, 1, LIMIT)) {
            await(first, LIMIT);
            try (SharedBandwidth second = SharedBandwidth.join(transfer, 1, LIMIT)) {
                assertThat(second.limiter().rate()).isLessThanOrEqualTo(LIMIT / 2 + LIMIT / 16);
                await(second, LIMIT / 2);
                await(first, LIMIT / 2);
            }
            await(first, LIMIT);
        }
        hasNoWorker(transfer);
    }

    @Test
    void aWorkerThatComesBackUsesTheShareThatWasKept() throws Exception {
        TransferDirectory transfer = planned(LIMIT);
        int generation = fixture.transfers().start(transfer);
        try (BandwidthShares shares = new BandwidthShares()) {
            SharedBandwidth first = shares.join(transfer, generation, LIMIT);
            await(first, LIMIT);
            WorkResult result = Worker.of(Linux.calls(), transfer, generation)
                    .withBandwidth(shares)
                    .work(event -> {}, new Progress(), new Cancellation());
            assertThat(result.ending()).isEqualTo(WorkResult.Ending.DONE);
            assertThat(first.limiter().taken()).isEqualTo((long) FILES * SIZE);
            assertThat(processes(transfer)).hasSize(1);
            assertThat(shares.join(transfer, generation, LIMIT)).isSameAs(first);
            shares.keepOnly(Set.of(transfer.id().text()));
            assertThat(processes(transfer)).hasSize(1);
            shares.keepOnly(Set.of());
            hasNoWorker(transfer);
            shares.join(transfer, generation, LIMIT);
            shares.leave(transfer.id().text());
            hasNoWorker(transfer);
        }
    }

    @Test
    void aDeadProcessCountsUntilItsLeaseHasLapsed() throws Exception {
        TransferDirectory transfer = planned(LIMIT);
        int generation = 1;
        try (SharedBandwidth first = SharedBandwidth.join(transfer, 1, LIMIT)) {
            Path dead = transfer.path().resolve("bandwidth/elsewhere-1-dead");
            StateFile.empty().with("bytes-per-second", 0).with("generation", generation).replace(dead, false);
            StateFile.empty()
                    .with("bytes-per-second", 0)
                    .with("generation", 0)
                    .replace(transfer.path().resolve("bandwidth/elsewhere-2-old"), false);
            await(first, LIMIT / 2);
            TransferFixture.age(dead, transfer.timing().takeover().dividedBy(2).plusSeconds(1));
            await(first, LIMIT);
        }
    }

    // Idle processes leave their share to others, and a new one begins as a busy one: the whole limit is reached
    // eventually.
    private static void await(SharedBandwidth process, long rate) {
        Awaitility.await()
                .atMost(Duration.ofMinutes(2))
                .untilAsserted(() -> assertThat(process.limiter().rate()).isBetween(rate * 9 / 10, rate));
    }

    private static List<String> processes(TransferDirectory transfer) throws IOException {
        return TransferFixture.names(transfer.path().resolve("bandwidth"))
                .stream()
                .filter(name -> !name.startsWith(".") && !name.equals("limit"))
                .toList();
    }
}
