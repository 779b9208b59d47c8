// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.testing.TestDirectory;

/** Commands whose standard input is empty, and the file by which they are asked to end. */
class StopFileTest {

    private static final String COUNTS = "trap 'echo signalled; n=$((n + 1)); [ $n -lt 2 ] || exit 20' TERM; n=0; echo begun; "
            + "while :; do sleep 0.1; done";

    private final TestDirectory directory = TestDirectory.make();
    private final List<Process> started = new ArrayList<>();
    private Path state;

    @BeforeEach
    void makeState() throws IOException {
        state = directory.directory("state");
        Files.setPosixFilePermissions(state, PosixFilePermissions.fromString("rwx------"));
    }

    @AfterEach
    void end() {
        started.forEach(Process::destroyForcibly);
        directory.close();
    }

    private Process start(Path file, Duration silence, String command) throws IOException {
        Process process = new ProcessBuilder("sh", "-c", StopFile.script(silence), "sh", file.toString(), "sh", "-c",
                command).redirectInput(Path.of("/dev/null").toFile()).start();
        started.add(process);
        return process;
    }

    @Test
    void eachSignalReachesTheCommandOnce() throws Exception {
        try (StopFile stop = StopFile.make(state)) {
            Process process = start(stop.path(), Duration.ofHours(1), COUNTS);
            assertThat(process.inputReader().readLine()).isEqualTo("begun");
            stop.signal();
            assertThat(process.inputReader().readLine()).isEqualTo("signalled");
            assertThat(process.isAlive()).isTrue();
            stop.signal();
            assertThat(process.inputReader().readLine()).isEqualTo("signalled");
            assertThat(process.waitFor()).isEqualTo(20);
        }
        assertThat(state).isEmptyDirectory();
    }

    @Test
    void theCodeOfTheCommandIsPassedOn() throws Exception {
        try (StopFile stop = StopFile.make(state)) {
            assertThat(start(stop.path(), Duration.ofHours(1), "[ -c /dev/stdin ] && exit 7").waitFor()).isEqualTo(7);
            assertThat(start(stop.path(), Duration.ofHours(1), "kill -9 $$").waitFor()).isEqualTo(137);
        }
    }

    @Test
    void aCommandIsAskedTwiceToEndWhenTheFileIsGone() throws Exception {
        Process process;
        try (StopFile stop = StopFile.make(state)) {
            process = start(stop.path(), Duration.ofHours(1), COUNTS);
            assertThat(process.inputReader().readLine()).isEqualTo("begun");
        }
        assertThat(process.waitFor()).isEqualTo(20);
    }

    @Test
    void aCommandEndsWhenTheFileDoesNotChangeAnyMore() throws Exception {
        // As that of a process that was killed.
        Path file = Files.writeString(state.resolve("run-1.stop"), "0 17\n");
        assertThat(start(file, Duration.ofSeconds(2), COUNTS).waitFor()).isEqualTo(20);
    }

    @Test
    void theFileChangesWhileItsProcessLives() throws Exception {
        try (StopFile stop = StopFile.make(state)) {
            assertThat(Files.getPosixFilePermissions(stop.path()))
                    .isEqualTo(PosixFilePermissions.fromString("rw-------"));
            String before = Files.readString(stop.path());
            assertThat(before).matches("0 [0-9]+\n");
            while (Files.readString(stop.path()).equals(before)) {
                Thread.sleep(100);
            }
        }
    }

    @Test
    void aNodeThatDoesNotSeeTheFileSaysSo() throws Exception {
        Process process = start(directory.resolve("absent"), Duration.ofHours(1), "echo begun");
        assertThat(process.waitFor()).isEqualTo(2);
        assertThat(process.inputReader().readLine()).isNull();
        assertThat(process.errorReader().readLine()).contains("cannot see", "all nodes must share the state directory");
    }

    @Test
    void filesOfProcessesThatWereKilledAreRemoved() throws Exception {
        Path old = Files.writeString(state.resolve("run-1.stop"), "0 17\n");
        Files.setLastModifiedTime(old, FileTime.from(Instant.now().minus(Duration.ofHours(2))));
        Path live = Files.writeString(state.resolve("run-2.stop"), "0 17\n");
        StopFile.make(state).close();
        try (Stream<Path> left = Files.list(state)) {
            assertThat(left).containsExactly(live);
        }
    }
}
