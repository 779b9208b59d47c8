// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.treehaul.packaged.Run;
import org.treehaul.schedulers.JobState;
import org.treehaul.schedulers.Scheduler;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.Submission;
import org.treehaul.schedulers.discovery.Schedulers;
import org.treehaul.schedulers.pbs.PbsDialect;

/** Jobs of an ordinary user on a real Slurm. */
@ExtendWith(SlurmRig.class)
@Tag("rig")
class SlurmJobsTest {
    private static final String STOPS = "trap 'echo told > \"told.$index\"; exit 20' TERM; touch \"ready.$index\"; while :; do sleep 0.1; done";

    // The second run of a job ends, and shows whether the command of the user had run before it.
    private static final String SECOND_ENDS = "[[ ! -e told. ]] || { [[ ! -e completed ]] || touch early; exit 0; }; ";

    private SlurmRig.Running rig;
    private TransferRig transfer;
    private Scheduler slurm;

    @BeforeEach
    void makeRig(SlurmRig.Running running) throws Exception {
        rig = running;
        transfer = new TransferRig();
        Map<String, String> environment = transfer.asUser(running.environment(), "sbatch", "squeue", "scancel",
                "scontrol", "sacct");
        slurm = Schedulers.slurm(environment);
    }

    @AfterEach
    void removeRig() throws Exception {
        if (transfer != null) {
            Run.of(rig.environment(), "scancel", "--full", "--user=" + TransferRig.USER);
            await().atMost(Duration.ofMinutes(1)).until(() -> rig.run("squeue", "-h").isEmpty());
            transfer.close();
        }
    }

    @Test
    @Tag("happy-path")
    void anArrayOfAnOrdinaryUserRunsAndFinishingFollows() throws Exception {
        Submission workers = slurm.submit(transfer.workers(4));
        Submission finish = slurm.submit(transfer.finish(workers.ids()));
        assertThat(TransferRig.awaitEnd(slurm, finish.ids()))
                .containsOnly(Map.entry(finish.ids().getFirst(), JobState.SUCCEEDED));
        String array = workers.ids().getFirst();
        assertThat(slurm.states(workers.ids())).containsOnlyKeys(array + "_0", array + "_1", array + "_2", array + "_3")
                .containsEntry(array + "_3", JobState.SUCCEEDED);
        assertThat(transfer.ran()).containsOnlyKeys("worker.0", "worker.1", "worker.2", "worker.3", "finish.0");
        assertThat(transfer.ran().get("worker.3")).contains("user=" + TransferRig.USER,
                "directory=" + transfer.transfer(), "locale=C.UTF-8", "argument=" + transfer.jar(),
                "environment=SLURM_ARRAY_TASK_ID=3");
        assertThat(transfer.log("th-abcd-worker-" + array + "_3.out")).isEmpty();
        assertThat(transfer.log("th-abcd-finish-" + finish.ids().getFirst() + ".out")).isEmpty();
    }

    @Test
    void finishingFollowsWorkersThatFailedOrWereKilled() throws Exception {
        transfer.behave("worker.1", "exit 7");
        transfer.behave("worker.2", "kill -9 $$");
        Submission workers = slurm.submit(transfer.workers(3));
        Submission finish = slurm.submit(transfer.finish(workers.ids()));
        TransferRig.awaitEnd(slurm, finish.ids());
        String array = workers.ids().getFirst();
        assertThat(slurm.states(workers.ids())).containsExactlyInAnyOrderEntriesOf(
                Map.of(array + "_0", JobState.SUCCEEDED, array + "_1", JobState.FAILED, array + "_2", JobState.FAILED));
        assertThat(transfer.ran()).containsKey("finish.0");
    }

    @Test
    void oneWorkerIsNoArray() throws Exception {
        Submission worker = slurm.submit(transfer.workers(1));
        String id = worker.ids().getFirst();
        assertThat(TransferRig.awaitEnd(slurm, worker.ids())).containsOnly(Map.entry(id, JobState.SUCCEEDED));
        assertThat(transfer.ran().get("worker.0")).doesNotContain("SLURM_ARRAY_TASK_ID");
        assertThat(transfer.log("th-abcd-worker-" + id + ".out")).isEmpty();
    }

