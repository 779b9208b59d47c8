// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Run;
import org.treehaul.schedulers.tasks.GroupOptions;
import org.treehaul.schedulers.tasks.Launcher;
import org.treehaul.schedulers.tasks.Segment;
import org.treehaul.schedulers.tasks.SegmentedFile;
import org.treehaul.schedulers.tasks.StripeRange;
import org.treehaul.schedulers.tasks.TaskInfo;
import org.treehaul.schedulers.tasks.group.TaskGroup;

/** A group of tasks on the nodes of a real Slurm, started by srun. */
@ExtendWith(SlurmRig.class)
@Tag("rig")
class SlurmTaskGroupTest {

    private static final Launcher SRUN = Launcher
            .prefix(List.of("srun", "--quiet", "--nodes=1", "--ntasks=1", "--nodelist={host}"));

    private SlurmRig.Running rig;
    private TestDirectory directory;
    private GroupOptions options;

    @BeforeEach
    void setUp(SlurmRig.Running running) throws Exception {
        rig = running;
        directory = TestDirectory.make();
        Path services = Files.createDirectories(directory.resolve("classes/META-INF/services"));
        Files.writeString(services.resolve("org.treehaul.schedulers.tasks.TaskProvider"),
                NodeTask.class.getName() + "\n");
        Launcher launcher = new Launcher() {
            @Override
            public Process start(String host, ProcessBuilder command) throws IOException {
                command.environment().putAll(rig.environment());
                return SRUN.start(host, command);
            }
        };
        options = GroupOptions.defaults()
                .placement(GroupOptions.Placement.HOSTS)
                .launcher(launcher, directory.path())
                .outputs(directory.path())
                .java(List.of(Run.JAVA.toString(), "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
                        "--enable-native-access=ALL-UNNAMED"),
                        directory.resolve("classes") + ":"
                                + System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")))
                .times(Duration.ofHours(1), Duration.ofHours(1), Duration.ofSeconds(30));
    }

    @AfterEach
    void tearDown() throws Exception {
        if (directory != null) {
            Run.of(rig.environment(), "scancel", "--full", "--me");
            TransferCli.until(() -> rig.run("squeue", "-h").isEmpty());
            directory.close();
        }
    }

    private static SegmentedFile onNodes(int count) {
        List<Segment> segments = IntStream.range(0, count)
                .mapToObj(i -> new Segment(i, Optional.of("node" + (i + 1)), List.of(StripeRange.of(i * 10L, 10))))
                .toList();
        return () -> segments;
    }

    @Test
    @Tag("happy-path")
    void eachTaskRunsOnTheNodeThatHasItsSegment() throws Exception {
        try (TaskGroup group = TaskGroup.spawn("node", Map.of(), onNodes(4), options)) {
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
        try (TaskGroup group = TaskGroup.spawn("node", Map.of(), onNodes(2), options)) {
            String identity = group.receive(1).text();
            assertThat(identity).startsWith("node2 ");
            Run.of("kill", "-9", identity.substring(identity.indexOf(' ') + 1)).expect(0);
            assertThatThrownBy(() -> group.receive(1)).hasMessageStartingWith("task 1 on node2 is lost: its process ");
            assertThat(group.receive(0).text()).startsWith("node1 ");
            assertThat(group.query().getFirst().state()).isEqualTo(TaskInfo.State.RUNNING);
        }
    }
}
