// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.transfer.directory.Timing;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.WorkerErrors;
import org.treehaul.core.transfer.journal.WorkInProgress;
import org.treehaul.core.transfer.work.WorkResult;
import org.treehaul.core.transfer.work.Worker;

/** A worker whose call hangs, as on a mount whose server is dead. */
class HangingWorkTest {

    private final TransferFixture fixture = TransferFixture.onTmpfs()
            .withTiming(new Timing(Duration.ofMillis(50), Duration.ofMinutes(5), Duration.ofMinutes(1), 1 << 30));
    private final CountDownLatch release = new CountDownLatch(1);

    @AfterEach
    void close() {
        release.countDown();
        fixture.close();
    }

    private void hang() {
        try {
            release.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private CompletableFuture<WorkResult> work(TransferDirectory transfer, int generation, Call hanging, Call... more) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return Worker
                        .of(FaultInjectingCalls.over(Linux.calls(), Fault.on(hanging, more).runs(i -> hang())),
                                transfer, generation)
                        .withThreads(1)
                        .work(fixture.listener(), new Progress(), new Cancellation());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    private BatchStatus batch(TransferDirectory transfer) throws IOException {
        return fixture.transfers().status(transfer).batches().getFirst();
    }

    private void isNamed(TransferDirectory transfer, String path) throws IOException {
        int generation = fixture.transfers().start(transfer);
        CompletableFuture<WorkResult> working = work(transfer, generation, Call.READ, Call.PREAD, Call.COPY_FILE_RANGE);
        // An early heartbeat may see the root.
        await().until(() -> batch(transfer).current()
                .entries()
                .stream()
                .map(WorkInProgress.Entry::path)
                .toList()
                .equals(List.of(path)));
        List<WorkInProgress.Entry> entries = batch(transfer).current().entries();
        // It stays the same entry, since the same time.
        await().until(() -> batch(transfer).current()
                .lastProgress()
                .flatMap(moved -> batchReported(transfer).map(at -> Duration.between(moved, at).toMillis() > 200))
                .orElse(false));
        assertThat(batch(transfer).current().entries()).isEqualTo(entries);
        release.countDown();
        assertThat(working.join().ending()).isEqualTo(WorkResult.Ending.DONE);
        assertThat(batch(transfer).current()).isEqualTo(WorkInProgress.none());
    }

    private Optional<Instant> batchReported(TransferDirectory transfer) {
        try {
            return batch(transfer).reported();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void theStatusNamesTheFileThatDoesNotMove() throws Exception {
        fixture.with(writer -> writer.file(ByteString.of("hung"), 1000, 1));
        isNamed(fixture.planned(1), fixture.source() + "/hung");
    }

    @Test
    void theStatusNamesTheChunkThatDoesNotMove() throws Exception {
        fixture.with(writer -> writer.file(ByteString.of("hung"), 2L * TransferFixture.CHUNK_BYTES, 1));
        isNamed(fixture.planned(1), fixture.source() + "/hung from byte 0");
    }

    @Test
    void theMountThatDoesNotAnswerIsRecordedUntilItDoes() throws Exception {
        fixture.with(writer -> writer.file(ByteString.of("f"), 1000, 1));
        TransferDirectory transfer = fixture.planned(1);
        int generation = fixture.transfers().start(transfer);
        CompletableFuture<WorkResult> working = work(transfer, generation, Call.STATX);
        WorkerErrors errors = WorkerErrors.of(transfer, generation);
        await().until(() -> !errors.messages().isEmpty());
        assertThat(errors.messages()).singleElement()
                .asString()
                .startsWith(fixture.source() + " has not answered on host ");
        release.countDown();
        assertThat(working.join().ending()).isEqualTo(WorkResult.Ending.DONE);
        assertThat(errors.messages()).isEmpty();
    }
}