    @Test
    void moreWorkersThanAnArrayMayHaveBecomeSeveral() throws Exception {
        Submission workers = slurm.submit(transfer.workers(2 * SlurmRig.ARRAY_LIMIT + 1));
        Submission finish = slurm.submit(transfer.finish(workers.ids()));
        assertThat(workers.ids()).hasSize(3);
        TransferRig.awaitEnd(slurm, finish.ids());
        assertThat(transfer.ran()).hasSize(2 * SlurmRig.ARRAY_LIMIT + 2)
                .containsKeys("worker.0", "worker." + 2 * SlurmRig.ARRAY_LIMIT);
        assertThat(slurm.states(workers.ids())).hasSize(2 * SlurmRig.ARRAY_LIMIT + 1);
    }

    @Test
    void noMoreRunThanMayAlsoInSeveralArrays() throws Exception {
        transfer.behave("worker",
                "ls -d now.* 2> /dev/null | wc -l >> others; mkdir \"now.$index\"; sleep 0.3; rmdir \"now.$index\"");
        Submission workers = slurm.submit(transfer.workers(SlurmRig.ARRAY_LIMIT + 3).maxRunning(2));
        TransferRig.awaitEnd(slurm, workers.ids());
        assertThat(Files.readAllLines(transfer.path("others"))).hasSize(SlurmRig.ARRAY_LIMIT + 3)
                .allSatisfy(line -> assertThat(Integer.parseInt(line.strip())).isLessThan(2));
    }

    @Test
    void cancelledJobsAreReportedAndGoneWhetherTheyRanOrWaited() throws Exception {
        transfer.behave("worker", STOPS);
        Submission workers = slurm.submit(transfer.workers(4).maxRunning(2));
        Submission finish = slurm.submit(transfer.finish(workers.ids()));
        await().atMost(Duration.ofMinutes(1))
                .until(() -> Files.exists(transfer.path("ready.0")) && Files.exists(transfer.path("ready.1")));
        slurm.cancel(finish.ids());
        slurm.cancel(workers.ids());
        assertThat(slurm.states(workers.ids())).hasSize(4)
                .allSatisfy((id, state) -> assertThat(state).isEqualTo(JobState.CANCELLED));
        assertThat(transfer.path("told.0")).exists();
        assertThat(transfer.path("told.1")).exists();
        assertThat(transfer.ran()).containsOnlyKeys("worker.0", "worker.1");
        slurm.cancel(workers.ids());
    }

    @Test
    void oneJobOfAnArrayIsCancelledByItsId() throws Exception {
        transfer.behave("worker", STOPS);
        Submission workers = slurm.submit(transfer.workers(2));
        String array = workers.ids().getFirst();
        await().atMost(Duration.ofMinutes(1)).until(() -> Files.exists(transfer.path("ready.1")));
        slurm.cancel(List.of(array + "_1"));
        assertThat(slurm.states(workers.ids())).containsEntry(array + "_1", JobState.CANCELLED)
                .containsEntry(array + "_0", JobState.RUNNING);
    }

    @Test
    void theSignalBeforeTheEndOfTheTimeStopsAWorker() throws Exception {
        transfer.behave("worker", STOPS);
        Submission worker = slurm.submit(transfer.workers(1));
        await().atMost(Duration.ofMinutes(1)).until(() -> Files.exists(transfer.path("ready.0")));
        rig.run("scancel", "--batch", "--signal=USR1", worker.ids().getFirst());
        assertThat(TransferRig.awaitEnd(slurm, worker.ids()).values()).containsOnly(JobState.FAILED);
        assertThat(transfer.path("told.0")).exists();
        assertThat(transfer.log("th-abcd-worker-")).contains("stopped by signal USR1, exit code 20");
        assertThat(rig.run("scontrol", "show", "job", worker.ids().getFirst())).contains("ExitCode=20:0");
    }

    @Test
    void aStoppedWorkerIsRequeuedOnRequest() throws Exception {
        transfer.behave("worker", "[[ ! -e told.1 ]] || exit 0; " + STOPS);
        Submission workers = slurm.submit(transfer.workers(2).requeue(true));
        Submission finish = slurm.submit(transfer.finish(workers.ids()));
        String array = workers.ids().getFirst();
        await().atMost(Duration.ofMinutes(1))
                .until(() -> Files.exists(transfer.path("ready.0")) && Files.exists(transfer.path("ready.1")));
        rig.run("scancel", "--batch", "--signal=USR1", array + "_1");
        await().atMost(Duration.ofMinutes(1))
                .until(() -> slurm.states(workers.ids()).get(array + "_1") == JobState.WAITING);
        assertThat(transfer.ran()).doesNotContainKey("finish.0");
        awaitSecondRun(workers, array + "_1", "th-abcd-worker-" + array + "_1.out");
        assertThat(transfer.times("worker.1")).isEqualTo(2);
        slurm.cancel(workers.ids());
        TransferRig.awaitEnd(slurm, finish.ids());
        assertThat(transfer.ran()).containsKey("finish.0");
    }

