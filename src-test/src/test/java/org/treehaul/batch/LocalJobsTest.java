// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.treehaul.schedulers.JobState;
import org.treehaul.schedulers.Scheduler;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.Submission;
import org.treehaul.schedulers.discovery.Schedulers;

/** Jobs that are processes of this machine. */
class LocalJobsTest {
    private final Scheduler local = Schedulers.local();
    private TransferRig rig;

    @BeforeEach
    void makeRig() throws Exception {
        rig = new TransferRig();
    }

    @AfterEach
    void removeRig() {
        rig.close();
    }

    @Test
    void workersRunInSessionsOfTheirOwnAndFinishingAfterTheLast() throws Exception {
        rig.behave("worker.1", "sleep 2; exit 7");
        Submission workers = local.submit(rig.workers(3));
        Submission finish = local.submit(rig.finish(workers.ids()));
        rig.behave("finish", "ls ran > seen");
        assertThat(workers.ids()).hasSize(3).doesNotHaveDuplicates();
        String pid = workers.ids().get(1).split(":", 2)[0];
        assertThat(local.states(workers.ids()).values()).contains(JobState.RUNNING);
        String[] stat = Files.readString(Path.of("/proc", pid, "stat")).split("\\) ", 2)[1].split(" ", -1);
        assertThat(stat[3]).as("the session").isEqualTo(pid);
        TransferRig.awaitEnd(local, finish.ids());
        assertThat(rig.ran()).containsOnlyKeys("worker.0", "worker.1", "worker.2", "finish.0");
        assertThat(local.states(workers.ids()).values()).containsOnly(JobState.GONE);
        assertThat(rig.log("th-abcd-worker-" + pid)).isEmpty();
    }

    @Test
    void finishingDoesNotBeginBeforeTheLastWorkerIsGone() throws Exception {
        rig.behave("worker", "while [[ ! -e go ]]; do sleep 0.1; done; echo done > \"done.$index\"");
        rig.behave("finish", "ls done.* > seen");
        Submission workers = local.submit(rig.workers(2));
        Submission finish = local.submit(rig.finish(workers.ids()));
        rig.awaitRan("worker.0", "worker.1");
        assertThat(local.states(finish.ids()).values()).containsOnly(JobState.RUNNING);
        assertThat(rig.ran()).doesNotContainKey("finish.0");
        Files.writeString(rig.path("go"), "");
        TransferRig.awaitEnd(local, finish.ids());
        assertThat(Files.readAllLines(rig.path("seen"))).containsExactly("done.0", "done.1");
    }

    @Test
    void cancelledWorkersAreReportedAndAreGone() throws Exception {
        rig.behave("worker",
                "trap 'echo told > told.$index; exit 20' TERM; touch ready.$index; while :; do sleep 0.1; done");
        Submission workers = local.submit(rig.workers(2));
        Submission finish = local.submit(rig.finish(workers.ids()));
        Awaitility.await().until(() -> Files.exists(rig.path("ready.0")) && Files.exists(rig.path("ready.1")));
        local.cancel(finish.ids());
        local.cancel(workers.ids());
        assertThat(local.states(workers.ids()).values()).containsOnly(JobState.GONE);
        assertThat(rig.path("told.0")).exists();
        assertThat(rig.path("told.1")).exists();
        assertThat(rig.ran()).doesNotContainKey("finish.0");
        assertThat(rig.log("th-abcd-worker-" + workers.ids().getFirst().split(":", 2)[0]))
                .contains("stopped by signal TERM, exit code 20");
    }

    @Test
    void noMoreRunThanMay() throws Exception {
        assertThat(local.submit(rig.workers(9).maxRunning(2)).ids()).hasSize(2);
    }

    @Test
    void aProcessWithAnotherStartTimeIsNotOurs() throws Exception {
        long pid = ProcessHandle.current().pid();
        String host = Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
        String other = pid + ":1@" + host;
        assertThat(local.states(List.of(other))).containsEntry(other, JobState.GONE);
        local.cancel(List.of(other));
    }

    @Test
    void jobsOfAnotherHostAreUnknown() throws Exception {
        String id = "1:1@elsewhere";
        assertThat(local.states(List.of(id))).containsEntry(id, JobState.UNKNOWN);
        assertThatThrownBy(() -> local.cancel(List.of(id))).isInstanceOf(SchedulerException.class)
                .hasMessageContaining(id);
    }
}
