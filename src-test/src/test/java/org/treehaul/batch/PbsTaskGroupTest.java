// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Run;
import org.treehaul.schedulers.pbs.PbsDialect;
import org.treehaul.schedulers.tasks.GroupOptions;
import org.treehaul.schedulers.tasks.TaskInfo;
import org.treehaul.schedulers.tasks.group.TaskGroup;

/**
 * A group of tasks on the nodes of a job of an emulated PBS, started by pbs_tmrsh. It passes them no input, shows none
 * of their signals, and its end is not theirs.
 */
@Tag("rig")
class PbsTaskGroupTest {

    private final TestDirectory directory = TestDirectory.make();
    private PbsRig rig;
    private GroupOptions options;

    @BeforeEach
    void startJob() throws Exception {
        rig = new PbsRig(PbsDialect.OPENPBS, true, true);
        Path job = Files.writeString(directory.resolve("job.sh"), """
                #!/bin/bash
                #PBS -j oe
                #PBS -l select=2
                echo "$PBS_JOBID $PBS_NODEFILE" > %s
                sleep 86396
                """.formatted(directory.resolve("started")));
        Run.of(rig.environment(), rig.program("qsub"), "-o", directory.resolve("output"), job).expect(0);
        await().atMost(Duration.ofMinutes(5))
                .until(() -> Files.exists(directory.resolve("started"))
                        && Files.readString(directory.resolve("started")).endsWith("\n"));
        String[] words = Files.readString(directory.resolve("started")).strip().split(" ", 2);
        Map<String, String> environment = new TreeMap<>(rig.environment());
        environment.putAll(Map.of("PBS_ENVIRONMENT", "PBS_BATCH", "PBS_JOBID", words[0], "PBS_NODEFILE", words[1]));
        options = NodeGroup.options(directory, environment, List.of(rig.program("pbs_tmrsh").toString(), "{host}"));
    }

    @AfterEach
    void end() {
        if (rig != null) {
            rig.close();
        }
        directory.close();
    }

    @Test
    @Tag("happy-path")
    void eachTaskRunsOnTheNodeThatHasItsSegmentAndTheDeathOfOneIsNamed() throws Exception {
        try (TaskGroup group = TaskGroup.spawn("node", Map.of(), NodeGroup.onNodes(0, 2), options)) {
            String first = group.receive(0).text();
            assertThat(first).startsWith("node0 ");
            String second = group.receive(1).text();
            assertThat(second).startsWith("node1 ");
            NodeGroup.process(second).destroyForcibly();
            // pbs_tmrsh ends with the number of the signal as its code.
            assertThatThrownBy(() -> group.receive(1))
                    .hasMessage("task 1 on node1 is lost: its process ended with code 9");
            assertThat(group.send(0, new byte[0], Duration.ofHours(1))).isTrue();
            assertThat(group.await(Duration.ofHours(1))).isTrue();
            assertThat(group.query().getFirst().state()).isEqualTo(TaskInfo.State.DONE);
        }
    }

    @Test
    void aTaskEndsWithItsGroupAlthoughNothingKillsItsProcess() throws Exception {
        ProcessHandle task;
        try (TaskGroup group = TaskGroup.spawn("node", Map.of(), NodeGroup.onNodes(0, 1), options)) {
            task = NodeGroup.process(group.receive(0).text());
        }
        task.onExit().join();
    }

    @Test
    void aStoppedTaskIsLostAndItsProcessEndsWhenItGoesOn() throws Exception {
        GroupOptions patient = options.times(Duration.ofHours(1), Duration.ofSeconds(6), Duration.ofSeconds(1));
        try (TaskGroup group = TaskGroup.spawn("node", Map.of(), NodeGroup.onNodes(0, 1), patient)) {
            ProcessHandle task = NodeGroup.process(group.receive(0).text());
            Run.of("kill", "-STOP", task.pid()).expect(0);
            assertThatThrownBy(() -> group.receive(0))
                    .hasMessage("task 0 on node0 is lost: its process has sent nothing for 6 s");
            assertThat(task.isAlive()).isTrue();
            Run.of("kill", "-CONT", task.pid()).expect(0);
            task.onExit().join();
        }
    }
}
