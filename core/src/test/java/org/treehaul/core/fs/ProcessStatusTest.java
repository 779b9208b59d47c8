// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessStatusTest {

    @Test
    void aThreadThatWaitsInACallIsCountedAndOneThatWaitsForAnotherThreadIsNot(@TempDir Path directory)
            throws Exception {
        assumeTrue(Files.isReadable(Path.of("/proc/self/syscall")));
        Path pipe = directory.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
        CountDownLatch latch = new CountDownLatch(1);
        Thread reader = Thread.ofPlatform().name("in-call-1").start(() -> read(pipe));
        Thread waiter = Thread.ofPlatform().name("in-latch-1").start(() -> awaitUninterrupted(latch));
        try (FileOutputStream out = new FileOutputStream(pipe.toFile())) {
            await().until(() -> waiter.getState() == Thread.State.WAITING);
            await().untilAsserted(() -> assertThat(ProcessStatus.threadsInCalls("in-call-")).isEqualTo(1));
            assertThat(ProcessStatus.threadsInCalls("in-latch-")).isZero();
            assertThat(ProcessStatus.threadsInCalls("no-such-thread")).isZero();
            out.write(1);
        } finally {
            latch.countDown();
            reader.join();
            waiter.join();
        }
    }

    private static void read(Path pipe) {
        try (FileInputStream in = new FileInputStream(pipe.toFile())) {
            assertThat(in.read()).isEqualTo(1);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
