// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.Test;

class ProcessStatusTest {

    private static final long NANOS = 50_000_000;

    @Test
    void theReadyTimeOfThreadsWithANameIncludesTheirTimeOnACore() throws InterruptedException {
        assumeTrue(Files.isReadable(Path.of("/proc/self/schedstat")));
        CountDownLatch used = new CountDownLatch(1);
        CountDownLatch read = new CountDownLatch(1);
        Thread thread = Thread.ofPlatform().name("ready-test-1").start(() -> {
            while (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() < NANOS) {
                Thread.onSpinWait();
            }
            used.countDown();
            awaitUninterrupted(read);
        });
        try {
            used.await();
            assertThat(ProcessStatus.readyNanos("ready-test-").orElseThrow()).isGreaterThanOrEqualTo(NANOS);
            assertThat(ProcessStatus.readyNanos("no-such-thread")).isEmpty();
        } finally {
            read.countDown();
            thread.join();
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
