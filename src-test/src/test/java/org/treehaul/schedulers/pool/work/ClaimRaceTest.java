// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool.work;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.core.testing.Campaign;
import org.treehaul.tuplespace.PostgresServer;
import picocli.CommandLine;

/** Claims that several workers make at once, and the report of them, not how fast they are. */
@Tag("rig")
class ClaimRaceTest {

    @Test
    @Tag("campaign")
    void eachOfTenThousandBatchesIsClaimedOnce() throws Exception {
        int batches = Campaign.cases(10_000);
        try (PostgresServer server = PostgresServer.start()) {
            assertThat(ClaimRace.claim(server, 4, batches).batches()).hasSize(batches).doesNotHaveDuplicates();
        }
    }

    @Test
    void theReportHasARowForEachNumberOfWorkersAndTheGoalForFour(@TempDir Path directory) {
        Path report = directory.resolve("report.md");
        assertThat(new CommandLine(new ClaimRace()).execute("--workers", "1,4", "--batches", "200", "--rounds", "1",
                "--on", System.getProperty("java.io.tmpdir"), "--report", report.toString())).isZero();
        assertThat(report).content()
                .contains("\n| Pool | 4 workers: at least 1,000 batches claimed in a second | ", "\n## Pool\n",
                        "    src-test/bench --pool --workers 1,4 --batches 200 --rounds 1\n")
                .containsPattern("\\n\\| 1 \\| [0-9,]+ \\| [0-9,]+ \\| [0-9,]+ \\|\\n\\| 4 \\| ");
    }
}
