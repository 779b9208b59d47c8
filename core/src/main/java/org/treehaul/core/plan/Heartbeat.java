// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.treehaul.core.event.Progress;
import org.treehaul.core.plan.format.TextFile;
import org.treehaul.core.state.Periodic;

/**
 * Periodically records that planning is alive, and its progress, until it is closed or another process owns the plan.
 */
final class Heartbeat implements AutoCloseable {

    private static final Duration INTERVAL = Duration.ofSeconds(5);

    private final Path file;
    private final String host;
    private final Progress progress;
    private final PlanGuard guard;
    private final Periodic beats = Periodic.of("treehaul-plan-heartbeat", INTERVAL, this::beat);

    Heartbeat(Path file, String host, Progress progress, PlanGuard guard) {
        this.file = file;
        this.host = host;
        this.progress = progress;
        this.guard = guard;
    }

    void start() {
        beat();
        beats.start();
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
        beats.close();
        try {
            if (guard.isOurs()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            // Other processes then detect the end by the age of the file, a little later.
        }
    }
}