    @Test
    void aStoppedWorkerOfAnOldGenerationIsNotRequeued() throws Exception {
        transfer.behave("worker", STOPS);
        Submission worker = slurm.submit(transfer.workers(1).requeue(true));
        await().atMost(Duration.ofMinutes(1)).until(() -> Files.exists(transfer.path("ready.0")));
        Files.writeString(transfer.path("generations/2"), "");
        rig.run("scancel", "--batch", "--signal=USR1", worker.ids().getFirst());
        assertThat(TransferRig.awaitEnd(slurm, worker.ids()).values()).containsOnly(JobState.FAILED);
        assertThat(transfer.times("worker.0")).isEqualTo(1);
    }

    @Test
    void aStoppedFinishingJobIsRequeuedAndTheUsersCommandWaitsForItsEnd() throws Exception {
        transfer.behave("finish", SECOND_ENDS + STOPS);
        Submission finish = slurm.submit(transfer.finish(List.of()).requeue(true));
        String job = finish.ids().getFirst();
        await().atMost(Duration.ofMinutes(1)).until(() -> Files.exists(transfer.path("ready.")));
        rig.run("scancel", "--batch", "--signal=USR1", job);
        runsAgainAndEnds(finish);
    }

    @Test
    @Tag("campaign") // Slurm checks time limits every half minute, and rounds them up to minutes
    void aFinishingJobThatReachesItsTimeLimitIsRequeuedAndEnds() throws Exception {
        transfer.behave("finish", SECOND_ENDS + STOPS);
        Submission finish = slurm.submit(transfer.finish(List.of()).requeue(true).walltime(Duration.ofMinutes(1)));
        await().atMost(Duration.ofMinutes(3)).until(() -> Files.exists(transfer.path("told.")));
        runsAgainAndEnds(finish);
    }

    private void runsAgainAndEnds(Submission finish) throws Exception {
        String job = finish.ids().getFirst();
        awaitSecondRun(finish, job, "th-abcd-finish-" + job + ".out");
        assertThat(transfer.times("finish.0")).isEqualTo(2);
        assertThat(transfer.path("early")).doesNotExist();
        assertThat(transfer.path("completed")).content().isEqualTo(TransferRig.ID + " 0\n");
    }

    /** Waits until a job that returned to the queue has run again and succeeded. */
    private void awaitSecondRun(Submission jobs, String job, String log) throws Exception {
        try {
            // Not before the first run has ended completely: then Slurm sets the time of the second, two minutes later.
            await().atMost(Duration.ofMinutes(1)).until(() -> slurm.states(jobs.ids()).get(job) == JobState.WAITING);
            // A node refuses to start a job in the same second in which Slurm told it to end the first run; the job then fails.
            rig.run("scontrol", "update", "JobId=" + job, "StartTime=now+2");
            await().atMost(Duration.ofMinutes(2)).until(() -> slurm.states(jobs.ids()).get(job) == JobState.SUCCEEDED);
        } catch (ConditionTimeoutException late) {
            throw new AssertionError(rig.run("scontrol", "show", "job", job) + transfer.log(log), late);
        }
    }

    @Test
    void finishingFollowsALostNode() throws Exception {
        transfer.behave("worker", "[[ $SLURMD_NODENAME != node2 ]] || { touch \"on-node2\"; sleep 1000; }");
        Submission workers = slurm.submit(transfer.workers(2).options(List.of("--nodelist=node2", "--no-requeue")));
        Submission finish = slurm.submit(transfer.finish(workers.ids()).options(List.of("--nodelist=node3")));
        await().atMost(Duration.ofMinutes(1)).until(() -> Files.exists(transfer.path("on-node2")));
        try {
            rig.kill("node2");
            assertThat(TransferRig.awaitEnd(slurm, workers.ids()).values()).containsOnly(JobState.LOST);
            assertThat(TransferRig.awaitEnd(slurm, finish.ids()).values()).containsOnly(JobState.SUCCEEDED);
        } finally {
            rig.start("node2");
        }
    }

