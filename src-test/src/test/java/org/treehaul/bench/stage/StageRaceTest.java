// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench.stage;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.testing.TestDirectory;
import picocli.CommandLine;

/** Measures as little as possible. Times are not compared: other programs use the machine, too. */
@Tag("rig")
class StageRaceTest {

    @Test
    void itReportsEachSizeAndTheFilesThatAreSmallAndLeavesNothing() throws Exception {
        try (TestDirectory memory = TestDirectory.onTmpfs()) {
            Path report = memory.path().resolve("report");
            Path work = memory.directory("work");

            assertThat(new CommandLine(new StageRace()).execute("--servers", "2", "--megabytes", "16,32", "--small",
                    "150", "--rounds", "1", "--clients", "2", "--on", work.toString(), "--report", report.toString()))
                    .isZero();

            assertThat(Files.readString(report)).contains("--megabytes 16,32 --small 150", "## 16 MiB in 8 files",
                    "## 32 MiB in 8 files", "## 150 files of 4 KiB", "## Each GiB more");
            assertThat(work).isEmptyDirectory();
        }
    }
}
