// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

class HangWatchTest {
    private static final Duration NEVER = Duration.ofHours(1);

    @TempDir
    private Path directory;

    private final AtomicInteger ends = new AtomicInteger();

    /** Hangs in a way that only a signal ends, or that nothing ends. Run by the test below only. */
    static class Hanging {
        static CountDownLatch released = new CountDownLatch(1);

        @Test
        void waitsForAProcess() throws Exception {
            Process process = new ProcessBuilder("sleep", "86397").start();
            process.getInputStream().readAllBytes();
            assertThat(process.waitFor()).isZero();
        }

        @Test
        void doesNotEnd() {
            boolean isReleased = false;
            while (!isReleased) {
                try {
                    isReleased = released.await(1, TimeUnit.HOURS);
                } catch (InterruptedException e) {
                    // It does not care.
                }
            }
        }

        @Test
        @Tag("campaign")
        void takesLong() throws InterruptedException {
            Thread.sleep(600);
        }
    }

    private TestExecutionSummary run(String method, HangWatch watch) {
        Launcher launcher = LauncherFactory
                .create(LauncherConfig.builder().enableTestExecutionListenerAutoRegistration(false).build());
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        launcher.execute(LauncherDiscoveryRequestBuilder.request()
                .selectors(DiscoverySelectors.selectMethod(Hanging.class, method))
                .build(), watch, listener);
        return listener.getSummary();
    }

    private HangWatch watch(Duration limit, Duration grace) {
        return new HangWatch(limit, grace, directory.resolve("hung"), ends::incrementAndGet);
    }

    @Test
    void aTestThatWaitsForAProcessFailsAndIsNamedWithItsStackAndItsProcess() {
        TestExecutionSummary summary = run("waitsForAProcess", watch(Duration.ofMillis(300), NEVER));
        assertThat(summary.getTestsFailedCount()).isOne();
        assertThat(directory.resolve("hung")).content()
                .contains("waitsForAProcess", "sleep 86397", "Hanging.waitsForAProcess");
        assertThat(ends).hasValue(0);
        // Interrupted, or by the signal.
        Thread.interrupted();
    }

    @Test
    void theJvmOfATestThatDoesNotEndIsEnded() {
        Hanging.released = new CountDownLatch(1);
        HangWatch watch = new HangWatch(Duration.ofMillis(300), Duration.ofMillis(300), directory.resolve("hung"),
                () -> {
                    ends.incrementAndGet();
                    Hanging.released.countDown();
                });
        run("doesNotEnd", watch);
        assertThat(ends.get()).isPositive();
        assertThat(directory.resolve("hung")).content().contains("Hanging.doesNotEnd");
        Thread.interrupted();
    }

    @Test
    void aCampaignMayTakeLong() throws IOException {
        assertThat(run("takesLong", watch(Duration.ofMillis(100), NEVER)).getTestsSucceededCount()).isOne();
        assertThat(directory.resolve("hung")).doesNotExist();
    }
}
