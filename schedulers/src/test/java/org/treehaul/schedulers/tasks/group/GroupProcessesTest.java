// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.tasks.group;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.treehaul.schedulers.tasks.GroupMember.ANY;
import static org.treehaul.schedulers.tasks.GroupOptions.Placement.HOSTS;
import static org.treehaul.schedulers.tasks.GroupOptions.Placement.TASKS;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.core.locality.DataExtent;
import org.treehaul.core.locality.DataLayout;
import org.treehaul.core.locality.DataPlace;
import org.treehaul.core.locality.Holders;
import org.treehaul.schedulers.tasks.GroupOptions;
import org.treehaul.schedulers.tasks.Launcher;
import org.treehaul.schedulers.tasks.SegmentedFile;
import org.treehaul.schedulers.tasks.TaskGroupException;
import org.treehaul.schedulers.tasks.TaskInfo;

/** Groups whose tasks run in other processes. */
class GroupProcessesTest {

    static final String CLASS_PATH = System.getProperty("surefire.test.class.path",
            System.getProperty("java.class.path"));
    private static final Duration LONG = Duration.ofDays(1);

    @TempDir
    private Path directory;
    private Path outputs;
    private GroupOptions options;

    @BeforeEach
    void setUp() throws Exception {
        outputs = Files.createDirectory(directory.resolve("outputs"));
        options = options(directory).outputs(outputs);
    }

