// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.sync.SyncOptions;
import org.treehaul.core.sync.SyncTrees;
import org.treehaul.core.testing.Campaign;
import org.treehaul.core.testing.TreeAssert;
import org.treehaul.core.testing.TreeListing;
import org.treehaul.core.transfer.FatalCalls;
import org.treehaul.core.transfer.TransferProcess;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.request.CopyRequest;
import org.treehaul.core.transfer.work.Worker;

/** Syncs by jobs whose workers or finishing are killed at any call, and then resumed. */
class KilledSyncTransferTest extends TransfersInMemory {

    private static final int FILES = 30;
    // A worker, and the finishing, of these trees make about these numbers of calls.
    private static final int CALLS_OF_WORKER = 300;
    private static final int CALLS_OF_FINISHING = 700;

    // A third of the files is equal, a third has other data, a third is missing; as many are only at the destination.
    private void makeTrees() throws IOException {
        Files.createDirectories(target);
        for (int i = 0; i < FILES; i++) {
            Path name = Path.of("d" + i % 3 + "/f" + i);
            Files.createDirectories(source.resolve(name).getParent());
            Files.createDirectories(target.resolve(name).getParent());
            Files.writeString(source.resolve(name), "new " + i);
            if (i % 3 > 0) {
                Files.writeString(target.resolve(name), i % 3 == 1 ? "old" : "new " + i);
            }
            if (i % 3 == 2) {
                Files.setLastModifiedTime(target.resolve(name), Files.getLastModifiedTime(source.resolve(name)));
            }
            Files.createDirectories(target.resolve("gone" + i % 4));
            Files.writeString(target.resolve("gone" + i % 4 + "/x" + i), "only here");
        }
        Files.createLink(source.resolve("link"), source.resolve("d0/f0"));
    }

    private BatchTransfer submitted() throws Exception {
        SyncRequest request = new SyncRequest(ByteString.of(source + "/"), bytes(target),
                SyncOptions.defaults().withDeletion(SyncOptions.Deletion.AFTER).withForced(true),
                CopyRequest.Batches.forWorkers(1), 1, ByteString.of("/"), 022);
        try (SyncSurvey survey = SyncSurvey.of(request, state, NO_LISTENER, new Progress(), cancellation)) {
            BatchTransfer transfer = BatchTransfer.create(state, jar, survey, JOBS, "a test", scheduler::named);
            submit(transfer);
            return transfer;
        }
    }

    private void killAt(Random random, boolean isWorker) throws Exception {
        makeTrees();
        TreeListing wanted = SyncTrees.listing(source);
        BatchTransfer transfer = submitted();
        if (isWorker) {
            try (TransferProcess worker = TransferProcess.worker(transfer.directory(), 1, 0,
                    FatalCalls.kill(random, CALLS_OF_WORKER))) {
                worker.await();
            }
        } else {
            Worker.of(Linux.calls(), transfer.directory(), 1).work(NO_LISTENER, new Progress(), cancellation);
            try (TransferProcess finishing = TransferProcess.finishing(transfer.directory(), 1,
                    FatalCalls.kill(random, CALLS_OF_FINISHING))) {
                finishing.await();
            }
        }
        for (int i = 0; i < FILES; i++) {
            Path file = target.resolve("d" + i % 3 + "/f" + i);
            if (i % 3 > 0) {
                assertThat(Files.readString(file)).isIn("new " + i, i % 3 == 1 ? "old" : "new " + i);
            }
        }
        if (transfer.status().result().isEmpty()) {
            work(transfer, transfer.resume().orElseThrow());
        }
        assertThat(transfer.status().result().orElseThrow().state()).isEqualTo(TransferResult.State.COMPLETE);
        TreeAssert.assertThat(SyncTrees.listing(source)).isCopyOf(wanted);
        TreeAssert.assertThat(SyncTrees.listing(target)).ignoring(TreeAssert.Aspect.HOLES).isCopyOf(wanted);
    }

    private void killAtSomeCalls(int cases, long seed) throws Exception {
        Random random = new Random(seed);
        for (int i = 0; i < cases; i++) {
            directory = Files.createDirectory(place.path().resolve("case" + i));
            makeDirectories();
            killAt(random, i % 3 == 0);
        }
    }

    @Test
    void killedAtAFewCallsItEndsRightWhenResumed() throws Exception {
        killAtSomeCalls(4, 1);
    }

    @Tag("campaign")
    @Test
    void killedAtManyCallsItEndsRightWhenResumed() throws Exception {
        killAtSomeCalls(Campaign.cases(150), Campaign.seed(2));
    }

    // The first ones are of the comparison, the last ones of the removals.
    @ParameterizedTest
    @ValueSource(ints = {20, 110, 160})
    void aLateFinishingRemovesNothingThatWasCreatedSince(int number) throws Exception {
        makeTrees();
        BatchTransfer transfer = submitted();
        Worker.of(Linux.calls(), transfer.directory(), 1).work(NO_LISTENER, new Progress(), cancellation);
        try (TransferProcess late = TransferProcess.finishing(transfer.directory(), 1, "STOP:" + number)) {
            assertThat(late.awaitStop()).as("stopped").isTrue();
            work(transfer, transfer.resume().orElseThrow());
            assertThat(transfer.status().result().orElseThrow().state()).isEqualTo(TransferResult.State.COMPLETE);
            for (int i = 0; i < FILES; i++) {
                Files.createDirectories(target.resolve("gone" + i % 4));
                Files.writeString(target.resolve("gone" + i % 4 + "/x" + i), "anew");
            }
            late.continueToItsEnd();
        }
        for (int i = 0; i < FILES; i++) {
            assertThat(target.resolve("gone" + i % 4 + "/x" + i)).hasContent("anew");
        }
    }
}
