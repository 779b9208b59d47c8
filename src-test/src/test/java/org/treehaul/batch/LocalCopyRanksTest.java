// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.packaged.Run;

/** A copy by ranks that are jobs of this machine. */
@Tag("rig")
class LocalCopyRanksTest {

    private TransferCli cli;

    @BeforeEach
    void makeCli() throws Exception {
        RankGroup.requireMpj();
        Map<String, String> environment = new TreeMap<>(System.getenv());
        environment.remove("MPJ_HOME");
        cli = TransferCli.make(environment);
    }

    @AfterEach
    void removeCli() throws Exception {
        if (cli != null) {
            cli.close();
        }
    }

    @Test
    void jobsOfThisMachineShareTheBatchesAndAnotherFinishes() throws Exception {
        Path source = cli.tree("src", 200, 1000);
        Run run = cli
                .run("cp", "-aT", "--scheduler", "local", "--ranks", 3, "--distribution", "pct", "--wait", source,
                        cli.resolve("dst"))
                .expect(0);
        String id = run.out().strip();
        assertThat(run.err()).contains("local jobs ", "complete: ");
        cli.expectCopy(source, cli.resolve("dst"));
        assertThat(cli.run("status", id).expect(0).out()).contains("complete; 100%", "batches 24 of 24");
        assertThat(TransferCli.files(cli.of(id, "launch"), file -> file.toString().contains("meet"))).isEmpty();
    }

    @Test
    void aKilledRankIsReportedAndResumeByRanksDoesTheRest() throws Exception {
        Path source = cli.tree("src", 200, 20_000);
        Process waiting = cli.start("cp", "cp", "-aT", "--bandwidth", "900k", "--scheduler", "local", "--ranks", 3,
                "--wait", source, cli.resolve("dst"));
        TransferCli.until(() -> TransferCli.files(cli.resolve("dst"), Files::isRegularFile).size() > 8);
        String id = cli.read("cp.out").strip();
        // Kills at once: on a busy machine the copy would end before another process has started.
        cli.killRank(id, 1);
        assertThat(waiting.waitFor(2, TimeUnit.MINUTES)).isTrue();
        assertThat(waiting.exitValue()).as(cli.read("cp.err")).isEqualTo(23);
        String gone = "rank 1 on " + RankGroup.host() + " is gone";
        assertThat(cli.read("cp.err")).contains(gone, "'treehaul resume " + id + "' tries again");
        assertThat(cli.run("status", id).expect(0).out()).contains("incomplete", gone);
        assertThat(cli.run("resume", id, "--wait").expect(0).err()).contains("with 3 ranks of local", "complete: ");
        cli.expectCopy(source, cli.resolve("dst"));
    }
}