    static GroupOptions options(Path shared) {
        return GroupOptions.defaults()
                .launcher(Launcher.here(), shared)
                .java(List.of(Path.of(System.getProperty("java.home"), "bin/java").toString(), "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-Xmx64m", "--enable-native-access=ALL-UNNAMED"),
                        CLASS_PATH)
                .times(Duration.ofHours(1), Duration.ofHours(1), Duration.ofSeconds(5));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    /** Returns the process of a task, which its first message has. */
    private static ProcessHandle process(String identity) {
        return ProcessHandle.of(Long.parseLong(identity.substring(0, identity.indexOf(' ')))).orElseThrow();
    }

    private static CompletableFuture<Boolean> sendAsync(TaskGroup group, int task, String text) {
        CompletableFuture<Boolean> sent = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                sent.complete(group.send(task, bytes(text), LONG));
            } catch (Exception e) {
                sent.completeExceptionally(e);
            }
        });
        return sent;
    }

    @Test
    void eachHostHasAProcessForTheTasksOfItsSegments() throws Exception {
        DataLayout layout = new DataLayout("test", List.of(new DataExtent(0, 100, 10, 2,
                List.of(Holders.of(DataPlace.on("node1")), Holders.of(DataPlace.on("node2"))), "")), false);
        List<ProcessHandle> processes = new ArrayList<>();
        // Not known to be here, so that they join over the network of the host.
        Launcher launcher = Launcher.prefix(List.of("env", "STARTED_FOR={host}"));
        try (TaskGroup group = TaskGroup.spawn("test", Map.of("do", "echo"), SegmentedFile.onServers(layout, 75),
                options.placement(HOSTS).instances(2).launcher(launcher, directory))) {
            List<String> identities = new ArrayList<>();
            for (int task = 0; task < 4; task++) {
                String identity = group.receive(task).text();
                processes.add(process(identity));
                identities.add(identity.substring(identity.indexOf(' ') + 1));
            }
            String id = group.group();
            assertThat(identities).containsExactly(id + " 0 0 0 40 node1 node1", id + " 1 0 1 35 node2 node2",
                    id + " 2 1 0 40 node1 node1", id + " 3 1 1 35 node2 node2");
            assertThat(processes.get(0)).isEqualTo(processes.get(2)).isNotEqualTo(processes.get(1));
            assertThat(processes.get(1)).isEqualTo(processes.get(3));
            assertThat(group.query()).extracting(TaskInfo::host).containsExactly("node1", "node2", "node1", "node2");

            // Within a process, between processes, and of one that is killed by another.
            for (int other : List.of(2, 1)) {
                group.send(0, bytes("ask " + other));
                assertThat(group.receive(0).text()).isEqualTo("true echo hello");
            }
            assertThat(group.send(3, bytes("echo again"), LONG)).isTrue();
            assertThat(group.receive(ANY).text()).isEqualTo("echo again");
            group.send(3, bytes("poll"));
            assertThat(group.receive(3).text()).isEqualTo("Optional.empty");
            group.send(1, bytes("kill 0"));
            assertThat(group.receive(1).text()).isEqualTo("task 0 on node1 was killed (0)");
            group.send(1, bytes("query"));
            assertThat(group.receive(1).text()).isEqualTo(group.query().toString())
                    .contains("task 0 on node1 was killed, task 1 on node2 runs");
            group.send(3, bytes("end"));
            assertThatThrownBy(() -> group.receive(3)).hasMessage("task 3 on node2 has returned");
        }
        assertThat(processes).noneMatch(ProcessHandle::isAlive);
        assertThat(directory).isDirectoryNotContaining("glob:**/treehaul-tasks-*");
        assertThat(outputs.resolve("process-0.log")).isEmptyFile();
    }

    @Test
    void theDeathOfAProcessFailsAllThatWaitForItsTaskByName() throws Exception {
        try (TaskGroup group = TaskGroup.spawn("test", Map.of("do", "sleep echo stubborn"), SegmentedFile.inParts(3, 3),
                options.placement(TASKS).times(LONG, LONG, Duration.ofMillis(100)))) {
            ProcessHandle stubborn = process(group.receive(2).text());
            group.receive(1);
            CompletableFuture<Boolean> sent = sendAsync(group, 0, "never received");
            // The request of task 1 is on its way before the process dies, or is refused afterwards.
            group.send(1, bytes("ask 0"));
            // A first message of the task remains after its death.
            assertThat(group.query().getFirst().state()).isEqualTo(TaskInfo.State.RUNNING);
            String identity = group.receive(0).text();
            process(identity).destroyForcibly();

            assertThatThrownBy(sent::join).isInstanceOf(CompletionException.class)
                    .hasMessageContaining("task 0 is lost: its process was killed by signal 9")
                    .satisfiesAnyOf(e -> assertThat(e).hasMessageContaining("it did not receive the message"),
                            e -> assertThat(e).hasMessageEndingWith("signal 9"));
            assertThatThrownBy(() -> group.receive(0)).isInstanceOf(TaskGroupException.class)
                    .hasMessage("task 0 is lost: its process was killed by signal 9");
            // Task 1 failed by its call that waited for task 0.
            assertThatThrownBy(() -> group.receive(1)).hasMessageContaining("task 1 failed: ")
                    .hasMessageContaining("task 0 is lost");

            group.kill(2);
            assertThatThrownBy(() -> group.receive(ANY)).hasMessageContaining("all tasks have ended")
                    .hasMessageContaining("task 2 was killed");
            // It does not respond to its interruption.
            stubborn.onExit().join();
        }
    }

    @Test
    void aStoppedProcessIsLostAndKilled() throws Exception {
        try (TaskGroup group = TaskGroup.spawn("test", Map.of("do", "sleep"), SegmentedFile.inParts(1, 1),
                options.placement(TASKS).times(LONG, Duration.ofSeconds(6), Duration.ofSeconds(5)))) {
            ProcessHandle process = process(group.receive(0).text());
            assertThat(new ProcessBuilder("kill", "-STOP", Long.toString(process.pid())).start().waitFor()).isZero();
            assertThatThrownBy(() -> group.receive(0))
                    .hasMessage("task 0 is lost: its process has sent nothing for 6 s");
            process.onExit().join();
        }
    }

    @Test
    void aProcessThatCannotRunItsTasksEndsTheSpawn() throws Exception {
        assertThatThrownBy(
                () -> TaskGroup.spawn("test", Map.of(), SegmentedFile.inParts(1, 1), options.placement(HOSTS)))
                .hasMessage("process 0 cannot run its tasks: the program 'test' refuses its parameters:"
                        + " parameter 'do' is missing");
        assertThatThrownBy(() -> TaskGroup.spawn("test", Map.of("do", "echo"), SegmentedFile.inParts(1, 1),
                options.placement(HOSTS).java(List.of("false"), CLASS_PATH)))
                .hasMessage("process 0 ended with code 1 before its tasks began");
        // As ssh does if it cannot reach the host.
        assertThatThrownBy(() -> TaskGroup.spawn("test", Map.of("do", "echo"), SegmentedFile.inParts(1, 1),
                options.placement(HOSTS).java(List.of("sh", "-c", "exit 255"), CLASS_PATH)))
                .hasMessage("process 0 ended with code 255 before its tasks began");
        assertThatThrownBy(() -> TaskGroup.spawn("test", Map.of("do", "echo"), SegmentedFile.inParts(1, 1),
                options.placement(HOSTS).java(List.of("/no/such/java"), CLASS_PATH)))
                .hasMessageStartingWith("cannot start process 0: ");
        assertThatThrownBy(() -> TaskGroup.spawn("test", Map.of("do", "echo"), SegmentedFile.inParts(1, 1),
                options.placement(HOSTS).launcher(Launcher.here(), directory.resolve("none"))))
                .hasMessageContaining("processes cannot find this one through " + directory.resolve("none"))
                .hasMessageContaining("No such file or directory");
        assertThat(directory).isDirectoryNotContaining("glob:**/treehaul-tasks-*");
    }

    @Test
    void processesEndWithTheirCreator() throws Exception {
        List<String> command = new ArrayList<>(options.javaWords());
        command.addAll(List.of("-cp", CLASS_PATH, Creator.class.getName(), directory.toString()));
        Process creator = new ProcessBuilder(command).redirectError(directory.resolve("err").toFile()).start();
        ProcessHandle process = process(creator.inputReader().readLine() + " ");
        creator.destroyForcibly().waitFor();
        assertThat(process.onExit().get(1, TimeUnit.DAYS).isAlive()).isFalse();
    }

    /** Creates a group with one process, prints the number of the process, and waits. */
    static final class Creator {
        private Creator() {}

        public static void main(String[] args) throws Exception {
            Path directory = Path.of(args[0]);
            TaskGroup group = TaskGroup.spawn("test", Map.of("do", "sleep"), SegmentedFile.inParts(1, 1),
                    options(directory).outputs(directory).placement(HOSTS));
            String identity = group.receive(0).text();
            System.out.println(identity.substring(0, identity.indexOf(' ')));
            group.receive(ANY);
        }
    }

    @Test
    void aProcessWithATaskThatDoesNotEndAfterAKillEndsAfterItsOtherTasks() throws Exception {
        try (TaskGroup group = TaskGroup.spawn("test", Map.of("do", "stubborn echo"), SegmentedFile.inParts(10, 2),
                options.placement(HOSTS).times(Duration.ofHours(1), Duration.ofHours(1), Duration.ofMillis(100)))) {
            ProcessHandle process = process(group.receive(0).text());
            group.receive(1);
            group.kill(0);
            group.send(1, bytes("end"));
            assertThat(process.onExit()).succeedsWithin(LONG);
        }
    }
}
