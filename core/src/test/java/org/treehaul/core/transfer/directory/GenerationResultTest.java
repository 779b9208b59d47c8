// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.directory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.transfer.TransferFixture;
import org.treehaul.core.transfer.TransferStatus;

/** Transfers that are finished and cancelled at the same moment. */
class GenerationResultTest {

    private TransferFixture fixture;
    private TransferDirectory transfer;
    private int generation;

    @BeforeEach
    void begin() throws IOException {
        fixture = TransferFixture.onTmpfs();
        transfer = fixture.planned(3);
        generation = fixture.transfers().start(transfer);
    }

    @AfterEach
    void end() {
        fixture.close();
    }

    private TransferStatus.State state() throws IOException {
        return fixture.transfers().status(transfer).state();
    }

    private static TransferResult complete(int generation) {
        return TransferResult.empty(generation, TransferResult.State.COMPLETE, "");
    }

    @Test
    void aTransferThatCompletedBeforeItsCancellationStaysComplete() throws IOException {
        assertThat(fixture.run(transfer, generation, 1).state()).isEqualTo(TransferResult.State.COMPLETE);
        assertThat(fixture.transfers().cancel(transfer)).isEmpty();
        assertThat(fixture.transfers().cancel(transfer, generation)).isEmpty();
        assertThat(state()).isEqualTo(TransferStatus.State.COMPLETE);
        assertThat(transfer.generations().newest()).isEqualTo(generation);
        // Its script may be run by hand, or its job be put back into the queue.
        assertThat(fixture.finish(transfer, generation).state()).isEqualTo(TransferResult.State.COMPLETE);
    }

    @Test
    void aTransferCancelledBeforeItsResultIsRecordedHasNone() throws IOException {
        fixture.work(transfer, generation);
        // The cancelling process has got this far when finishing writes its result.
        assertThat(GenerationResult.of(transfer, generation).cancel()).isTrue();
        assertThat(fixture.finish(transfer, generation).state()).isEqualTo(TransferResult.State.SUPERSEDED);
        assertThat(fixture.transfers().status(transfer).result()).isEmpty();
        // If it had died there, another process would do it.
        assertThat(fixture.transfers().cancel(transfer)).hasValue(generation + 1);
        assertThat(state()).isEqualTo(TransferStatus.State.CANCELLED);
        fixture.completes(transfer);
        assertThat(state()).isEqualTo(TransferStatus.State.COMPLETE);
    }

    @Test
    void eitherFinishingOrCancellingCounts() throws Exception {
        CyclicBarrier both = new CyclicBarrier(2);
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            for (int i = 100; i < 400; i++) {
                TransferResult result = complete(i);
                GenerationResult end = GenerationResult.of(transfer, i);
                Future<Boolean> finished = threads.submit(at(both, () -> end.record(result)));
                Future<Boolean> cancelled = threads.submit(at(both, end::cancel));
                assertThat(finished.get()).as("generation " + i).isNotEqualTo(cancelled.get());
                assertThat(end.result().isPresent()).isEqualTo(finished.get());
            }
        }
    }

    private static Callable<Boolean> at(CyclicBarrier both, Callable<Boolean> call) {
        return () -> {
            both.await();
            return call.call();
        };
    }

    @Test
    void anIncompleteTransferStaysCancelledWhateverIsRecordedLater() throws IOException {
        GenerationResult end = GenerationResult.of(transfer, generation);
        assertThat(fixture.finish(transfer, generation).state()).isEqualTo(TransferResult.State.INCOMPLETE);
        assertThat(end.cancel()).isTrue();
        assertThat(end.record(complete(generation))).isFalse();
        assertThat(end.result().map(TransferResult::state)).contains(TransferResult.State.INCOMPLETE);
    }

    @Test
    void aTruncatedFileIsNoResult() throws IOException {
        Files.createFile(transfer.path().resolve("generations/" + generation + ".end"));
        assertThat(fixture.run(transfer, generation, 1).state()).isEqualTo(TransferResult.State.SUPERSEDED);
        assertThat(fixture.transfers().cancel(transfer)).hasValue(generation + 1);
        fixture.completes(transfer);
    }

    @Test
    void theResultOfAnOlderProgramCountsForGoodToo() throws IOException {
        complete(generation).write(GenerationResult.provisionalFile(transfer));
        assertThat(fixture.transfers().cancel(transfer)).isEmpty();
        assertThat(state()).isEqualTo(TransferStatus.State.COMPLETE);
    }
}
