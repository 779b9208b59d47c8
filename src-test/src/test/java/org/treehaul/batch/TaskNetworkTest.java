// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Run;
import org.treehaul.pool.Nodes;
import org.treehaul.schedulers.tasks.GroupOptions;
import org.treehaul.schedulers.tasks.Launcher;
import org.treehaul.schedulers.tasks.TaskInfo;
import org.treehaul.schedulers.tasks.group.TaskGroup;

/** Groups of tasks on two hosts of an own network, whose processes are cut off and stopped. */
@Tag("rig")
class TaskNetworkTest {

    private static final Duration LONG = Duration.ofHours(1);
    private static final Duration SILENCE = Duration.ofSeconds(8);

    private final TestDirectory directory = TestDirectory.make();
    private Nodes nodes;
    private GroupOptions options;

    @BeforeEach
    void makeNodes() throws Exception {
        nodes = Nodes.make(2);
        Launcher launcher = (host, command) -> {
            int node = Integer.parseInt(host.substring("node".length()));
            // As ssh, which ends alone if it is killed.
            List<String> words = new ArrayList<>(List.of("sh", "-c", "\"$@\" & wait $!", "sh"));
            words.addAll(nodes.on(node));
            words.addAll(command.command());
            return command.command(words).start();
        };
        options = NodeGroup.options(directory, launcher).times(LONG, SILENCE, Duration.ofSeconds(1));
    }

    @AfterEach
    void removeNodes() {
        if (nodes != null) {
            nodes.close();
        }
        directory.close();
    }

    @Test
    @Tag("happy-path")
    void aTaskThatIsCutOffIsLostByNameAndEndsByItself() throws Exception {
        try (TaskGroup group = TaskGroup.spawn("node", Map.of(), NodeGroup.onNodes(0, 2), options)) {
            assertThat(group.receive(0).text()).startsWith(nodes.name(0) + " ");
            ProcessHandle cut = NodeGroup.process(group.receive(1).text());
            nodes.cut(1);
            assertThatThrownBy(() -> group.receive(1))
                    .hasMessage("task 1 on node1 is lost: its process has sent nothing for 8 s");
            cut.onExit().join();
            // The other one works on.
            assertThat(group.send(0, new byte[0], LONG)).isTrue();
            assertThat(group.await(LONG)).isTrue();
            assertThat(group.query().getFirst().state()).isEqualTo(TaskInfo.State.DONE);
        }
    }

    private static CompletableFuture<Boolean> send(TaskGroup group, int task) {
        CompletableFuture<Boolean> sent = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                sent.complete(group.send(task, new byte[0], LONG));
            } catch (Exception e) {
                sent.completeExceptionally(e);
            }
        });
        return sent;
    }

    private static void assertWaits(CompletableFuture<Boolean> sent) {
        assertThatThrownBy(() -> sent.get(1, TimeUnit.SECONDS)).isInstanceOf(TimeoutException.class);
    }

    /** Stops a process. Each of its threads runs until it handles the signal. */
    private static void stop(ProcessHandle process) throws Exception {
        Run.of("kill", "-STOP", process.pid()).expect(0);
        Path threads = Path.of("/proc/" + process.pid() + "/task");
        await().untilAsserted(() -> {
            try (Stream<Path> all = Files.list(threads)) {
                for (Path thread : all.toList()) {
                    assertThat(Files.readString(thread.resolve("status"))).contains("State:\tT");
                }
            }
        });
    }

    private void assertDone(TaskGroup group) throws Exception {
        assertThat(group.await(LONG)).isTrue();
        assertThat(group.query()).extracting(TaskInfo::state).containsOnly(TaskInfo.State.DONE);
    }

    @Test
    void aTaskThatIsReachedAgainInTimeLosesNothing() throws Exception {
        try (TaskGroup group = TaskGroup.spawn("node", Map.of(), NodeGroup.onNodes(0, 2),
                options.times(LONG, LONG, Duration.ofSeconds(1)))) {
            group.receive(1);
            nodes.cut(1);
            CompletableFuture<Boolean> sent = send(group, 1);
            assertWaits(sent);
            nodes.join(1);
            assertThat(sent.get()).isTrue();
            group.send(0, new byte[0]);
            assertDone(group);
        }
    }

    @Test
    void aProcessThatIsStoppedForAWhileLosesNothing() throws Exception {
        try (TaskGroup group = TaskGroup.spawn("node", Map.of(), NodeGroup.onNodes(0, 1),
                options.times(LONG, LONG, Duration.ofSeconds(1)))) {
            ProcessHandle stopped = NodeGroup.process(group.receive(0).text());
            stop(stopped);
            CompletableFuture<Boolean> sent = send(group, 0);
            assertWaits(sent);
            Run.of("kill", "-CONT", stopped.pid()).expect(0);
            assertThat(sent.get()).isTrue();
            assertDone(group);
        }
    }
}
