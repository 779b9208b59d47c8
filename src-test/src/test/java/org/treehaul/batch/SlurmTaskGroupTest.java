// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Run;
import org.treehaul.schedulers.tasks.GroupOptions;
import org.treehaul.schedulers.tasks.TaskInfo;
import org.treehaul.schedulers.tasks.group.TaskGroup;

/** A group of tasks on the nodes of a real Slurm, started by srun. */
@ExtendWith(SlurmRig.class)
@Tag("rig")
class SlurmTaskGroupTest {

    private SlurmRig.Running rig;
    private TestDirectory directory;
    private GroupOptions options;

    @BeforeEach
    void setUp(SlurmRig.Running running) throws Exception {
        rig = running;
        directory = TestDirectory.make();
        options = NodeGroup.options(directory, rig.environment(),
                List.of("srun", "--quiet", "--nodes=1", "--ntasks=1", "--nodelist={host}"));
    }

    @AfterEach
    void tearDown() throws Exception {
        if (directory != null) {
            Run.of(rig.environment(), "scancel", "--full", "--me");
            TransferCli.until(() -> rig.run("squeue", "-h").isEmpty());
            directory.close();
        }
    }

    @Test
    @Tag("happy-path")
    void eachTaskRunsOnTheNodeThatHasItsSegment() throws Exception {
        try (TaskGroup group = TaskGroup.spawn("node", Map.of(), NodeGroup.onNodes(1, 4), options)) {
            for (TaskInfo task : group.query()) {
                assertThat(group.receive(task.index()).text()).startsWith("node" + (task.index() + 1) + " ");
                assertThat(group.send(task.index(), new byte[0], Duration.ofHours(1))).isTrue();
            }
            assertThat(group.await(Duration.ofHours(1))).isTrue();
            assertThat(group.query()).extracting(TaskInfo::state).containsOnly(TaskInfo.State.DONE);
        }
    }

    @Test
    void theDeathOfAProcessOnANodeFailsReceivesOfItsTaskByName() throws Exception {
        try (TaskGroup group = TaskGroup.spawn("node", Map.of(), NodeGroup.onNodes(1, 2), options)) {
            String identity = group.receive(1).text();
            assertThat(identity).startsWith("node2 ");
            Run.of("kill", "-9", identity.substring(identity.indexOf(' ') + 1)).expect(0);
            assertThatThrownBy(() -> group.receive(1)).hasMessageStartingWith("task 1 on node2 is lost: its process ");
            assertThat(group.receive(0).text()).startsWith("node1 ");
            assertThat(group.query().getFirst().state()).isEqualTo(TaskInfo.State.RUNNING);
        }
    }
}
