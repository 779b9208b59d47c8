// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.common;

import static org.treehaul.cli.report.PrometheusText.Type.counter;
import static org.treehaul.cli.report.PrometheusText.Type.gauge;

import java.time.Duration;
import java.util.Map;

import org.treehaul.cli.report.PrometheusText;
import org.treehaul.core.event.Progress;
import org.treehaul.core.state.Periodic;

/** Writes the metrics of a command at each interval and at its end, on a thread of its own. */
final class RunMetrics implements AutoCloseable {

    private final MetricsFile file;
    private final String command;
    private final Progress progress;
    private final double startedSeconds = System.currentTimeMillis() / 1000.0;
    private final long started = System.nanoTime();
    private final Periodic writing;

    /** Begins to write the metrics of a command. */
    static RunMetrics open(MetricsFile file, String command, Duration interval, Progress progress) {
        RunMetrics metrics = new RunMetrics(file, command, interval, progress);
        metrics.write(true);
        metrics.writing.start();
        return metrics;
    }

    private RunMetrics(MetricsFile file, String command, Duration interval, Progress progress) {
        this.file = file;
        this.command = command;
        this.progress = progress;
        this.writing = Periodic.of("treehaul-metrics", interval, () -> write(true));
    }

    /** Writes the last state. */
    void end() {
        close();
        write(false);
    }

    private void write(boolean isRunning) {
        Map<String, String> labels = Map.of("command", command);
        Progress.Snapshot counts = progress.snapshot();
        PrometheusText text = new PrometheusText()
                .add("treehaul_entries_total", counter, "Entries done, including directories.", labels,
                        counts.entries())
                .add("treehaul_files_total", counter, "Regular files done.", labels, counts.files())
                .add("treehaul_directories_total", counter, "Directories done.", labels, counts.directories())
                .add("treehaul_bytes_total", counter, "Bytes of data copied or compared.", labels, counts.bytes())
                .add("treehaul_verified_bytes_total", counter, "Bytes read back and found equal.", labels,
                        counts.verifiedBytes())
                .add("treehaul_skipped_entries_total", counter, "Entries skipped because of the options.", labels,
                        counts.skipped())
                .add("treehaul_failures_total", counter, "Entries that failed.", labels, counts.failures())
                .add("treehaul_start_time_seconds", gauge, "When the command began, in seconds since 1970.", labels,
                        startedSeconds)
                .add("treehaul_elapsed_seconds", gauge, "How long the command has run.", labels,
                        Math.floor((System.nanoTime() - started) / 1e6) / 1000)
                .add("treehaul_running", gauge, "1 while the command runs, 0 after its end.", labels,
                        isRunning ? 1 : 0);
        file.write(text);
    }

    /** Ends the thread. */
    @Override
    public void close() {
        writing.close();
    }
}
