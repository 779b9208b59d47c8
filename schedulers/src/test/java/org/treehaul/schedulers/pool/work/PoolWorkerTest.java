// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Future;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.state.StateFile;
import org.treehaul.core.testing.Installed;
import org.treehaul.core.transfer.BatchStatus;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.directory.SubmittedJobs;
import org.treehaul.core.transfer.request.CopyRequest;
import org.treehaul.core.transfer.request.JobOptions;
import org.treehaul.schedulers.JobState;
import org.treehaul.schedulers.Scheduler;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.batch.BatchTransfer;
import org.treehaul.schedulers.batch.WaitEnd;
import org.treehaul.schedulers.discovery.Schedulers;
import org.treehaul.schedulers.pool.BatchOffer;
import org.treehaul.schedulers.pool.Pool;
import org.treehaul.schedulers.pool.Slot;
import org.treehaul.schedulers.pool.TransferOffer;
import org.treehaul.schedulers.pool.Trust;
import org.treehaul.tuplespace.SpaceOptions;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.transfer.BatchTuple;
import org.treehaul.tuplespace.transfer.Publication;
import org.treehaul.tuplespace.transfer.TransferPublisher;
import org.treehaul.tuplespace.tuple.Template;

/** Workers of a pool carry out transfers from their submission to their end. */
class PoolWorkerTest extends PooledTransfers {

    private Scheduler scheduler() throws SchedulerException {
        return Schedulers.named(jobs.scheduler(), Map.of());
    }

    private List<String> ids(BatchTransfer transfer) throws Exception {
        return transfer.submittedJobs().stream().map(SubmittedJobs::ids).flatMap(List::stream).toList();
    }

    @Test
    void severalWorkersCarryOutTwoTransfersAndFinishThem() throws Exception {
        Path first = source("first", 30);
        Path second = source("second", 30);
        BatchTransfer one = submit(copy(first, 1));
        BatchTransfer two = submit(copy(second, 1));
        assertThat(scheduler().states(ids(one))).containsValue(JobState.WAITING);
        List<Future<PoolResult>> workers = List.of(start(), start(), start());
        int batches = 0;
        for (Future<PoolResult> worker : workers) {
            batches += worker.get().batches();
        }
        assertThat(batches).isEqualTo(60);
        assertThat(finished).containsExactlyInAnyOrder(one.id() + " COMPLETE", two.id() + " COMPLETE");
        assertThat(one.status().state()).isEqualTo(TransferStatus.State.COMPLETE);
        assertThat(two.status().state()).isEqualTo(TransferStatus.State.COMPLETE);
        assertThat(target(first).resolve("file29")).hasContent("content 29\n");
        assertThat(target(second)).isDirectoryContaining("glob:**/file0");
        assertThat(scheduler().states(ids(one)).values()).containsOnly(JobState.GONE);
        assertThat(pool.transfers()).isEmpty();
        assertThat(pool.workers()).isEmpty();
        assertThat(one.await(1, status -> {
        }, cancellation)).isInstanceOf(WaitEnd.Finished.class);
    }