    @Test
    void refusalsOfSlurmAreShown() throws Exception {
        SchedulerException refused = catchThrowableOfType(SchedulerException.class,
                () -> slurm.submit(transfer.workers(2).options(List.of("--partition=nowhere"))));
        assertThat(refused).hasMessageContaining("invalid partition specified: nowhere");
        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.submitted()).isEmpty();
        assertThat(rig.run("squeue", "-h")).isEmpty();
    }

    @Test
    void jobsThatSlurmDoesNotKnowAreGone() throws Exception {
        transfer.behave("worker", "sleep 100");
        String known = slurm.submit(transfer.workers(1)).ids().getFirst();
        assertThat(slurm.states(List.of("99999"))).containsExactly(Map.entry("99999", JobState.GONE));
        assertThat(slurm.states(List.of("99999", known, "88888"))).containsEntry("99999", JobState.GONE)
                .containsEntry("88888", JobState.GONE)
                .hasEntrySatisfying(known, state -> assertThat(state.mayRun()).isTrue());
        slurm.cancel(List.of("99999"));
    }

    @Test
    void neitherOptionsNorVariablesOfTheUserLeadItAstray() throws Exception {
        Map<String, String> misleading = new TreeMap<>(rig.environment());
        misleading.putAll(Map.of("SBATCH_ARRAY_INX", "0-5", "SBATCH_OUTPUT", "/nowhere", "SBATCH_JOB_NAME", "other",
                "SQUEUE_FORMAT", "%j", "SQUEUE_STATES", "PENDING", "SQUEUE_PARTITION", "nowhere", "SQUEUE_USERS",
                "nobody", "SCANCEL_USER", "nobody"));
        Scheduler mislead = Schedulers.slurm(misleading);
        Submission worker = mislead.submit(transfer.workers(1)
                .options(List.of("--chdir=/ --output=/nowhere/out --export=NONE",
                        "--job-name=\"x y\" --cpus-per-task=2")));
        assertThat(TransferRig.awaitEnd(mislead, worker.ids()).values()).containsOnly(JobState.SUCCEEDED);
        assertThat(transfer.ran()).containsOnlyKeys("worker.0");
        assertThat(transfer.ran().get("worker.0")).contains("environment=SLURM_CPUS_PER_TASK=2",
                "directory=" + transfer.transfer());
        assertThat(transfer.log("th-abcd-worker-" + worker.ids().getFirst() + ".out")).isEmpty();
    }

    @Test
    void slurmIsDetectedAlsoBesideItsOwnQsub() throws Exception {
        assertThat(Schedulers.named("auto", rig.environment()).name()).isEqualTo("slurm");
    }

    @Test
    void oneWorkerRunsByTheQsubOfSlurm() throws Exception {
        Scheduler qsub = Schedulers.pbs(PbsDialect.TORQUE, rig.environment());
        Assumptions.assumeTrue(Files.isExecutable(Path.of("/usr/bin/qsub")),
                "qsub (package slurm-wlm-torque) is not installed");
        Submission worker = qsub.submit(transfer.workers(1));
        // Queries as the submitting user: the rig gives the transfer to the user that runs a program.
        TransferRig.awaitEnd(Schedulers.slurm(rig.environment()), worker.ids());
        assertThat(transfer.ran()).containsOnlyKeys("worker.0");
    }

    @Test
    @Tag("campaign") // two minutes: Slurm checks time limits every half minute, and rounds them up to minutes
    void aWorkerIsStoppedBeforeItsTimeIsOver() throws Exception {
        transfer.behave("worker", STOPS);
        Submission worker = slurm.submit(transfer.workers(1).walltime(Duration.ofMinutes(1)));
        assertThat(TransferRig.awaitEnd(slurm, worker.ids()).values()).containsOnly(JobState.FAILED);
        assertThat(transfer.log("th-abcd-worker-")).contains("stopped by signal USR1, exit code 20");
    }

    @Test
    @Tag("campaign")
    void aWorkerThatDoesNotStopInTimeIsEnded() throws Exception {
        transfer.behave("worker", "trap '' TERM; sleep 1000");
        Submission worker = slurm.submit(transfer.workers(1).walltime(Duration.ofMinutes(1)));
        assertThat(TransferRig.awaitEnd(slurm, worker.ids()).values()).containsOnly(JobState.TIMED_OUT);
    }
}
