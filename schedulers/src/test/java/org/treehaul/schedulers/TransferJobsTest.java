// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.transfer.Refusal;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.OvertakenException;
import org.treehaul.core.transfer.directory.Timing;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.schedulers.discovery.Schedulers;

/** The jobs of a transfer under a fake Slurm with output that a test chooses. */
class TransferJobsTest {
    @TempDir
    Path directory;
    private FakePrograms programs;
    private Transfers transfers;
    private TransferDirectory transfer;
    private TransferJobs jobs;

    @BeforeEach
    void makeTransfer() throws Exception {
        programs = new FakePrograms(directory).with("scontrol", "echo 'MaxArraySize = 1001'")
                .with("sbatch", "n=$(cat ../../n 2> /dev/null || echo 1); echo $((n + 1)) > ../../n; echo $n");
        transfers = Transfers.in(directory.resolve("state"));
        transfer = transfers.create(new Operation.Copy(), "cp", Timing.defaults());
        jobs = TransferJobs.of(transfer, this::named);
    }

    private Scheduler named(String name) throws SchedulerException {
        return Schedulers.named(name, programs.environment());
    }

    private TransferJobs.Order order() {
        Launch launch = new Launch(Optional.empty(), Path.of("/treehaul.jar"), List.of(), List.of(), List.of(),
                List.of());
        return new TransferJobs.Order(JobRequest.of(transfer.id().text(), 1, JobPhase.WORKER, transfer.path()).jobs(2),
                launch, false);
    }

    @Test
    void anOvertakenSubmitterSubmitsNothing() throws Exception {
        transfers.resume(transfer);
        assertThatThrownBy(() -> jobs.start(named("slurm"), order())).isInstanceOf(OvertakenException.class);
        assertThat(jobs.resume(named("slurm"), order(), 1, Set.of())).isEqualTo(2);
        assertThatThrownBy(() -> jobs.resume(named("slurm"), order(), 1, Set.of()))
                .isInstanceOf(OvertakenException.class);
        assertThat(transfer.submittedJobs()).hasSize(2).allMatch(submitted -> submitted.generation() == 2);
    }

    @Test
    void theFilesOfJobsAreWrittenInTheGenerationOfTheseJobs() throws Exception {
        // A file cannot replace this directory.
        Files.createDirectories(transfer.launch().resolve("pre/full"));
        Launch launch = new Launch(Optional.empty(), Path.of("/treehaul.jar"), List.of(), List.of("true"), List.of(),
                List.of());
        TransferJobs.Order order = new TransferJobs.Order(order().workers(), launch, false);
        assertThatThrownBy(() -> jobs.start(named("slurm"), order)).isInstanceOf(IOException.class);
        assertThat(transfer.generations().newest()).isEqualTo(1);
        assertThat(transfer.submittedJobs()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"Socket timed out on send/recv operation", "Zero Bytes were transmitted or received",
                    "Unable to contact slurm controller (connect failure)",
                    "Unable to contact slurm controller (send failure)",
                    "Unable to contact slurm controller (receive failure)",
                    "Unable to contact slurm controller (shutdown failure)", "Unexpected message received",
                    "Message receive failure", "Insane message length", "Header lengths are longer than data received"})
    void aLostAnswerIsNoRefusal(String answer) throws Exception {
        programs.with("sbatch", "echo 'sbatch: error: Batch job submission failed: " + answer + "' >&2", "exit 1");
        assertThatThrownBy(() -> jobs.start(named("slurm"), order())).hasMessageContaining(answer);
        assertThat(Refusal.of(transfer, 1)).isEmpty();
        assertThat(transfers.status(transfer).state()).isNotEqualTo(TransferStatus.State.NOT_SUBMITTED);
    }

