// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.treehaul.packaged.Run;
import org.treehaul.schedulers.JobState;
import org.treehaul.schedulers.Scheduler;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.Submission;
import org.treehaul.schedulers.discovery.Schedulers;
import org.treehaul.schedulers.pbs.PbsDialect;

/** Jobs of an ordinary user on an emulated PBS that is as strict as the real ones. */
@Tag("rig")
class PbsJobsTest {
    private static final String STOPS = "trap 'echo told > \"told.$index\"; exit 20' TERM; touch \"ready.$index\"; while :; do sleep 0.1; done";

    private @Nullable PbsRig rig;
    private TransferRig transfer;
    private Scheduler pbs = Schedulers.local();

    @BeforeEach
    void makeTransfer() throws Exception {
        transfer = new TransferRig();
    }

    private PbsRig start(PbsDialect dialect, boolean history) throws Exception {
        PbsRig started = new PbsRig(dialect, false, history);
        rig = started;
        pbs = Schedulers.pbs(dialect, transfer.asUser(started.environment(), "qsub", "qstat", "qdel", "qmgr"));
        return started;
    }

    @AfterEach
    void removeRigs() throws Exception {
        try {
            if (rig != null) {
                rig.close();
            }
        } finally {
            transfer.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    @Tag("happy-path")
    void anArrayRunsAndFinishingFollowsWhateverBecameOfIt(PbsDialect dialect) throws Exception {
        start(dialect, true);
        transfer.behave("worker.1", "exit 7");
        transfer.behave("worker.2", "kill -9 $$");
        Submission workers = pbs.submit(transfer.workers(4).maxRunning(2));
        Submission finish = pbs.submit(transfer.finish(workers.ids()));
        TransferRig.awaitEnd(pbs, finish.ids());
        String number = workers.ids().getFirst().replace("[].pbs", "");
        assertThat(workers.ids()).containsExactly(number + "[].pbs");
        assertThat(pbs.states(workers.ids()))
                .containsExactlyInAnyOrderEntriesOf(Map.of(number + "[0].pbs", JobState.SUCCEEDED, number + "[1].pbs",
                        JobState.FAILED, number + "[2].pbs", JobState.FAILED, number + "[3].pbs", JobState.SUCCEEDED));
        assertThat(pbs.states(finish.ids()).values()).containsOnly(JobState.SUCCEEDED);
        assertThat(transfer.ran()).containsOnlyKeys("worker.0", "worker.1", "worker.2", "worker.3", "finish.0");
        assertThat(transfer.ran().get("worker.3")).contains("user=" + TransferRig.USER,
                "directory=" + transfer.transfer(), "locale=C.UTF-8");
        assertThat(transfer.log("th-abcd-worker-" + number + "_3.out")).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void oneWorkerIsNoArray(PbsDialect dialect) throws Exception {
        start(dialect, true);
        Submission worker = pbs.submit(transfer.workers(1));
        Submission finish = pbs.submit(transfer.finish(worker.ids()));
        assertThat(worker.ids().getFirst()).doesNotContain("[");
        TransferRig.awaitEnd(pbs, finish.ids());
        assertThat(pbs.states(worker.ids())).containsOnly(Map.entry(worker.ids().getFirst(), JobState.SUCCEEDED));
        assertThat(transfer.ran()).containsOnlyKeys("worker.0", "finish.0");
    }

    @ParameterizedTest
    @EnumSource
    void ranksAreStartedOnEachNodeOfOneJob(PbsDialect dialect) throws Exception {
        start(dialect, true);
        // Some users request several processors of each node.
        List<String> options = dialect == PbsDialect.TORQUE ? List.of("-l nodes=3:ppn=2") : List.of();
        Submission ranks = pbs.submit(transfer.workers(3).ranks("hybrid").options(options));
        TransferRig.awaitEnd(pbs, pbs.submit(transfer.finish(ranks.ids())).ids());
        assertThat(ranks.ids()).hasSize(1).noneMatch(id -> id.contains("["));
        assertThat(pbs.states(ranks.ids())).containsOnly(Map.entry(ranks.ids().getFirst(), JobState.SUCCEEDED));
        Map<String, String> ran = transfer.ran();
        assertThat(ran).containsOnlyKeys("worker.0", "worker.1", "worker.2", "finish.0");
        String number = ranks.ids().getFirst().replace(".pbs", "");
        ran.forEach((job, note) -> assertThat(note).contains("directory=" + transfer.transfer()));
        List<String> meetings = ran.entrySet()
                .stream()
                .filter(job -> job.getKey().startsWith("worker"))
                .flatMap(job -> job.getValue().lines().filter(line -> line.startsWith("argument=launch/meet-")))
                .toList();
        assertThat(meetings).hasSize(3).containsOnly(meetings.getFirst());
        assertThat(transfer.log("th-abcd-worker-" + number + "_2.out")).isEmpty();
    }

    @Test
    void fewerNodesThanRanksAreRefusedByTheJob() throws Exception {
        start(PbsDialect.OPENPBS, true);
        Submission ranks = pbs.submit(transfer.workers(3).ranks("hybrid").options(List.of("-l select=2:ncpus=4")));
        TransferRig.awaitEnd(pbs, ranks.ids());
        assertThat(transfer.ran()).isEmpty();
        assertThat(transfer.log("th-abcd-worker-" + ranks.ids().getFirst().replace(".pbs", "") + "_0.out"))
                .contains("there are 2 nodes for 3 ranks");
    }

    @ParameterizedTest
    @EnumSource
    void moreWorkersThanAnArrayMayHaveBecomeSeveralAndTheLastMayBeNone(PbsDialect dialect) throws Exception {
        start(dialect, true);
        Submission workers = pbs.submit(transfer.workers(2 * PbsRig.ARRAY_LIMIT + 1));
        Submission finish = pbs.submit(transfer.finish(workers.ids()));
        assertThat(workers.ids()).hasSize(3);
        TransferRig.awaitEnd(pbs, finish.ids());
        assertThat(transfer.ran()).hasSize(2 * PbsRig.ARRAY_LIMIT + 2)
                .containsKeys("worker.0", "worker." + 2 * PbsRig.ARRAY_LIMIT);
    }

    @ParameterizedTest
    @EnumSource
    void cancelledJobsAreReportedAndGone(PbsDialect dialect) throws Exception {
        start(dialect, true);
        transfer.behave("worker", STOPS);
        Submission workers = pbs.submit(transfer.workers(4).maxRunning(2));
        Submission finish = pbs.submit(transfer.finish(workers.ids()));
        await().atMost(Duration.ofMinutes(1))
                .until(() -> Files.exists(transfer.path("ready.0")) && Files.exists(transfer.path("ready.1")));
        assertThat(pbs.states(finish.ids()).values()).containsOnly(JobState.WAITING);
        pbs.cancel(finish.ids());
        pbs.cancel(workers.ids());
        assertThat(pbs.states(workers.ids()).values()).hasSize(4)
                .noneMatch(JobState::mayRun)
                .contains(JobState.CANCELLED);
        assertThat(transfer.path("told.0")).exists();
        assertThat(transfer.ran()).containsOnlyKeys("worker.0", "worker.1");
        pbs.cancel(workers.ids());
    }

    /** In OpenPBS 23.06.06 a qdel that names an unknown job after an existing one ends the server. */
    @ParameterizedTest
    @EnumSource
    void jobsAreCancelledBesideOnesThatAreForgotten(PbsDialect dialect) throws Exception {
        start(dialect, false);
        transfer.behave("worker", STOPS);
        Submission ended = pbs.submit(transfer.finish(List.of()));
        TransferRig.awaitEnd(pbs, ended.ids());
        Submission worker = pbs.submit(transfer.workers(1));
        pbs.cancel(List.of(worker.ids().getFirst(), ended.ids().getFirst()));
        assertThat(pbs.states(worker.ids()).values()).noneMatch(JobState::mayRun);
        assertThat(pbs.submit(transfer.workers(1).options(List.of("-h"))).ids()).hasSize(1);
    }

    @Test
    void finishingFollowsWorkersThatHaveEndedBeforeItWasSubmitted() throws Exception {
        for (boolean history : List.of(true, false)) {
            if (rig != null) {
                rig.close();
                transfer.close();
                transfer = new TransferRig();
            }
            start(PbsDialect.OPENPBS, history);
            Submission workers = pbs.submit(transfer.workers(2));
            Map<String, JobState> states = TransferRig.awaitEnd(pbs, workers.ids());
            assertThat(states.values()).containsOnly(history ? JobState.SUCCEEDED : JobState.GONE);
            TransferRig.awaitEnd(pbs, pbs.submit(transfer.finish(workers.ids())).ids());
            assertThat(transfer.ran()).containsKey("finish.0");
        }
    }

    @ParameterizedTest
    @EnumSource
    void finishingIsSubmittedAgainWhenItsWorkersEndBeforePbsLooksAtThem(PbsDialect dialect) throws Exception {
        PbsRig running = new PbsRig(dialect, true, false);
        rig = running;
        Path slow = Files.createDirectory(transfer.path("slow"));
        Path qsub = slow.resolve("qsub");
        // This qsub submits a dependent job only after its dependency has ended.
        Files.writeString(qsub, """
                #!/bin/sh
                id=$(sed -n 's/^#PBS -W depend=[a-z]*:\\([^:,]*\\).*$/\\1/p' "$1")
                while [ -n "$id" ] && qstat "$id" > /dev/null 2>&1; do sleep 0.1; done
                exec '%s' "$@"
                """.formatted(running.program("qsub")));
        assertThat(qsub.toFile().setExecutable(true)).isTrue();
        Map<String, String> environment = running.environment();
        environment.put("PATH", slow + ":" + environment.get("PATH"));
        pbs = Schedulers.pbs(dialect, environment);
        // Two arrays that end one after the other.
        transfer.behave("worker", "sleep 2");
        transfer.behave("worker." + PbsRig.ARRAY_LIMIT, "sleep 8");
        Submission workers = pbs.submit(transfer.workers(PbsRig.ARRAY_LIMIT + 2));
        TransferRig.awaitEnd(pbs, pbs.submit(transfer.finish(workers.ids())).ids());
        assertThat(transfer.ran()).hasSize(PbsRig.ARRAY_LIMIT + 3).containsKey("finish.0");
        try (Stream<Path> scripts = Files.list(transfer.path("launch"))) {
            assertThat(scripts.filter(script -> script.toString().contains("-finish-"))).hasSize(3)
                    .anySatisfy(script -> assertThat(script).content().contains("depend="))
                    .anySatisfy(script -> assertThat(script).content().doesNotContain("depend="));
        }
    }

    @Test
    void aWorkerStopsBeforeItsTimeIsOverAndOneThatDoesNotIsEnded() throws Exception {
        start(PbsDialect.OPENPBS, true);
        transfer.behave("worker.0", STOPS);
        transfer.behave("worker.1", "trap '' TERM; while :; do sleep 0.1; done");
        Submission workers = pbs.submit(transfer.workers(2).walltime(Duration.ofSeconds(6)));
        String number = workers.ids().getFirst().replace("[].pbs", "");
        assertThat(TransferRig.awaitEnd(pbs, workers.ids())).containsEntry(number + "[0].pbs", JobState.FAILED)
                .containsEntry(number + "[1].pbs", JobState.TIMED_OUT);
        assertThat(transfer.path("told.0")).exists();
    }

    @Test
    void refusalsOfPbsAreShown() throws Exception {
        PbsRig running = start(PbsDialect.OPENPBS, true);
        assertThat(refusal(() -> pbs.submit(transfer.workers(2).options(List.of("-q nowhere")))))
                .hasMessageContaining("Unknown queue");
        assertThat(refusal(() -> pbs.submit(transfer.workers(2).options(List.of("-l nodes=1 -l select=1")))))
                .hasMessageContaining("Cannot be used with select or place: nodes");
        SchedulerException root = refusal(
                () -> Schedulers.pbs(PbsDialect.OPENPBS, running.environment()).submit(transfer.workers(2)));
        assertThat(root).hasMessageContaining("Bad UID for job execution");
        assertThat(root.exitCode()).isEqualTo(175);
    }

    private static SchedulerException refusal(ThrowingCallable call) {
        return catchThrowableOfType(SchedulerException.class, call);
    }

    @Test
    void theVersionDeterminesTheDialect() throws Exception {
        for (PbsDialect dialect : PbsDialect.values()) {
            try (PbsRig running = new PbsRig(dialect, true, true)) {
                assertThat(Schedulers.named("pbs", running.environment()).name())
                        .isEqualTo(dialect.name().toLowerCase(Locale.ROOT));
            }
        }
    }

    /** The results depend on the strictness of the emulator. */
    @ParameterizedTest
    @EnumSource
    void theEmulatorRefusesTheCommandsThatTheRealSchedulersRefuse(PbsDialect dialect) throws Exception {
        Map<String, String> refused = dialect == PbsDialect.OPENPBS
                ? Map.of("-J 0-0", "illegal -J value", "-J 0-3,5", "illegal -J value", "-J 0-9",
                        "exceeds server or queue size limit", "-t 0-3", "invalid option -- 't'",
                        "-l select=1 -l nodes=1", "Cannot be used with select", "-W depend=afteranyarray:1[].pbs",
                        "illegal -W value", "-W depend=afterany:1[2].pbs", "dependancy on subjob")
                : Map.of("-J 0-3", "invalid option -- 'J'", "-l select=1", "Unknown resource type",
                        "-W depend=afterany:1[].pbs", "illegal -W value", "-W depend=afteranyarray:99[].pbs",
                        "Unknown Job Id 99[].pbs", "-N th-20261121-120000-abcd", "illegal -N value");
        PbsRig running = new PbsRig(dialect, true, true);
        rig = running;
        for (var line : refused.entrySet()) {
            Files.writeString(transfer.path("script"), "#!/bin/bash\n#PBS " + line.getKey() + "\ntrue\n");
            Run run = Run.of(running.environment(), running.program("qsub"), transfer.path("script"));
            assertThat(run.code()).as(line.getKey()).isNotZero();
            assertThat(run.err()).contains(line.getValue());
        }
    }
}
