// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeAssert;
import org.treehaul.core.testing.TreeListing;
import org.treehaul.packaged.Run;

/** Syncs, moves and commands by jobs of an ordinary user under a real Slurm. */
@ExtendWith(SlurmRig.class)
@Tag("rig")
class SlurmVerbsTest {

    private static final int FILES = 300;

    private SlurmRig.Running rig;
    private TransferCli cli;
    private Path source = Path.of("");

    @BeforeEach
    void makeRig(SlurmRig.Running running) throws Exception {
        rig = running;
        cli = TransferCli.ofOrdinaryUser(running.environment());
        source = cli.tree("source", FILES, 500);
    }

    @AfterEach
    void removeRig() throws Exception {
        if (cli != null) {
            Run.of(rig.environment(), "scancel", "--full", "--user=" + TransferRig.USER);
            TransferCli.until(() -> rig.run("squeue", "-h").isEmpty());
            cli.close();
        }
    }

    private Run sync(Path copy, Object... more) throws Exception {
        Object[] all = new Object[more.length + 8];
        Object[] first = {"sync", "--scheduler", "slurm", "--jobs", 2, "--wait", source + "/", copy};
        System.arraycopy(first, 0, all, 0, first.length);
        System.arraycopy(more, 0, all, first.length, more.length);
        return cli.run(all).expect(0);
    }

    @Test
    void jobsCopyWhatDiffersAndTheLastOneRemoves() throws Exception {
        Path copy = cli.resolve("copy");
        assertThat(sync(copy).err()).contains("slurm jobs ", "complete: ");
        cli.expectCopy(source, copy);
        Files.writeString(source.resolve("d1/f60"), "changed");
        Files.delete(source.resolve("d2/f110"));
        assertThat(sync(copy, "--delete").err()).contains("jobs copy 1 entry", "removed 1 entry");
        cli.expectCopy(source, copy);
        assertThat(sync(copy, "--delete").err()).contains("nothing to do");
    }

    @Test
    void jobsMoveATreeToAnotherFileSystem() throws Exception {
        try (TestDirectory there = TestDirectory.make()) {
            assumeThat(Files.getAttribute(there.path(), "unix:dev"))
                    .as("the directory for temporary files is in memory")
                    .isNotEqualTo(Files.getAttribute(source, "unix:dev"));
            Files.setAttribute(there.path(), "unix:mode", 01777);
            TreeListing wanted = TreeListing.of(Linux.calls(), source);
            Path copy = there.resolve("copy");
            Run moved = cli.run("mv", "--scheduler", "slurm", "--jobs", 2, "--wait", source, copy).expect(0);
            assertThat(moved.err()).contains("slurm jobs ", "complete: ", " verified in ");
            assertThat(source).doesNotExist();
            TreeAssert.assertThat(TreeListing.of(Linux.calls(), copy)).isCopyOf(wanted);
        }
    }

    @Test
    void jobsRunACommandForEachFileAndResumeRepeatsWhatFailed() throws Exception {
        Path ready = cli.resolve("ready");
        Run failed = cli
                .run("run", "--scheduler", "slurm", "--jobs", 2, "--wait", "--where", "name=f*", source, "--", "sh",
                        "-c", "id -u; case $1 in */f7) [ -e \"$2\" ];; esac", "sh", "{}", ready)
                .expect(23);
        String id = failed.out().strip();
        assertThat(failed.err()).contains("slurm jobs ", (FILES - 1) + " of " + FILES + " entries");
        assertThat(cli.run("errors", id).expect(1).out()).contains("d0/f7: the command ended with 1");
        List<Path> outputs = TransferCli.files(cli.of(id, "outputs"), Files::isRegularFile);
        assertThat(outputs).hasSize(FILES)
                .allSatisfy(file -> assertThat(file).hasContent(String.valueOf(TransferRig.USER)));
        Run.of("touch", ready).expect(0);
        assertThat(cli.run("resume", "--wait", id).expect(0).err()).contains("complete: ");
    }
}
