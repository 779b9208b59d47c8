// SPDX-License-Identifier: Apache-2.0
package org.treehaul.rigs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.copy.CopyOptions;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.plan.BatchLimits;
import org.treehaul.core.plan.PlanRequest;
import org.treehaul.core.plan.Planner;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.transfer.CopySettings;
import org.treehaul.core.transfer.Finishing;
import org.treehaul.core.transfer.Timing;
import org.treehaul.core.transfer.TransferDirectory;
import org.treehaul.core.transfer.TransferResult;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.WorkResult;
import org.treehaul.core.transfer.Worker;
import org.treehaul.core.walk.Cancellation;
import org.treehaul.core.walk.Root;
import org.treehaul.core.walk.WalkOptions;
import org.treehaul.strategies.Strategies;

/** A state directory that one of two workers sees through a mount that keeps attributes for longer than all of it. */
class CachedAttributesTest {

    private static final String CACHES = "attr_timeout=3600,entry_timeout=3600,ac_attr_timeout=3600";
    private static final Timing SOON = Timing.defaults().withHeartbeat(Duration.ofMillis(200), Duration.ofSeconds(2));

    private TestDirectory directory;
    private org.treehaul.core.transfer.Transfers transfers;
    private TransferDirectory transfer;
    private Bindfs cached;

    @BeforeEach
    void plan() throws Exception {
        directory = TestDirectory.make();
        Path source = Transfers.files(directory.directory("S"), 40, 1000);
        transfers = org.treehaul.core.transfer.Transfers.in(directory.resolve("state"));
        transfer = transfers.create("copy", "cp -a S T", SOON);
        PlanRequest.Pair pair = new PlanRequest.Pair(Root.of(ByteString.of(source.toString())),
                ByteString.of(directory.resolve("T").toString()));
        Planner.of(Linux.calls(),
                new PlanRequest(transfer.id().text(), List.of(pair), WalkOptions.defaults(), true,
                        PlanRequest.CHUNK_BYTES, Strategies.sizeBalanced(), BatchLimits.batches(2), 1, true,
                        new TreeMap<>(CopySettings.of(CopyOptions.archive().threads(1).build())), List.of()))
                .plan(transfer.plan(), EventListener.none(), new Progress(), new Cancellation());
        cached = Bindfs.show(directory.resolve("state"), directory.directory("cached"), CACHES);
    }

    @AfterEach
    void remove() {
        cached.close();
        directory.close();
    }

    private TransferDirectory behindTheCache() throws IOException {
        return TransferDirectory.open(cached.resolve("transfers").resolve(transfer.id().text()));
    }

    private static CompletableFuture<WorkResult> work(FileSystemCalls calls, TransferDirectory where, int generation,
            int index) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return Worker.of(calls, where, generation)
                        .withIndex(index)
                        .work(EventListener.none(), new Progress(), new Cancellation());
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }, Runnable::run);
    }

    @Test
    void aWorkerThatLivesIsNotTakenForDeadByAnOldAttribute() throws Exception {
        int generation = transfers.start(transfer);
        // It does a batch for longer than the time after which a silent one is taken over.
        FileSystemCalls slow = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.OPENAT).delays(Duration.ofMillis(200)));
        CompletableFuture<WorkResult> first = new CompletableFuture<>();
        Thread.ofPlatform().start(() -> first.complete(work(slow, transfer, generation, 0).join()));
        Path journal = transfer.path().resolve("attempts/0.1.journal");
        Awaitility.await().until(() -> Files.exists(journal));
        WorkResult second = work(Linux.calls(), behindTheCache(), generation, 1).join();
        assertThat(second.ending()).isEqualTo(WorkResult.Ending.DONE);
        assertThat(first.join().ending()).isEqualTo(WorkResult.Ending.DONE);
        assertThat(transfer.path().resolve("attempts/0.2.journal")).doesNotExist();
        assertThat(transfer.path().resolve("attempts/1.2.journal")).doesNotExist();
        assertThat(Finishing.of(Linux.calls(), transfer, generation)
                .finish(EventListener.none(), new Progress(), new Cancellation())
                .state()).isEqualTo(TransferResult.State.COMPLETE);
    }

    @Test
    void whatIsCompleteIsSaidToBeWholeThoughTheCountsAreOld() throws Exception {
        int generation = transfers.start(transfer);
        TransferDirectory seen = behindTheCache();
        org.treehaul.core.transfer.Transfers reading = org.treehaul.core.transfer.Transfers
                .reading(cached.resolve("."));
        FileSystemCalls slow = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.OPENAT).delays(Duration.ofMillis(50)));
        CompletableFuture<WorkResult> working = new CompletableFuture<>();
        Thread.ofPlatform().start(() -> working.complete(work(slow, transfer, generation, 0).join()));
        while (!working.isDone()) {
            reading.status(seen);
        }
        Finishing.of(Linux.calls(), transfer, generation)
                .finish(EventListener.none(), new Progress(), new Cancellation());
        TransferStatus status = reading.status(seen);
        assertThat(status.state()).isEqualTo(TransferStatus.State.COMPLETE);
        assertThat(status.percent()).isEqualTo(100);
    }
}
