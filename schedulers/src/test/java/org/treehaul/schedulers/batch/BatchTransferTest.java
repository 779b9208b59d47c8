// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.plan.Batching;
import org.treehaul.core.plan.format.BatchLimits;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanTotals;
import org.treehaul.core.remove.RemoveOptions;
import org.treehaul.core.remove.TreeRemover;
import org.treehaul.core.state.StateFile;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.GenerationResult;
import org.treehaul.core.transfer.directory.OvertakenException;
import org.treehaul.core.transfer.directory.SubmittedJobs;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.directory.TransferId;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.operation.CopySettings;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.transfer.request.CopyRequest;
import org.treehaul.core.transfer.request.JobChanges;
import org.treehaul.core.transfer.request.JobOptions;
import org.treehaul.core.transfer.request.TransferRequest;
import org.treehaul.core.transfer.work.Worker;
import org.treehaul.core.walk.options.WalkOptions;
import org.treehaul.schedulers.JobPhase;
import org.treehaul.schedulers.JobRequest;
import org.treehaul.schedulers.JobState;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.StandInScheduler;
import org.treehaul.strategies.Strategies;

/** The facade of transfers over a scheduler whose jobs the test carries out. */
class BatchTransferTest extends TransfersByHand {

    /** Time that passes only while the transfer sleeps; an action runs at each sleep. */
    private static final class TestClock implements Waiting.Clock {
        private final Runnable onNap;
        private long nanos;

        TestClock(Runnable onNap) {
            this.onNap = onNap;
        }

        @Override
        public long nanos() {
            return nanos;
        }

        @Override
        public void sleep(long millis) {
            nanos += millis * 1_000_000;
            onNap.run();
        }

        long seconds() {
            return nanos / 1_000_000_000;
        }
    }

    @BeforeEach
    void makeSource() throws Exception {
        Files.writeString(source.resolve("one"), "one");
        Files.writeString(source.resolve("two"), "two");
    }

    private CopyRequest streaming(CopyRequest copy) {
        return new CopyRequest(copy.arguments(), copy.list(), copy.options(),
                new CopyRequest.Batches("streaming", copy.batching().limits(), copy.batching().chunkBytes()),
                copy.workers(), copy.checksSpace(), copy.plan(), copy.directory(), copy.umask(),
                copy.isDestinationFree());
    }

    private List<JobPhase> phases() {
        return scheduler.submitted.stream().map(JobRequest::phase).toList();
    }

    @Test
    void aCopyIsSubmittedWaitedForAndReported() throws Exception {
        BatchTransfer transfer = create(copy());
        assertThat(transfer.status().state()).isEqualTo(TransferStatus.State.PLANNING);
        assertThat(transfer.status().commandLine()).isEqualTo("a test");
        assertThat(submit(transfer)).isEqualTo(1);
        assertThat(phases()).containsExactly(JobPhase.WORKER, JobPhase.FINISH);
        assertThat(transfer.submittedJobs()).extracting(SubmittedJobs::scheduler).containsOnly("stand-in");
        work(transfer, 1);
        List<TransferStatus.State> seen = new ArrayList<>();
        WaitEnd end = transfer.await(1, status -> seen.add(status.state()), cancellation);
        assertThat(end).isInstanceOfSatisfying(WaitEnd.Finished.class,
                finished -> assertThat(finished.status().result().orElseThrow().done()).isEqualTo(2));
        assertThat(seen).containsExactly(TransferStatus.State.COMPLETE);
        assertThat(target.resolve("two")).hasContent("two");
        assertThat(scheduler.jobs.values()).as("waiting jobs have nothing to do").containsOnly(JobState.GONE);
        BatchTransfer opened = BatchTransfer.open(state, jar, transfer.id(), scheduler::named);
        assertThat(opened.status().state()).isEqualTo(TransferStatus.State.COMPLETE);
        assertThat(opened.resume()).isEmpty();
        assertThat(opened.status().generation()).isEqualTo(1);
        assertThat(opened.cancel()).isFalse();
    }

