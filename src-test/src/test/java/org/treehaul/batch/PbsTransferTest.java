// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.treehaul.packaged.Run;
import org.treehaul.schedulers.PbsDialect;

/** Copies by jobs of an ordinary user under the emulated PBS. */
class PbsTransferTest {

    @ParameterizedTest
    @EnumSource
    void isCopiedAndResumed(PbsDialect dialect) throws Exception {
        try (PbsRig rig = new PbsRig(dialect, false, true);
                TransferCli cli = TransferCli.ofOrdinaryUser(rig.environment())) {
            Path source = cli.tree("source", 100, 100);
            Path copy = cli.resolve("copy");
            // Until this is there no job begins, not even the one that finishes.
            Path ready = cli.resolve("ready");
            Run run = cli
                    .run("cp", "-a", "--scheduler", "pbs", "--jobs", 2, "--pre", "[ -e " + ready + " ]", "--walltime",
                            "30", "--wait", source, copy)
                    .expect(23);
            assertThat(run.err()).contains("no job of ", "'treehaul resume " + run.out().strip());
            Run.of("touch", ready).expect(0);
            Run resumed = cli.run("resume", "--wait", "last").expect(0);
            assertThat(resumed.err()).contains("with 2 jobs of ", "complete: 102 of 102 entries");
            cli.expectCopy(source, copy);
            assertThat(cli.of(run.out().strip(), "jobs/2-worker-1")).content().contains("jobs\t2", "[].pbs");
        }
    }
}