    @Test
    void aRefusalIsRecorded() throws Exception {
        programs.with("sbatch", "echo 'sbatch: error: invalid partition specified: nonsense' >&2", "exit 1");
        assertThatThrownBy(() -> jobs.start(named("slurm"), order())).hasMessageContaining("nonsense");
        assertThat(Refusal.of(transfer, 1)).hasValueSatisfying(refusal -> {
            assertThat(refusal.scheduler()).isEqualTo("slurm");
            assertThat(refusal.reason()).contains("invalid partition specified: nonsense");
        });
        assertThat(transfers.status(transfer).state()).isEqualTo(TransferStatus.State.NOT_SUBMITTED);
    }

    @Test
    void jobsAreCancelledAlthoughTheirSchedulerIsSometimesTooBusyToAnswer() throws Exception {
        Path cancelled = directory.resolve("cancelled");
        // squeue answers each third question only; the first one is asked before jobs are cancelled.
        programs.with("squeue", "echo >> " + directory.resolve("asked"),
                "[ $(($(wc -l < " + directory.resolve("asked") + ") % 3)) = 0 ] || "
                        + "{ echo 'slurm_load_jobs error: Socket timed out on send/recv operation' >&2; exit 1; }",
                "id=${*##*--jobs=}", "state=RUNNING", "! grep -q \"^$id\\$\" " + cancelled + " || state=CANCELLED",
                "echo \"$id|$state\"").with("scancel", "echo $1 >> " + cancelled);
        Files.createFile(cancelled);
        jobs.start(named("slurm"), order());
        jobs.stop();
        assertThat(Files.readAllLines(cancelled)).as("finishing first").containsExactly("2", "1");
        assertThat(Files.readAllLines(directory.resolve("asked"))).hasSize(6);
    }

    @Test
    void aSchedulerOfAnotherJarReportsRefusalsAndJobsSubmittedBefore() throws Exception {
        StandInScheduler another = new StandInScheduler();
        another.jobs.put("9", JobState.WAITING);
        another.onSubmit = request -> {
            throw new SchedulerException("no such queue", List.of("bsub"), 255, List.of("9"));
        };
        assertThatThrownBy(() -> jobs.start(another, order())).hasMessage("no such queue");
        assertThat(another.jobs).containsEntry("9", JobState.GONE);
        assertThat(Refusal.of(transfer, 1))
                .hasValueSatisfying(refusal -> assertThat(refusal.reason()).isEqualTo("no such queue"));
    }

    @Test
    void jobsWithoutALogAreReportedOnlyIfTheirIdsNameLogs() throws Exception {
        jobs.start(named("slurm"), order());
        assertThat(jobs.withoutOutput(1)).containsExactly("1", "2");
        StandInScheduler another = new StandInScheduler();
        TransferJobs others = TransferJobs.of(transfer, name -> name.equals(another.name()) ? another : named(name));
        others.resume(another, order(), 1, Set.of());
        assertThat(others.withoutOutput(2)).isEmpty();
    }

    @Test
    void theSchedulerIsAskedOnceForAllJobsThatAreWaitedFor() throws Exception {
        Path asked = directory.resolve("asked");
        programs.with("squeue", "echo \"squeue $*\" >> " + asked, "echo '6|RUNNING'")
                .with("sacct", "echo \"sacct $*\" >> " + asked, "echo '5|COMPLETED'");
        jobs.start(named("slurm"), order());
        jobs.resume(named("slurm"), order(), 1, Set.of());
        jobs.resume(named("slurm"), order(), 2, Set.of());
        assertThat(jobs.live(3)).containsExactly(Map.entry("6", JobState.RUNNING));
        assertThat(Files.readAllLines(asked)).satisfiesExactly(
                line -> assertThat(line).startsWith("squeue ").endsWith("--jobs=5,6"),
                line -> assertThat(line).startsWith("sacct ").endsWith("--jobs=5"));
        Files.delete(asked);
        assertThat(jobs.states()).hasSize(6).containsEntry("5", JobState.SUCCEEDED).containsEntry("1", JobState.GONE);
        assertThat(Files.readAllLines(asked)).hasSize(2);
    }
}