    @Test
    void jobsRunWithoutTheOptimizingCompilerIfThePlanSaysThatEachHasLittleWork() throws Exception {
        BatchTransfer small = create(copy());
        submit(small);
        assertThat(flags(small)).contains("-Xmn14m", "-XX:TieredStopAtLevel=1");
        BatchTransfer unplanned = create(copy());
        unplanned.submitUnplanned();
        assertThat(flags(unplanned)).contains("-Xmn14m").doesNotContain("-XX:TieredStopAtLevel=1");
        assertThat(JobOrders.areShort(totals(4_000, 64L << 20), 2, false)).isTrue();
        assertThat(JobOrders.areShort(totals(4_001, 64L << 20), 2, false)).isFalse();
        assertThat(JobOrders.areShort(totals(4_000, (64L << 20) + 1), 2, false)).isFalse();
    }

    @Test
    void jobsThatCopyAndHashNothingRunSoWithManyEntriesOfAnySize() {
        assertThat(JobOrders.areShort(totals(250_000, 1L << 40), 2, true)).isTrue();
        assertThat(JobOrders.areShort(totals(250_001, 0), 2, true)).isFalse();
        SortedMap<String, String> plain = settings(CopyOptions.Verify.NONE);
        assertThat(JobOrders.isPlainCopy(new Operation.Copy(), plain)).isTrue();
        assertThat(JobOrders.isPlainCopy(new Operation.Move(), plain)).isTrue();
        assertThat(JobOrders.isPlainCopy(new Operation.Copy(), settings(CopyOptions.Verify.XXH3))).isFalse();
        assertThat(JobOrders.isPlainCopy(new Operation.Verify(), plain)).isFalse();
        assertThat(JobOrders.isPlainCopy(new Operation.Remove(), plain)).isFalse();
    }

    private static SortedMap<String, String> settings(CopyOptions.Verify verify) {
        return new TreeMap<>(CopySettings.of(CopyOptions.builder().verify(verify).build()));
    }

    private static List<String> flags(BatchTransfer transfer) throws IOException {
        return Files.readAllLines(transfer.directory().launch().resolve("flags"));
    }

    private static PlanTotals totals(long entries, long data) {
        return new PlanTotals(entries, entries, data, data, 1, 0, 0);
    }

    @Test
    void anUnknownSchedulerLeavesNothing() {
        assertThatThrownBy(() -> BatchTransfer.create(state, jar, copy(), JobOptions.of("nonesuch"), "a test",
                Optional.empty(), scheduler::named)).isInstanceOf(SchedulerException.class)
                .hasMessageContaining("nonesuch");
        assertThat(state).doesNotExist();
    }

    @Test
    void optionsForJobsAreCheckedBeforePlanning() throws Exception {
        scheduler.refusesToCheck = "invalid partition";
        BatchTransfer transfer = create(copy());
        assertThatThrownBy(() -> submit(transfer)).isInstanceOf(SchedulerException.class)
                .hasMessage("invalid partition");
        assertThat(transfer.exists()).isFalse();
        BatchTransfer inJob = create(copy());
        assertThatThrownBy(inJob::submitUnplanned).hasMessage("invalid partition");
        assertThat(inJob.exists()).isFalse();
        assertThat(scheduler.submitted).isEmpty();
    }

    @Test
    void aRefusalAfterPlanningKeepsThePlanAndResumeSubmitsIt() throws Exception {
        scheduler.onSubmit = request -> {
            if (request.phase() == JobPhase.FINISH) {
                throw StandInScheduler.refusal("the queue is full");
            }
        };
        BatchTransfer transfer = create(copy());
        assertThatThrownBy(() -> submit(transfer)).hasMessageContaining("the queue is full");
        assertThat(transfer.exists()).isTrue();
        assertThat(transfer.status().state()).isEqualTo(TransferStatus.State.NOT_SUBMITTED);
        assertThat(scheduler.jobs).as("the workers were cancelled").containsExactly(Map.entry("1", JobState.GONE));
        scheduler.onSubmit = request -> {};
        assertThat(transfer.resume()).hasValue(2);
        work(transfer, 2);
        assertThat(transfer.await(2, status -> {}, cancellation)).isInstanceOf(WaitEnd.Finished.class);
        assertThat(target.resolve("one")).hasContent("one");
    }

