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

/** Writes every few seconds that planning goes on, and how far it is, until it is closed or the plan is another's. */
final class Heartbeat implements AutoCloseable {

    /** Seconds between two beats. */
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
        // What it throws has no better place to be told than the plan itself, which cannot be written either.
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
            // Where this cannot be written the plan cannot either, and that is told.
        }
    }

    /** Ends it: the file is gone, so that nobody waits for more; unless it is another's by now. */
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
            // Its age tells the same a little later.
        }
    }
}
