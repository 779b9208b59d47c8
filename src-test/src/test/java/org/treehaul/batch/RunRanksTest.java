// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Commands by ranks that are processes of this host, as a transfer. */
@Tag("rig")
class RunRanksTest extends RanksTests {

    RunRanksTest() {
        super("run");
    }

    @Test
    void threeRanksRunACommandForEachFileAndResumeRepeatsWhatFailed() throws Exception {
        Path tree = cli.tree("tree", 60, 10);
        Path ready = cli.resolve("ready");
        ranks.startAll(3, "--threads", 2, "--where", "name=f*", tree, "--", "sh", "-c",
                "echo \"$1\"; case $1 in */f7) [ -e \"$2\" ];; esac", "sh", "{}", ready);
        ranks.expect(23);
        String id = cli.read("0.out").strip();
        assertThat(cli.read("0.out")).matches(TransferCli.ID);
        assertThat(cli.read("0.err")).contains("3 ranks share", "59 of 60 entries");
        assertThat(cli.run("errors", id).expect(1).out()).contains("d0/f7: the command ended with 1");
        List<Path> outputs = TransferCli.files(cli.of(id, "outputs"), Files::isRegularFile);
        assertThat(outputs).hasSize(60);
        Files.createFile(ready);
        assertThat(cli.run("resume", "--wait", id).expect(0).err()).contains("complete: ");
    }
}