    @Test
    void aCopyOfNothingIsRefusedAndForgotten() throws Exception {
        CopyRequest missing = CopyRequest.of(List.of(bytes(directory.resolve("missing")), bytes(target)),
                CopyOptions.archive().build(), 2);
        BatchTransfer transfer = create(missing);
        List<Event> events = new ArrayList<>();
        assertThatThrownBy(() -> transfer.submit(events::add, new Progress(), cancellation))
                .isInstanceOf(CopyRefusedException.class)
                .hasMessageContaining("nothing to copy");
        assertThat(events).hasAtLeastOneElementOfType(Event.Failed.class);
        assertThat(transfer.exists()).isFalse();
    }

    @Test
    void interruptedPlanningForgetsTheTransfer() throws Exception {
        for (CopyRequest request : List.of(copy(), streaming(copy()))) {
            BatchTransfer transfer = create(request);
            Cancellation stopped = new Cancellation();
            stopped.cancel();
            assertThat(transfer.submit(NO_LISTENER, new Progress(), stopped)).isEmpty();
            assertThat(transfer.exists()).isFalse();
        }
        assertThat(scheduler.submitted).isEmpty();
    }

    @Test
    void aTransferThatAnotherProcessTookOverIsLeftToIt() throws Exception {
        for (CopyRequest request : List.of(copy(), streaming(copy()))) {
            BatchTransfer transfer = create(request);
            Transfers.in(state).resume(transfer.directory());
            assertThatThrownBy(() -> submit(transfer)).isInstanceOf(OvertakenException.class);
            assertThat(transfer.exists()).isTrue();
            assertThat(transfer.status().generation()).isEqualTo(1);
        }
        assertThat(scheduler.submitted).isEmpty();
    }

    @Test
    void theFirstJobPlans() throws Exception {
        BatchTransfer transfer = create(copy());
        assertThat(transfer.submitUnplanned()).isEqualTo(1);
        assertThat(phases()).containsExactly(JobPhase.PLAN, JobPhase.WORKER, JobPhase.FINISH);
        assertThat(scheduler.submitted.get(1).jobs()).isEqualTo(2);
        assertThat(Plan.exists(transfer.directory().plan())).isFalse();
    }

    @Test
    void aStreamedPlanIsSubmittedWhileItIsMade() throws Exception {
        BatchTransfer transfer = create(streaming(copy()));
        assertThat(submit(transfer)).isEqualTo(1);
        assertThat(phases()).containsExactly(JobPhase.WORKER, JobPhase.FINISH);
        work(transfer, 1);
        assertThat(transfer.status().state()).isEqualTo(TransferStatus.State.COMPLETE);
        assertThat(target.resolve("two")).hasContent("two");
    }

    @Test
    void aRefusedStreamStaysAndThePlannerHasEnded() throws Exception {
        scheduler.onSubmit = request -> {
            throw StandInScheduler.refusal("no");
        };
        BatchTransfer transfer = create(streaming(copy()));
        assertThatThrownBy(() -> submit(transfer)).hasMessageContaining("no");
        assertThat(transfer.exists()).isTrue();
        assertThat(cancellation.isCancelled()).as("that belongs to the caller").isFalse();
        assertThat(transfer.status().state()).isEqualTo(TransferStatus.State.NOT_SUBMITTED);
    }

