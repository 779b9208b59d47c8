// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import org.treehaul.core.event.Progress;
import org.treehaul.core.plan.format.TextFile;

/**
 * Periodically records that planning is alive, and its progress, until it is closed or another process owns the plan.
 */
final class Heartbeat implements AutoCloseable {

    /** Interval between two heartbeats, in seconds. */
    static final int SECONDS = 5;

    private final Path file;
    private final String host;
    private final Progress progress;
    private final PlanGuard guard;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("treehaul-plan-heartbeat").daemon(true).factory());

    Heartbeat(Path file, String host, Progress progress, PlanGuard guard) {
        this.file = file;
        this.host = host;
        this.progress = progress;
        this.guard = guard;
    }

    void start() {
        beat();
        // An exception could only be reported in the plan itself, which cannot be written either.
        var _ = timer.scheduleWithFixedDelay(this::beat, SECONDS, SECONDS, TimeUnit.SECONDS);
    }

    private void beat() {
        Progress.Snapshot now = progress.snapshot();
        try {
            if (!guard.look()) {
                return;
            }
            TextFile.replace(file, "heartbeat",
                    List.of(new String[]{"pid", String.valueOf(ProcessHandle.current().pid())},
                            new String[]{"host", host}, new String[]{"time", Instant.now().toString()},
                            new String[]{"entries", String.valueOf(now.entries())},
                            new String[]{"bytes", String.valueOf(now.bytes())},
                            new String[]{"failures", String.valueOf(now.failures())}));
        } catch (IOException e) {
            // If this file cannot be written, neither can the plan, and that error is reported.
        }
    }

    /**
     * Stops the heartbeat. Also removes its file, so that no process waits for further heartbeats, unless another
     * process owns the plan.
     */
    @Override
    public void close() {
        timer.shutdownNow();
        boolean interrupted = false;
        while (true) {
            try {
                if (timer.awaitTermination(1, TimeUnit.MINUTES)) {
                    break;
                }
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        try {
            if (guard.isOurs()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            // Other processes then detect the end by the age of the file, a little later.
        }
    }
}
