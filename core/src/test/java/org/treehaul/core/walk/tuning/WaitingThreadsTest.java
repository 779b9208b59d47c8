// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.tuning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The count of threads that wait in system calls. */
class WaitingThreadsTest {

    @Test
    void aThreadThatWaitsInACallIsCountedAndOneThatWaitsForAnotherThreadIsNot(@TempDir Path directory)
            throws Exception {
        assumeTrue(Files.isReadable(Path.of("/proc/self/syscall")));
        Path pipe = makePipe(directory);
        CountDownLatch latch = new CountDownLatch(1);
        Thread reader = Thread.ofPlatform().name("in-call-1").start(() -> read(pipe));
        Thread waiter = Thread.ofPlatform().name("in-latch-1").start(() -> awaitUninterrupted(latch));
        try (FileOutputStream out = new FileOutputStream(pipe.toFile())) {
            await().until(() -> waiter.getState() == Thread.State.WAITING);
            await().untilAsserted(() -> assertThat(new WaitingThreads("in-call-").count(1)).isEqualTo(1));
            assertThat(new WaitingThreads("in-latch-").count(1)).isZero();
            assertThat(new WaitingThreads("no-such-thread").count(1)).isZero();
            out.write(1);
        } finally {
            latch.countDown();
            reader.join();
            waiter.join();
        }
    }

    @Test
    void anEstimateLooksAtSomeOfManyThreadsInTurn(@TempDir Path directory) throws Exception {
        assumeTrue(Files.isReadable(Path.of("/proc/self/syscall")));
        Path pipe = makePipe(directory);
        int looks = 3;
        int count = looks * WaitingThreads.AT_ONCE;
        int inCalls = count * 2 / 3;
        CountDownLatch latch = new CountDownLatch(1);
        List<Thread> threads = IntStream.range(0, count)
                .mapToObj(i -> Thread.ofPlatform().name("of-many-" + i).start(() -> {
                    if (i % 3 == 0) {
                        awaitUninterrupted(latch);
                    } else {
                        read(pipe);
                    }
                }))
                .toList();
        try (FileOutputStream out = new FileOutputStream(pipe.toFile())) {
            await().untilAsserted(() -> {
                WaitingThreads waiting = new WaitingThreads("of-many-");
                double sum = 0;
                for (int i = 0; i < looks; i++) {
                    sum += waiting.estimate(count);
                }
                assertThat(sum / looks).isEqualTo(inCalls);
                assertThat(waiting.count(count)).isEqualTo(inCalls);
            });
            out.write(new byte[count]);
        } finally {
            latch.countDown();
            for (Thread thread : threads) {
                thread.join();
            }
        }
    }

    private static Path makePipe(Path directory) throws IOException, InterruptedException {
        Path pipe = directory.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
        return pipe;
    }

    private static void read(Path pipe) {
        try (FileInputStream in = new FileInputStream(pipe.toFile())) {
            assertThat(in.read()).isNotNegative();
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