    // Copies one of two files.
    private BatchTransfer listed() throws Exception {
        CopyRequest listed = CopyRequest.of(List.of(bytes(source), bytes(target)), CopyOptions.archive().build(), 2);
        listed = new CopyRequest(listed.arguments(),
                Optional.of(new CopyRequest.ListFile(ByteString.of("/dev/stdin"), false)), listed.options(),
                listed.batching(), listed.workers(), listed.checksSpace(), listed.plan(), listed.directory(),
                listed.umask(), listed.isDestinationFree());
        return BatchTransfer.create(state, jar, listed, JOBS, "a test",
                Optional.of(new ByteArrayInputStream("two\n".getBytes(StandardCharsets.UTF_8))), scheduler::named);
    }

    @Test
    void aListOfPathsIsKeptWithTheTransfer() throws Exception {
        BatchTransfer transfer = listed();
        submit(transfer);
        work(transfer, 1);
        assertThat(target.resolve("two")).hasContent("two");
        assertThat(target.resolve("one")).doesNotExist();
    }

    @Test
    void aListOfPathsIsFoundAfterTheStateDirectoryWasMoved() throws Exception {
        TransferId id = listed().id();
        TransferDirectory moved = Transfers.in(Files.move(state, directory.resolve("moved"))).open(id);
        CopyRequest request = TransferRequest.find(moved).flatMap(TransferRequest::copy).orElseThrow();
        CopyTransfers.requireList(request, moved);
        new CopyPlanning(moved, () -> true, NO_LISTENER, new Progress(), cancellation).planAgain(request);
        assertThat(Plan.open(moved.plan()).totals().orElseThrow().entries()).isEqualTo(1);
        Files.delete(moved.launch().resolve("list"));
        assertThatThrownBy(() -> CopyTransfers.requireList(request, moved))
                .hasMessageContaining("read from standard input is incomplete");
    }

    @Test
    void aCopyThatIsGoneIsNotResumedAsIfItWereThere() throws Exception {
        BatchTransfer transfer = create(copy());
        int generation = submit(transfer);
        // A batch changes when it begins, and when it has ended.
        AtomicInteger changes = new AtomicInteger();
        Cancellation afterOne = new Cancellation();
        Worker.of(Linux.calls(), transfer.directory(), generation).withChanges(batch -> {
            if (changes.incrementAndGet() == 2) {
                afterOne.cancel();
            }
        }).work(NO_LISTENER, new Progress(), afterOne);
        transfer.cancel();
        try (Stream<Path> copied = Files.list(target)) {
            assertThat(copied).hasSize(1);
        }
        Path away = Files.move(target, directory.resolve("away"));
        assertThatThrownBy(transfer::resume).isInstanceOf(TransferException.class)
                .hasMessageContaining(target + " is gone, although entries in it were copied");
        Files.move(away, target);
        work(transfer, transfer.resume().orElseThrow());
        assertThat(target.resolve("one")).exists();
        assertThat(target.resolve("two")).exists();
        assertThat(transfer.status().state()).isEqualTo(TransferStatus.State.COMPLETE);
    }

    @Test
    void aCopyOfWhichNothingWasCopiedIsResumed() throws Exception {
        BatchTransfer transfer = create(copy());
        submit(transfer);
        transfer.cancel();
        assertThat(target).doesNotExist();
        work(transfer, transfer.resume().orElseThrow());
        assertThat(target.resolve("two")).exists();
    }

    @Test
    void cancelEndsTheJobsAndResumeContinues() throws Exception {
        BatchTransfer transfer = create(copy());
        submit(transfer);
        assertThat(transfer.cancel()).isTrue();
        assertThat(scheduler.jobs.values()).containsOnly(JobState.GONE);
        assertThat(transfer.status().state()).isEqualTo(TransferStatus.State.CANCELLED);
        assertThat(transfer.await(1, status -> {}, cancellation)).isInstanceOf(WaitEnd.Replaced.class);
        int generation = transfer.resume().orElseThrow();
        assertThat(generation).isEqualTo(3);
        assertThat(transfer.await(1, status -> {}, cancellation)).isInstanceOf(WaitEnd.Replaced.class);
        work(transfer, generation);
        assertThat(transfer.status().state()).isEqualTo(TransferStatus.State.COMPLETE);
    }

