// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.apache.commons.io.file.PathUtils;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.Progress;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.directory.WrongMountException;
import org.treehaul.schedulers.JobState;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.StandInScheduler;

/** Transfers that a program cancels, forgets, or helps to carry out. */
class TransferControlTest extends TransfersByHand {

    @BeforeEach
    void makeSource() throws Exception {
        Files.writeString(source.resolve("one"), "one");
        Files.writeString(source.resolve("two"), "two");
    }

    private TransferControl control() throws TransferException {
        return TransferControl.of(Transfers.in(state), scheduler::named);
    }

    private List<Path> programs() throws IOException {
        try (Stream<Path> kept = Files.list(state.resolve("programs"))) {
            return kept.toList();
        }
    }

    @Test
    void aCompleteTransferIsForgottenWithItsProgram() throws Exception {
        BatchTransfer transfer = create(copy());
        work(transfer, submit(transfer));
        assertThat(programs()).hasSize(1);
        Files.setLastModifiedTime(programs().getFirst(), FileTime.from(Instant.EPOCH));
        assertThat(transfer.forget(false, NO_LISTENER)).isTrue();
        assertThat(transfer.exists()).isFalse();
        assertThat(transfer.directory().path()).doesNotExist();
        assertThat(scheduler.jobs.values()).as("waiting jobs have nothing to do").containsOnly(JobState.GONE);
        assertThat(programs()).isEmpty();
        assertThat(target.resolve("one")).hasContent("one");
    }

    @Test
    void anIncompleteTransferIsForgottenByForceOnly() throws Exception {
        BatchTransfer transfer = create(copy());
        submit(transfer);
        transfer.cancel();
        assertThat(control().forget(transfer.id(), false, NO_LISTENER)).contains(TransferStatus.State.CANCELLED);
        assertThat(transfer.forget(false, NO_LISTENER)).isFalse();
        assertThat(transfer.exists()).isTrue();
        assertThat(control().forget(transfer.id(), true, NO_LISTENER)).isEmpty();
        assertThat(transfer.exists()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"attempts", "generations", "jobs"})
    void aTransferThatHasLostADirectoryIsForgottenByForceOnly(String lost) throws Exception {
        BatchTransfer transfer = create(copy());
        work(transfer, submit(transfer));
        scheduler.jobs.replaceAll((id, known) -> JobState.GONE);
        PathUtils.deleteDirectory(transfer.directory().path().resolve(lost));
        assertThatThrownBy(() -> control().forget(transfer.id(), false, NO_LISTENER))
                .isInstanceOf(TransferException.class)
                .hasMessageContaining("'treehaul forget --force " + transfer.id() + "' removes it anyway");
        assertThat(control().forget(transfer.id(), true, NO_LISTENER)).isEmpty();
        assertThat(transfer.directory().path()).doesNotExist();
    }

    @Test
    void aTransferWithJobsIsNotForgotten() throws Exception {
        BatchTransfer transfer = create(copy());
        submit(transfer);
        assertThatThrownBy(() -> transfer.forget(true, NO_LISTENER)).isInstanceOf(TransferException.class)
                .hasMessageContaining("still has jobs (1, 2): 'treehaul cancel " + transfer.id() + "' first");
        scheduler.silence = "no answer";
        work(transfer, 1);
        assertThatThrownBy(() -> transfer.forget(false, NO_LISTENER)).isInstanceOf(SchedulerException.class)
                .hasMessage("no answer");
        assertThat(transfer.exists()).isTrue();
        assertThat(transfer.forget(true, NO_LISTENER)).isTrue();
    }

    @Test
    void aDamagedTransferIsForgottenByForceWithANotice() throws Exception {
        BatchTransfer transfer = create(copy());
        submit(transfer);
        scheduler.setAll(JobState.GONE);
        Path record = Files.writeString(transfer.directory().path().resolve("jobs/1-worker-1"), "damaged");
        Files.writeString(transfer.directory().path().resolve("transfer"), "damaged");
        List<Event> events = new ArrayList<>();
        assertThatThrownBy(() -> control().forget(transfer.id(), false, events::add)).isInstanceOf(IOException.class);
        assertThat(control().forget(transfer.id(), true, events::add)).isEmpty();
        assertThat(transfer.exists()).isFalse();
        assertThat(events).hasOnlyElementsOfType(Event.Notice.class)
                .anySatisfy(event -> assertThat(event.toString()).contains(record + " is damaged and ignored"));
    }

