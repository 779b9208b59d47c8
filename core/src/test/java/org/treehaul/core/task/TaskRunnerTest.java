// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;

/** Processes of tasks, with real programs. */
class TaskRunnerTest {

    private static final Duration LONG = Duration.ofMinutes(10);
    private static final ByteString PATH = ByteString.of("the path");

    private final TestDirectory directory = TestDirectory.onTmpfs();

    @AfterEach
    void delete() {
        directory.close();
    }

    private CommandTask task(Duration limit, int retries, String... words) {
        return new CommandTask(new CommandTemplate(Stream.of(words).map(ByteString::of).toList()),
                ByteString.of(directory.path().toString()), limit, retries, false, Optional.empty());
    }

    private CommandTask shell(Duration limit, int retries, String script) {
        return task(limit, retries, "/bin/sh", "-c", script, "sh", "{}");
    }

    private TaskEnd run(CommandTask task) throws SystemCallException {
        return run(task, PATH);
    }

    private TaskEnd run(CommandTask task, ByteString path) throws SystemCallException {
        try (TaskRunner runner = TaskRunner.open(Linux.calls(), task, null, false)) {
            return run(runner, path);
        }
    }

    private TaskEnd run(TaskRunner runner, ByteString path) throws SystemCallException {
        try (TaskOutputs outputs = OutputFiles.in(Linux.calls(), ByteString.of(directory.path().toString()))) {
            TaskOutputs.Opened opened = outputs.open(0, "0", ByteString.of("x"));
            try {
                return runner.run(path, opened);
            } finally {
                opened.end();
            }
        }
    }

    private byte[] output(String ending) throws IOException {
        Path file = directory.resolve("0.x." + ending);
        return Files.exists(file) ? Files.readAllBytes(file) : new byte[0];
    }

    private String out() throws IOException {
        return new String(output("out"), StandardCharsets.ISO_8859_1);
    }

    @Test
    void theCodeOfTheCommandIsKnown() throws Exception {
        assertThat(run(shell(Duration.ZERO, 0, "exit 0")).isSuccess()).isTrue();
        assertThat(run(shell(Duration.ZERO, 0, "exit 7"))).isEqualTo(new TaskEnd.Exited(7));
        assertThat(run(shell(Duration.ZERO, 0, "exit 7")).failure().orElseThrow())
                .hasMessage("the command ended with 7");
        assertThat(run(shell(Duration.ZERO, 0, "kill -SEGV $$")).failure().orElseThrow())
                .hasMessage("the command was ended by signal 11 (SIGSEGV)");
    }

    @Test
    void aCommandThatDoesNotExistOrIsNotExecutableIsNotStarted() throws Exception {
        assertThat(run(task(Duration.ZERO, 2, "treehaul-none"))).isEqualTo(new TaskEnd.NotStarted(Errno.ENOENT));
        Files.writeString(directory.resolve("text"), "text");
        assertThat(run(task(Duration.ZERO, 0, "./text"))).isEqualTo(new TaskEnd.NotStarted(Errno.EACCES));
    }

    @Test
    void anArgumentArrivesByteForByte() throws Exception {
        byte[] hostile = "-n $(x) `y` '\"\\ *\n\u00e9\u00ff".getBytes(StandardCharsets.ISO_8859_1);
        assertThat(run(task(Duration.ZERO, 0, "printf", "%s|", "{}", "", "{/}"), ByteString.of(hostile)).isSuccess())
                .isTrue();
        String text = new String(hostile, StandardCharsets.ISO_8859_1);
        assertThat(out()).isEqualTo(text + "||" + text + "|");
    }

    @Test
    void theOutputsAreApartAndTheInputIsEmpty() throws Exception {
        assertThat(run(shell(Duration.ZERO, 0, "cat; echo out; echo err >&2")).isSuccess()).isTrue();
        assertThat(out()).isEqualTo("out\n");
        assertThat(new String(output("err"), StandardCharsets.US_ASCII)).isEqualTo("err\n");
        assertThat(run(shell(Duration.ZERO, 0, ":")).isSuccess()).isTrue();
        assertThat(directory.resolve("0.x.out")).doesNotExist();
    }

    @Test
    void theCommandRunsInTheDirectoryOfTheTask() throws Exception {
        assertThat(run(task(Duration.ZERO, 0, "sh", "-c", "pwd -P")).isSuccess()).isTrue();
        assertThat(out()).isEqualTo(directory.path().toRealPath() + "\n");
    }