    @Test
    void theJobsOfAResumedTransferAreSupersededBeforeTheyAreCancelled() throws Exception {
        BatchTransfer transfer = create(copy());
        submit(transfer);
        List<TransferStatus.State> states = new ArrayList<>();
        scheduler.onCancel = ids -> states.add(state(transfer));
        assertThat(transfer.resume()).hasValue(3);
        assertThat(states).containsExactly(TransferStatus.State.CANCELLED, TransferStatus.State.CANCELLED);
        work(transfer, 3);
        assertThat(transfer.status().state()).isEqualTo(TransferStatus.State.COMPLETE);
    }

    private static TransferStatus.State state(BatchTransfer transfer) {
        try {
            return transfer.status().state();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aResumptionThatFailsAfterTheFinishingJobWasCancelledLeavesACancelledTransfer() throws Exception {
        BatchTransfer transfer = create(copy());
        submit(transfer);
        scheduler.onCancel = ids -> {
            if (ids.contains("1")) {
                throw new SchedulerException("no answer");
            }
        };
        assertThatThrownBy(transfer::resume).isInstanceOf(TransferException.class)
                .hasMessageContainingAll("no answer", "is cancelled until it is resumed again", "--force");
        assertThat(scheduler.jobs).containsEntry("1", JobState.WAITING).containsEntry("2", JobState.GONE);
        assertThat(transfer.status().state()).isEqualTo(TransferStatus.State.CANCELLED);
        assertThat(transfer.work(1, 0, 1, NO_LISTENER, new Progress(), cancellation)).isEmpty();
        assertThat(target.resolve("one")).doesNotExist();
        scheduler.onCancel = ids -> {};
        work(transfer, transfer.resume().orElseThrow());
        assertThat(target.resolve("one")).hasContent("one");
    }

    @Test
    void aTransferThatIsCompletedWhileItIsResumedIsLeftAsItIs() throws Exception {
        BatchTransfer transfer = create(copy());
        submit(transfer);
        BatchTransfer late = BatchTransfer.open(state, jar, transfer.id(), name -> {
            try {
                work(transfer, 1);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            scheduler.setAll(JobState.WAITING);
            return scheduler;
        });
        assertThat(late.resume()).isEmpty();
        assertThat(transfer.status().generation()).isEqualTo(1);
        assertThat(scheduler.jobs.values()).containsOnly(JobState.WAITING);
    }

    @Test
    void resumeWaitsForASchedulerThatIsTooBusyToAnswer() throws Exception {
        BatchTransfer transfer = create(copy());
        submit(transfer);
        scheduler.lostAnswers = Integer.MAX_VALUE;
        TestClock clock = new TestClock(() -> {});
        assertThatThrownBy(() -> transfer.resume(clock)).isInstanceOf(TransferException.class)
                .hasMessageStartingWith("Socket timed out; if you know that no job of " + transfer.id());
        assertThat(clock.seconds()).isBetween(120L, 130L);
        assertThat(scheduler.jobs.values()).containsOnly(JobState.WAITING);
        assertThat(transfer.status().generation()).as("nothing was changed").isEqualTo(1);
        scheduler.lostAnswers = 3;
        assertThat(transfer.resume(clock)).hasValue(3);
    }

    @Test
    void resumeKeepsTheOptionsThatTheCallerDoesNotChange() throws Exception {
        JobOptions wanted = JOBS.withQueue(List.of("-p short"))
                .withWalltime(Duration.ofHours(1))
                .withOnComplete(Optional.of("notify"));
        BatchTransfer transfer = BatchTransfer.create(state, jar, copy(), wanted, "a test", Optional.empty(),
                scheduler::named);
        submit(transfer);
        transfer.cancel();
        transfer.resume(last -> last.withWalltime(Duration.ofHours(2)), false);
        JobRequest worker = scheduler.submitted.get(2);
        assertThat(worker.phase()).isEqualTo(JobPhase.WORKER);
        assertThat(worker.options()).containsExactly("-p short");
        assertThat(worker.walltime()).contains(Duration.ofHours(2));
        assertThat(TransferRequest.find(transfer.directory()).orElseThrow().jobs())
                .isEqualTo(wanted.withWalltime(Duration.ofHours(2)));
    }

    @Test
    void theBandwidthOfResumedJobsIsChangedWhenTheOldOnesAreGone() throws Exception {
        BatchTransfer transfer = create(copy());
        submit(transfer);
        JobChanges none = new JobChanges(JOBS, Set.of());
        scheduler.silence = "no answer";
        assertThatThrownBy(() -> transfer.resume(none, false, OptionalLong.of(5_000)))
                .isInstanceOf(TransferException.class)
                .hasMessageContaining("no answer");
        assertThat(Transfers.in(state).bandwidth(transfer.directory())).isZero();
        scheduler.silence = "";
        transfer.resume(none, false, OptionalLong.of(5_000));
        assertThat(Transfers.in(state).bandwidth(transfer.directory())).isEqualTo(5_000);
    }

    @Test
    void anUnknownSchedulerLeavesTheJobsOfTheTransferAsTheyAre() throws Exception {
        BatchTransfer transfer = create(copy());
        submit(transfer);
        assertThatThrownBy(() -> transfer.resume(last -> last.withScheduler("nonesuch"), false))
                .isInstanceOf(SchedulerException.class)
                .hasMessageContaining("nonesuch");
        assertThat(scheduler.jobs.values()).containsOnly(JobState.WAITING);
        assertThat(transfer.status().generation()).isEqualTo(1);
    }

    @Test
    void anotherSchedulerGetsNoQueueOptionsOfTheLastOne() throws Exception {
        StandInScheduler other = new StandInScheduler("other");
        List<StandInScheduler> found = new ArrayList<>(List.of(scheduler));
        JobOptions wanted = JobOptions.of(JobOptions.AUTO)
                .withQueue(List.of("-p short"))
                .withOnComplete(Optional.of("notify"));
        BatchTransfer transfer = BatchTransfer.create(state, jar, copy(), wanted, "a test", Optional.empty(),
                name -> name.equals(JobOptions.AUTO) ? found.getFirst() : scheduler.named(name));
        submit(transfer);
        transfer.cancel();
        assertThat(transfer.resume()).hasValue(3);
        assertThat(scheduler.submitted.getLast().options()).as("the same scheduler").containsExactly("-p short");
        transfer.cancel();
        found.set(0, other);
        assertThat(transfer.resume()).hasValue(5);
        assertThat(other.submitted).hasSize(2).allSatisfy(job -> assertThat(job.options()).isEmpty());
        JobOptions kept = TransferRequest.find(transfer.directory()).orElseThrow().jobs();
        assertThat(kept.queue()).isEmpty();
        assertThat(kept.onComplete()).contains("notify");
    }

    @Test
    void aRemovalIsPlannedComparedAndCarriedOut() throws Exception {
        OperationRequest removal = new OperationRequest(new Operation.Remove(), List.of(),
                TreeRemover.of(Linux.calls(), RemoveOptions.ofTrees())
                        .roots(List.of(bytes(source)), NO_LISTENER, new Progress()),
                WalkOptions.defaults(), Strategies.named("size-balanced"), BatchLimits.batches(2), bytes(directory),
                0022);
        BatchTransfer transfer = BatchTransfer.create(state, jar, removal, JOBS, "a removal", scheduler::named);
        assertThat(submit(transfer)).isEqualTo(1);
        work(transfer, 1);
        assertThat(transfer.status().state()).isEqualTo(TransferStatus.State.COMPLETE);
        assertThat(source).doesNotExist();
    }

    @Test
    void aRemovalIsNeverStreamed() {
        Batching streaming = Strategies.named("streaming");
        assertThatThrownBy(() -> new OperationRequest(new Operation.Remove(), List.of(),
                TreeRemover.of(Linux.calls(), RemoveOptions.ofTrees())
                        .roots(List.of(bytes(source)), NO_LISTENER, new Progress()),
                WalkOptions.defaults(), streaming, BatchLimits.batches(2), bytes(directory), 0))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aFinishedCopyIsVerified() throws Exception {
        BatchTransfer copy = create(copy());
        assertThatThrownBy(() -> BatchTransfer.createVerify(state, jar, copy.id(), JOBS, scheduler::named))
                .isInstanceOf(TransferException.class)
                .hasMessageContaining("not finished");
        submit(copy);
        work(copy, 1);
        Files.writeString(target.resolve("one"), "1ne");
        BatchTransfer verify = BatchTransfer.createVerify(state, jar, copy.id(), JOBS, scheduler::named);
        assertThat(submit(verify)).isEqualTo(1);
        work(verify, 1);
        assertThat(verify.status().result().orElseThrow().failed()).isEqualTo(1);
    }

    @Test
    void waitingReportsTheQueueAndTheSilenceOfTheScheduler() throws Exception {
        BatchTransfer transfer = create(copy());
        submit(transfer);
        List<String> reported = new ArrayList<>();
        Cancellation stop = new Cancellation();
        TestClock[] clock = new TestClock[1];
        clock[0] = new TestClock(() -> {
            scheduler.silence = clock[0].seconds() < 30 ? "" : "no answer";
            if (clock[0].seconds() >= 60) {
                stop.cancel();
            }
        });
        WaitEnd end = transfer.await(1, new WaitListener() {
            @Override
            public void onStatus(TransferStatus status) {
                assertThat(status.state()).isEqualTo(TransferStatus.State.WAITING);
            }

            @Override
            public void onNoAnswer(SchedulerException failure) {
                reported.add(failure.getMessage());
            }

            @Override
            public void onQueued(String reasons) {
                reported.add(reasons);
            }
        }, stop, clock[0]);
        assertThat(end).isInstanceOf(WaitEnd.Interrupted.class);
        assertThat(reported).containsExactly("Priority", "no answer", "no answer", "no answer");
        assertThat(transfer.status().state()).isEqualTo(TransferStatus.State.WAITING);
    }

    @Test
    void theEndOfAShortTransferIsSeenWithinAnEighthOfItsTime() throws Exception {
        for (long millis : new long[]{300, 1_500, 1_700, 5_000, 7_900}) {
            BatchTransfer transfer = create(copy());
            submit(transfer);
            TestClock[] clock = new TestClock[1];
            long[] ended = new long[1];
            clock[0] = new TestClock(() -> {
                if (ended[0] == 0 && clock[0].nanos() >= millis * 1_000_000) {
                    ended[0] = clock[0].nanos();
                    try {
                        work(transfer, 1);
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                }
            });
            int[] looks = new int[1];
            WaitEnd end = transfer.await(1, status -> looks[0]++, cancellation, clock[0]);
            assertThat(end).isInstanceOf(WaitEnd.Finished.class);
            assertThat((clock[0].nanos() - ended[0]) / 1_000_000).as("after %d ms", millis)
                    .isLessThanOrEqualTo(millis / 8 + 50);
            assertThat(looks[0]).isLessThanOrEqualTo(15);
        }
    }

    @Test
    void waitingEndsWhenTheJobsAreGone() throws Exception {
        BatchTransfer transfer = create(copy());
        submit(transfer);
        scheduler.setAll(JobState.GONE);
        scheduler.namesLogsById = true;
        TestClock clock = new TestClock(() -> {});
        WaitEnd end = transfer.await(1, status -> {}, cancellation, clock);
        assertThat(end).isEqualTo(new WaitEnd.JobsGone(List.of("1", "2")));
        assertThat(clock.seconds()).isBetween(1L, 10L);
    }

    @Test
    void waitingGoesOnIfTheFinishingJobWasStoppedButRunsAgain() throws Exception {
        BatchTransfer transfer = create(copy());
        submit(transfer);
        stopFinishing(transfer);
        TestClock[] clock = new TestClock[1];
        clock[0] = new TestClock(() -> {
            if (clock[0].seconds() == 30) {
                try {
                    work(transfer, 1);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        });
        WaitEnd end = transfer.await(1, status -> {}, cancellation, clock[0]);
        assertThat(end).isInstanceOfSatisfying(WaitEnd.Finished.class,
                finished -> assertThat(finished.status().state()).isEqualTo(TransferStatus.State.COMPLETE));
    }

    @Test
    void waitingEndsIfTheFinishingJobWasStoppedAndIsGone() throws Exception {
        BatchTransfer transfer = create(copy());
        submit(transfer);
        stopFinishing(transfer);
        TestClock[] clock = new TestClock[1];
        clock[0] = new TestClock(() -> {
            if (clock[0].seconds() == 1) {
                scheduler.setAll(JobState.GONE);
            }
        });
        WaitEnd end = transfer.await(1, status -> {}, cancellation, clock[0]);
        assertThat(end).isInstanceOfSatisfying(WaitEnd.Finished.class,
                finished -> assertThat(finished.status().result().orElseThrow().state())
                        .isEqualTo(TransferResult.State.STOPPED));
        assertThat(clock[0].seconds()).isLessThan(4);
    }

    private static void stopFinishing(BatchTransfer transfer) throws IOException {
        assertThat(GenerationResult.of(transfer.directory(), 1)
                .record(TransferResult.empty(1, TransferResult.State.STOPPED, ""))).isTrue();
    }

    @Test
    void aTransferWithARunningPlannerIsNotResumed() throws Exception {
        BatchTransfer transfer = create(copy());
        Path heartbeat = heartbeat(transfer);
        TestClock[] clock = new TestClock[1];
        clock[0] = new TestClock(() -> {
            if (clock[0].seconds() == 4) {
                touch(heartbeat, 2);
            }
        });
        assertThatThrownBy(() -> transfer.resume(clock[0])).isInstanceOf(TransferException.class)
                .hasMessageContaining("is still being planned");
        assertThat(clock[0].seconds()).isEqualTo(4);
        assertThat(scheduler.submitted).isEmpty();
    }

    @Test
    void aTransferWhosePlannerWasKilledIsPlannedByAJob() throws Exception {
        BatchTransfer transfer = create(copy());
        heartbeat(transfer);
        TestClock clock = new TestClock(() -> {});
        assertThat(transfer.resume(clock)).hasValue(1);
        assertThat(clock.seconds()).as("more than two heartbeats of a planner").isBetween(10L, 12L);
        assertThat(phases()).containsExactly(JobPhase.PLAN, JobPhase.WORKER, JobPhase.FINISH);
    }

    private static Path heartbeat(BatchTransfer transfer) throws Exception {
        Path heartbeat = Plan.heartbeat(transfer.directory().plan());
        Files.createDirectories(heartbeat.getParent());
        Files.createFile(heartbeat);
        touch(heartbeat, 1);
        return heartbeat;
    }

    private static void touch(Path file, long second) {
        try {
            Files.setLastModifiedTime(file, FileTime.from(Instant.ofEpochSecond(second)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void anUnknownOperationIsRefused() throws Exception {
        BatchTransfer transfer = create(copy());
        Path file = transfer.directory().path().resolve("transfer");
        StateFile.read(file).with("kind", "shred").replace(file, false);
        assertThatThrownBy(() -> BatchTransfer.open(state, jar, transfer.id(), scheduler::named))
                .isInstanceOf(TransferException.class)
                .hasMessageContaining("shred");
    }
}
