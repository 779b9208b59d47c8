// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.cli.report.MetricsParser;
import org.treehaul.cli.report.Screen;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Progress;

class RunMetricsTest {

    @TempDir
    private Path directory;

    private static double value(Path file, String name) throws IOException {
        return Objects.requireNonNull(MetricsParser.parse(Files.readString(file))
                .get(new MetricsParser.Sample(name, Map.of("command", "cp"))));
    }

    @Test
    void theFileHasTheCountersAtTheBeginningAndAtTheEnd() throws Exception {
        Path file = directory.resolve("treehaul.prom");
        Progress progress = new Progress();
        RunMetrics metrics = RunMetrics.open(
                new MetricsFile(ByteString.of(file.toString()), Screen.standard("cp", false)), "cp",
                Duration.ofSeconds(1_000), progress);
        assertThat(value(file, "treehaul_running")).isOne();
        assertThat(value(file, "treehaul_entries_total")).isZero();
        progress.entryDone();
        progress.bytesDone(1L << 41);
        progress.entryFailed();
        metrics.end();
        assertThat(value(file, "treehaul_running")).isZero();
        assertThat(value(file, "treehaul_entries_total")).isOne();
        assertThat(value(file, "treehaul_bytes_total")).isEqualTo(1L << 41);
        assertThat(value(file, "treehaul_failures_total")).isOne();
        assertThat(directory.toFile().list()).as("no temporary file").containsExactly("treehaul.prom");
    }

    @Test
    void aReaderNeverFindsAPartOfTheFile() throws Exception {
        Path file = directory.resolve("m.prom");
        Files.writeString(file, "old");
        Path held = directory.resolve("held");
        Files.createLink(held, file);
        RunMetrics
                .open(new MetricsFile(ByteString.of(file.toString()), Screen.standard("cp", false)), "cp",
                        Duration.ofSeconds(1_000), new Progress())
                .end();
        assertThat(held).as("replaced, not overwritten").hasContent("old");
    }

    @Test
    void aFileThatCannotBeMadeFailsWithThatReason() {
        ByteString file = ByteString.of(directory.resolve("nosuch/m.prom").toString());
        assertThatThrownBy(() -> ByteFiles.replace(file, out -> out.write(1))).isInstanceOf(IOException.class)
                .hasMessageContaining("open")
                .hasMessageContaining("ENOENT");
        ByteString full = ByteString.of(directory.resolve("m.prom").toString());
        assertThatThrownBy(() -> ByteFiles.replace(full, out -> {
            throw new IOException("no more room");
        })).hasMessage("no more room");
        assertThat(directory).isEmptyDirectory();
    }
}
