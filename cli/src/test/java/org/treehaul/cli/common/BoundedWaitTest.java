// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.core.event.Cancellation;

class BoundedWaitTest {

    private static final Duration LONG = Duration.ofHours(1);

    @TempDir
    private Path directory;

    private final Cancellation cancellation = new Cancellation();

    private Process start(String script) throws IOException {
        return new ProcessBuilder("bash", "-c", script).directory(directory.toFile()).start();
    }

    private ProcessHandle child() throws IOException {
        Path file = directory.resolve("child");
        Awaitility.await().until(() -> Files.exists(file) && Files.size(file) > 0);
        return ProcessHandle.of(Long.parseLong(Files.readString(file).strip())).orElseThrow();
    }

    @Test
    void aCommandThatEndsIsNotTouched() throws Exception {
        Process process = start("exit 3");
        assertThat(BoundedWait.await(process, LONG, LONG, cancellation)).isEqualTo(BoundedWait.Ending.ENDED);
        assertThat(process.exitValue()).isEqualTo(3);
    }

    @Test
    void aCommandThatTakesTooLongIsEndedWithTheProcessesThatItStarted() throws Exception {
        Process process = start("sleep 3600 & echo $! > child; wait; sleep 3600");
        ProcessHandle child = child();
        assertThat(BoundedWait.await(process, Duration.ZERO, LONG, cancellation))
                .isEqualTo(BoundedWait.Ending.TOO_LONG);
        assertThat(process.exitValue()).as("TERM").isEqualTo(128 + 15);
        assertThat(child.isAlive()).isFalse();
    }

    @Test
    void aCommandThatIgnoresTermIsKilledWhenTheWorkerStops() throws Exception {
        Process process = start("trap '' TERM; sleep 3600 & echo $! > child; while :; do wait; done");
        ProcessHandle child = child();
        cancellation.cancel();
        assertThat(BoundedWait.await(process, LONG, Duration.ofMillis(1), cancellation))
                .isEqualTo(BoundedWait.Ending.STOPPED);
        assertThat(process.exitValue()).as("KILL").isEqualTo(128 + 9);
        Awaitility.await().until(() -> !child.isAlive());
    }
}