    @Test
    void theCommandHasNoBlockedSignalsAndNoFurtherDescriptors() throws Exception {
        // The descriptors of this process, each of which could have been inherited.
        int most;
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            most = open.mapToInt(path -> Integer.parseInt(path.getFileName().toString())).max().orElseThrow();
        }
        assertThat(
                run(task(Duration.ZERO, 0, "sh", "-c",
                        "grep SigBlk /proc/self/status; i=3; while [ $i -le " + most
                                + " ]; do [ ! -e /proc/$$/fd/$i ] || echo $i; i=$((i + 1)); done"))
                        .isSuccess())
                .isTrue();
        assertThat(out()).isEqualTo("SigBlk:\t0000000000000000\n");
    }

    @Test
    void aCommandThatFailsIsRepeated() throws Exception {
        assertThat(run(shell(Duration.ZERO, 2, "echo x >> tries; [ $(wc -l < tries) = 3 ]")).isSuccess()).isTrue();
        assertThat(directory.resolve("tries")).hasContent("x\nx\nx\n");
        Files.delete(directory.resolve("tries"));
        assertThat(run(shell(Duration.ZERO, 1, "echo x >> tries; false"))).isEqualTo(new TaskEnd.Exited(1));
        assertThat(directory.resolve("tries")).hasContent("x\nx\n");
    }

    @Test
    void aCommandThatFailsIsNotRepeatedAfterARequestToStop() throws Exception {
        Cancellation stop = new Cancellation();
        stop.cancel();
        CommandTask task = shell(Duration.ZERO, 5, "echo x >> tries; false");
        try (TaskRunner runner = TaskRunner.open(Linux.calls(), task, null, false);
                TaskOutputs outputs = OutputFiles.in(Linux.calls(), ByteString.of(directory.path().toString()))) {
            TaskOutputs.Opened opened = outputs.open(0, "0", ByteString.of("x"));
            assertThat(runner.run(TaskInput.of(PATH), opened, stop)).isEqualTo(new TaskEnd.Exited(1));
            opened.end();
        }
        assertThat(directory.resolve("tries")).hasContent("x\n");
    }

    @Test
    void aCommandThatRunsTooLongIsEndedWithItsChildren() throws Exception {
        String child = "";
        // On a busy machine the shell may need longer.
        for (int millis = 300; child.isEmpty(); millis *= 2) {
            TaskEnd end = run(shell(Duration.ofMillis(millis), 0, "sleep 1000 & echo $! > child; wait"));
            assertThat(end).isEqualTo(new TaskEnd.TimedOut(Duration.ofMillis(millis)));
            Path file = directory.resolve("child");
            child = Files.exists(file) ? Files.readString(file).trim() : "";
        }
        awaitEnd(child);
        assertThat(new TaskEnd.TimedOut(Duration.ofMillis(300)).failure().orElseThrow())
                .hasMessage("the command did not end within 300 ms");
    }

    @Test
    void aCommandThatIgnoresTermIsKilled() throws Exception {
        CommandTask task = shell(Duration.ofMillis(300), 0, "trap '' TERM; while :; do sleep 1000; done");
        try (TaskRunner runner = TaskRunner.open(Linux.calls(), task, null, false, Duration.ofMillis(100))) {
            assertThat(run(runner, PATH)).isInstanceOf(TaskEnd.TimedOut.class);
        }
    }

    @Test
    void aProcessThatStaysIsNotWaitedFor() throws Exception {
        assertThat(run(shell(Duration.ZERO, 0, "sleep 1000 & echo $! > child; echo done")).isSuccess()).isTrue();
        assertThat(out()).isEqualTo("done\n");
        String child = Files.readString(directory.resolve("child")).trim();
        assertThat(Path.of("/proc", child)).exists();
        ProcessHandle.of(Long.parseLong(child)).ifPresent(ProcessHandle::destroyForcibly);
    }

    @Test
    void aCommandMayCloseItsOutputsAndWriteMuch() throws Exception {
        assertThat(run(shell(Duration.ZERO, 0, "exec >&- 2>&-; sleep 0; exit 3"))).isEqualTo(new TaskEnd.Exited(3));
        assertThat(run(shell(Duration.ZERO, 0, "head -c 5000000 /dev/zero")).isSuccess()).isTrue();
        assertThat(output("out")).hasSize(5_000_000);
    }

    @Test
    void stoppedCommandsEndAndNoneBegins() throws Exception {
        CommandTask task = shell(Duration.ZERO, 5, "echo > begun; exec sleep 1000");
        try (TaskRunner runner = TaskRunner.open(Linux.calls(), task, null, false)) {
            assertThat(stopped(runner)).isEqualTo(new TaskEnd.Stopped());
            Files.delete(directory.resolve("begun"));
            assertThat(run(runner, PATH)).isEqualTo(new TaskEnd.Stopped());
            assertThat(directory.resolve("begun")).doesNotExist();
        }
    }

    // A zombie whose new parent is slow has ended.
    private static void awaitEnd(String process) {
        Awaitility.await().atMost(LONG).until(() -> {
            Path status = Path.of("/proc", process, "stat");
            try {
                return Files.readString(status).contains(") Z ");
            } catch (IOException e) {
                return true;
            }
        });
    }

    private TaskEnd stopped(TaskRunner runner) throws Exception {
        CompletableFuture<TaskEnd> running = CompletableFuture.supplyAsync(() -> {
            try {
                return run(runner, PATH);
            } catch (SystemCallException e) {
                throw new AssertionError(e);
            }
        });
        Awaitility.await().atMost(LONG).until(() -> Files.exists(directory.resolve("begun")));
        runner.stop();
        return running.get();
    }

    @Test
    void theProgramsOfAShellHaveTheSameTimeToEnd() throws Exception {
        // The shell itself ends at once.
        CommandTask task = shell(Duration.ZERO, 0,
                "(trap 'sleep 0.3; echo > saved; exit' TERM; : > begun; " + "while :; do sleep 0.01; done) & wait");
        try (TaskRunner runner = TaskRunner.open(Linux.calls(), task, null, false, LONG)) {
            assertThat(stopped(runner)).isEqualTo(new TaskEnd.Stopped());
        }
        assertThat(directory.resolve("saved")).exists();
    }

    @Test
    void theProgramsOfAShellThatIgnoreTermAreKilled() throws Exception {
        CommandTask task = shell(Duration.ZERO, 0,
                "(trap '' TERM; while :; do sleep 1000; done) & echo $! > begun.new; " + "mv begun.new begun; wait");
        try (TaskRunner runner = TaskRunner.open(Linux.calls(), task, null, false, Duration.ofMillis(100))) {
            assertThat(stopped(runner)).isEqualTo(new TaskEnd.Stopped());
        }
        awaitEnd(Files.readString(directory.resolve("begun")).trim());
    }
}
