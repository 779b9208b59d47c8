// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeAssert;
import org.treehaul.core.testing.TreeListing;

/** A move by ranks that are processes of this host, as a transfer. */
@Tag("rig")
class MvRanksTest {

    @AutoClose
    private final TestDirectory there = TestDirectory.make();
    private TransferRanks ranks;
    private TransferCli cli;

    @BeforeEach
    void makeRanks() throws Exception {
        ranks = TransferRanks.of("mv");
        cli = ranks.cli();
        assumeFalse(Files.getAttribute(cli.path(), "unix:dev").equals(Files.getAttribute(there.path(), "unix:dev")),
                "the directory for temporary files is in memory, too");
    }

    @AfterEach
    void removeRanks() throws Exception {
        if (ranks != null) {
            ranks.close();
        }
    }

    @Test
    void threeRanksMoveTreesAsATransfer() throws Exception {
        Path tree = cli.tree("tree", 300, 10);
        TreeListing wanted = TreeListing.of(Linux.calls(), tree);
        Path missing = cli.resolve("missing");
        ranks.startAll(3, tree, missing, there.path());
        ranks.expect(23);
        assertThat(tree).doesNotExist();
        TreeAssert.assertThat(TreeListing.of(Linux.calls(), there.resolve("tree"))).isCopyOf(wanted);
        assertThat(cli.read("0.out")).matches(TransferCli.ID);
        assertThat(cli.read("0.err")).contains("missing: stat: No such file", "3 ranks share", "complete: ");
        assertThat(cli.run("status", "--json", cli.read("0.out").strip()).expect(0).out()).contains("\"kind\":\"move\"",
                "\"state\":\"complete\"");
    }

    @Test
    void renamedSourcesNeedNoTransfer() throws Exception {
        Path tree = cli.tree("tree", 10, 10);
        Path renamed = cli.resolve("renamed");
        ranks.startAll(2, tree, renamed);
        ranks.expect(0);
        assertThat(renamed.resolve("d0/f0")).exists();
        assertThat(tree).doesNotExist();
        assertThat(cli.run("status").expect(0).out()).isEmpty();
    }

    @Test
    void ranksThatCannotRenameOneOfTheirSourcesEndAsAMoveByJobs() throws Exception {
        Path tree = cli.tree("tree", 10, 10);
        Path other = cli.tree("other", 10, 10);
        Path into = cli.tree("into", 1, 10);
        Files.createDirectories(into.resolve("other/full"));
        ranks.startAll(2, tree, other, into);
        ranks.expect(23);
        assertThat(cli.read("0.err")).contains("into/other", "renamed 1 source", "1 failed");
        assertThat(into.resolve("tree/d0/f0")).exists();
        assertThat(other.resolve("d0/f0")).exists();
    }

    @Test
    void jobsOfThisMachineAreRanksToo() throws Exception {
        Path tree = cli.tree("tree", 200, 10);
        cli.run("mv", "--scheduler", "local", "--ranks", 2, "--distribution", "pct", "--wait", tree, there.path())
                .expect(0);
        assertThat(tree).doesNotExist();
        assertThat(there.resolve("tree/d0/f0")).exists();
    }
}