    @Test
    void cancelReportsTheStateOfTheTransfer() throws Exception {
        BatchTransfer transfer = create(copy());
        submit(transfer);
        assertThat(control().cancel(transfer.id())).isEqualTo(TransferControl.Cancelled.CANCELLED);
        assertThat(scheduler.jobs.values()).containsOnly(JobState.GONE);
        assertThat(control().cancel(transfer.id())).isEqualTo(TransferControl.Cancelled.WITHOUT_JOBS);
        assertThat(transfer.status().generation()).as("nothing was changed").isEqualTo(2);
        work(transfer, transfer.resume().orElseThrow());
        assertThat(control().cancel(transfer.id())).isEqualTo(TransferControl.Cancelled.FINISHED);
        assertThat(scheduler.jobs.values()).as("waiting jobs have nothing to do").containsOnly(JobState.GONE);
    }

    @Test
    void aJobThatTheSchedulerTookWithoutAnAnswerDoesNothingAfterCancel() throws Exception {
        scheduler.onSubmit = request -> {
            throw StandInScheduler.refusal("an answer that was not understood");
        };
        BatchTransfer transfer = create(copy());
        assertThatThrownBy(() -> submit(transfer)).isInstanceOf(SchedulerException.class);
        assertThat(transfer.status().state()).isEqualTo(TransferStatus.State.NOT_SUBMITTED);
        assertThat(control().cancel(transfer.id())).isEqualTo(TransferControl.Cancelled.CANCELLED);
        assertThat(transfer.work(1, 0, 1, NO_LISTENER, new Progress(), cancellation)).isEmpty();
        assertThat(target.resolve("one")).doesNotExist();
        assertThat(transfer.status().state()).isEqualTo(TransferStatus.State.CANCELLED);
        scheduler.onSubmit = request -> {};
        work(transfer, transfer.resume().orElseThrow());
        assertThat(target.resolve("one")).hasContent("one");
    }

    @Test
    void aProgramDoesTheWorkOfTheJobs() throws Exception {
        BatchTransfer transfer = create(copy());
        int generation = submit(transfer);
        Progress progress = new Progress();
        assertThat(transfer.work(generation, 0, 1, NO_LISTENER, progress, cancellation)).map(TransferResult::state)
                .contains(TransferResult.State.COMPLETE);
        assertThat(progress.snapshot().files()).isEqualTo(2);
        assertThat(scheduler.jobs.values()).as("waiting jobs have nothing to do").containsOnly(JobState.GONE);
        assertThat(target.resolve("two")).hasContent("two");
        assertThat(transfer.work(generation, 1, 1, NO_LISTENER, progress, cancellation)).as("no work is left")
                .isEmpty();
    }

    @Test
    void anInterruptEndsTheWorkOfAProgramAndLeavesItToOthers() throws Exception {
        BatchTransfer transfer = create(copy());
        int generation = submit(transfer);
        Thread.currentThread().interrupt();
        assertThat(transfer.work(generation, 0, 1, NO_LISTENER, new Progress(), cancellation)).isEmpty();
        assertThat(Thread.interrupted()).as("the calling thread stays interrupted").isTrue();
        assertThat(cancellation.isCancelled()).isFalse();
        assertThat(transfer.work(generation, 1, 1, NO_LISTENER, new Progress(), cancellation))
                .map(TransferResult::state)
                .contains(TransferResult.State.COMPLETE);
        assertThat(target.resolve("two")).hasContent("two");
    }

    @Test
    void aWorkerThatDoesNotSeeTheSourceWritesNothing() throws Exception {
        BatchTransfer transfer = create(copy());
        int generation = submit(transfer);
        Files.move(source, directory.resolve("elsewhere"));
        assertThatThrownBy(() -> transfer.work(generation, 0, 1, NO_LISTENER, new Progress(), cancellation))
                .isInstanceOf(WrongMountException.class);
        assertThat(target.resolve("one")).doesNotExist();
        assertThat(transfer.status().result()).isEmpty();
    }
}