    @Test
    void oneWorkerDividesItsTimeBetweenTwoTransfers() throws Exception {
        BatchTransfer one = create(limited(copy(source("first", 10, 2000), 1), 400_000), jobs);
        BatchTransfer two = create(limited(copy(source("second", 10, 2000), 1), 400_000), jobs);
        for (BatchTransfer transfer : List.of(one, two)) {
            transfer.submit(event -> {
            }, new Progress(), cancellation);
        }
        Future<PoolResult> worker = start();
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> !finished.isEmpty());
        // Each transfer has ten files. On a busy machine the batches of one may take longer than those of the other.
        assertThat(Math.min(done(one), done(two))).isGreaterThan(2);
        assertThat(worker.get().finished()).isEqualTo(2);
    }

    @Test
    void aTransferOfHigherPriorityDoesNotWaitForTwentyOthersThatCameBefore() throws Exception {
        for (int i = 0; i < 20; i++) {
            submit(copy(source("source" + i, 1), 1));
        }
        BatchTransfer urgent = submit(create(copy(source("urgent", 1), 1), jobs.withQueue(List.of("priority=5"))));
        assertThat(start().get().finished()).isEqualTo(21);
        assertThat(finished).first().isEqualTo(urgent.id() + " COMPLETE");
    }

    private static long done(BatchTransfer transfer) throws IOException {
        return transfer.status().batches().stream().mapToLong(BatchStatus::entriesDone).sum();
    }

    @Test
    void aWorkerThatIsAskedToStopGivesItsBatchBack() throws Exception {
        BatchTransfer transfer = submit(copy(source("source", 5), 1));
        Cancellation stop = new Cancellation();
        stop.cancel();
        assertThat(start(SETTINGS, stop).get().batches()).isZero();
        Turn turn = turn(new Cancellation());
        assertThat(turn.begin()).isEqualTo(Turn.Start.TAKEN);
        turn.close();
        assertThat(start().get().batches()).isEqualTo(5);
        assertThat(transfer.status().state()).isEqualTo(TransferStatus.State.COMPLETE);
    }

    private Turn turn(Cancellation stop) {
        return new Turn(pool, pool.transfers().getFirst(), ChoiceTestData.admission(pool),
                new Presence(pool, ChoiceTestData.worker("w", "", 0), LEASE), LEASE, stop, () -> false, new HashSet<>(),
                new LocalBatches());
    }

    @Test
    void aWorkerCountsForATransferFromTheMomentAtWhichItOpensIt() throws Exception {
        Installed.require("mkfifo");
        BatchTransfer transfer = submit(copy(source("source", 1), 1));
        Path request = transfer.directory().path().resolve("request");
        Path content = Files.move(request, request.resolveSibling("content"));
        assertThat(new ProcessBuilder("mkfifo", request.toString()).start().waitFor()).isZero();
        Path pipe = Files.createLink(request.resolveSibling("pipe"), request);
        Future<PoolResult> worker = start();
        byte[] bytes = Files.readAllBytes(content);
        try {
            // The worker waits until this test writes into the pipe.
            Awaitility.await().until(() -> scheduler().states(ids(transfer)).containsValue(JobState.RUNNING));
        } finally {
            Files.move(content, request, StandardCopyOption.ATOMIC_MOVE);
            // Opened in both ways, a pipe waits for no worker, which may have failed.
            try (FileChannel both = FileChannel.open(pipe, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                both.write(ByteBuffer.wrap(bytes));
            }
        }
        assertThat(worker.get().batches()).isOne();
    }

    @Test
    void aWorkerDoesNotCountForATransferThatItRefuses() throws Exception {
        BatchTransfer transfer = submit(copy(source("source", 1), 1));
        Path request = transfer.directory().path().resolve("request");
        StateFile.read(request).with("version", "2").replace(request, true);
        Cancellation stop = new Cancellation();
        Future<PoolResult> worker = start(
                SETTINGS.withLease(LEASE, Duration.ofMinutes(10)).withIdle(PoolSettings.FOREVER), stop);
        Awaitility.await().until(() -> !notices.isEmpty());
        // It counts for a moment each time it tries again.
        Awaitility.await().until(() -> pool.workers().stream().allMatch(one -> one.transfer().isEmpty()));
        Awaitility.await()
                .untilAsserted(
                        () -> assertThat(scheduler().states(ids(transfer)).values()).containsOnly(JobState.WAITING));
        stop.cancel();
        worker.get();
    }

    @Test
    void aTransferThatWasCancelledIsNotOfferedAnyMoreAndResumes() throws Exception {
        BatchTransfer transfer = submit(copy(source("source", 5), 1));
        assertThat(transfer.cancel()).isTrue();
        assertThat(pool.transfers()).isEmpty();
        assertThat(start().get().batches()).isZero();
        assertThat(transfer.resume()).hasValue(3);
        assertThat(start().get().batches()).isEqualTo(5);
        assertThat(transfer.status().state()).isEqualTo(TransferStatus.State.COMPLETE);
    }

    private JobOptions atMost(int workers) {
        return new JobOptions(jobs.scheduler(), 0, workers, List.of(), Optional.empty(), Optional.empty(),
                Optional.empty(), false, List.of(), List.of(), Optional.empty(), 0, "");
    }

    @Test
    void aTransferThatIsCancelledWhileAWorkerHasItLeavesNothingInThePool() throws Exception {
        BatchTransfer transfer = create(limited(copy(source("source", 10, 2000), 1), 100_000), atMost(2));
        transfer.submit(event -> {
        }, new Progress(), cancellation);
        Future<PoolResult> worker = start();
        Awaitility.await().until(() -> scheduler().states(ids(transfer)).containsValue(JobState.RUNNING));
        Awaitility.await().until(() -> transfer.status().batches().stream().anyMatch(one -> one.attempts() > 0));
        transfer.cancel();
        worker.get();
        try (TupleSpace tuples = TupleSpaces.open(space, SpaceOptions.defaults())) {
            assertThat(tuples.count(Template.of(BatchOffer.class))).isZero();
            assertThat(tuples.count(Template.of(Slot.class))).isZero();
        }
    }

    @Test
    void aTransferIsPublishedWhileAWorkerOfThePoolWorks() throws Exception {
        SpaceUri site = new SpaceUri(SpaceUri.MEMORY, "site" + System.nanoTime());
        BatchTransfer transfer = create(copy(source("source", 3), 1), jobs);
        try (TupleSpace tuples = TupleSpaces.open(site, TransferPublisher.SPACE)) {
            Publication.set(transfer.directory(), site);
            transfer.submit(event -> {
            }, new Progress(), cancellation);
            start().get();
            assertThat(tuples.count(Template.of(BatchTuple.class).equal("state", BatchStatus.State.DONE))).isEqualTo(3);
        }
    }

    @Test
    void aGrowingPlanIsOfferedAsItGrows() throws Exception {
        Path source = source("source", 40);
        CopyRequest plain = copy(source, 1);
        BatchTransfer transfer = create(new CopyRequest(plain.arguments(), plain.list(), plain.options(),
                new CopyRequest.Batches("streaming", plain.batching().limits(), plain.batching().chunkBytes()),
                plain.workers(), plain.checksSpace(), plain.plan(), plain.directory(), plain.umask(),
                plain.isDestinationFree()), jobs);
        Future<PoolResult> worker = start(SETTINGS.withIdle(Duration.ofSeconds(3)), cancellation);
        transfer.submit(event -> {
        }, new Progress(), cancellation);
        assertThat(worker.get().batches()).isEqualTo(40);
        assertThat(transfer.status().state()).isEqualTo(TransferStatus.State.COMPLETE);
    }

    @Test
    void aTransferStaysOfferedWhileItsOfferIsReplaced() throws Exception {
        submit(copy(source("source", 1), 1));
        TransferOffer offer = pool.transfers().getFirst();
        try (var transaction = pool.begin(LEASE)) {
            Pool.offerMore(transaction, offer, 2, Trust.EVERYBODY);
            assertThat(pool.isOffered(offer.transfer(), 1)).isTrue();
        }
        pool.withdraw(offer.transfer(), 1);
        assertThat(pool.isOffered(offer.transfer(), 1)).isFalse();
    }

    @Test
    void lostOffersAreFoundByTheWorkerThatFinishes() throws Exception {
        BatchTransfer transfer = submit(copy(source("source", 5), 1));
        try (var transaction = pool.begin(LEASE)) {
            assertThat(transaction.takeAll(Template.of(BatchOffer.class).atMost("batch", 2), 10)).hasSize(3);
            transaction.commit();
        }
        assertThat(start().get().batches()).isEqualTo(5);
        assertThat(transfer.status().state()).isEqualTo(TransferStatus.State.COMPLETE);
    }

    @Test
    void optionsThatAPoolCannotHonourAreRefusedBeforePlanning() throws Exception {
        CopyRequest copy = copy(source("source", 1), 1);
        assertThatThrownBy(() -> create(copy, jobs.withWalltime(Duration.ofHours(1))).submit(event -> {
        }, new Progress(), cancellation)).isInstanceOf(SchedulerException.class)
                .hasMessageContaining("leave out --walltime");
        assertThatThrownBy(() -> create(copy, jobs.withQueue(List.of("-p short"))).submit(event -> {
        }, new Progress(), cancellation)).hasMessageContaining("priority=N");
        assertThatThrownBy(() -> create(copy, jobs).submitUnplanned()).hasMessageContaining("--plan-in-job");
        assertThatThrownBy(() -> create(copy, jobs.withRanks(2, "random")).submit(event -> {
        }, new Progress(), cancellation)).hasMessageContaining("--ranks");
        assertThatThrownBy(() -> Schedulers.named("pool", Map.of())).hasMessageContaining("--space URI");
        assertThat(pool.transfers()).isEmpty();
        assertThat(directory.resolve("state/transfers")).isEmptyDirectory();
    }
}
