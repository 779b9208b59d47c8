// SPDX-License-Identifier: Apache-2.0
package org.treehaul.rigs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.copy.Copies;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.e2e.Cli;

/** A mount that nobody serves any more: every call answers ENOTCONN, which is neither "not found" nor "empty". */
class DeadMountTest {

    private static final String CAUSE = "Transport endpoint is not connected (ENOTCONN)\n";

    private TestDirectory directory;
    private Path behind;
    private Bindfs mount;

    @BeforeEach
    void makeMount() throws Exception {
        directory = TestDirectory.onTmpfs();
        behind = Transfers.files(directory.resolve("behind"), 200, 5000);
        Transfers.files(directory.resolve("S"), 5, 2000);
        Files.createDirectories(directory.resolve("S/sub"));
        mount = Bindfs.show(behind, directory.resolve("S/sub"));
    }

    @AfterEach
    void removeMount() {
        try {
            if (mount != null) {
                mount.close();
            }
        } finally {
            directory.close();
        }
    }

    @Test
    void aDeadDirectoryInTheSourceIsAnErrorAndTheRestIsCopied() throws Exception {
        mount.die();
        Cli cli = new Cli(directory.path());

        assertThat(cli.run("cp", "-a", "S", "T").expect(23).err()).contains("treehaul: cp: S/sub: ", CAUSE);
        assertThat(directory.resolve("T/f4")).hasSameBinaryContentAs(directory.resolve("S/f4"));
        assertThat(directory.resolve("T/sub")).as("no empty directory that looks like a copy").doesNotExist();
        Cli.Result walked = cli.run("walk", "S").expect(23);
        assertThat(walked.err()).startsWith("treehaul: walk: S/sub: ").endsWith(CAUSE);
        assertThat(cli.run("cmp", "S", "T").expect(2).err()).contains("sub: ", CAUSE);
        assertThat(cli.run("cmp", "T", "S").expect(2).out()).doesNotContain("sub: only in");
    }

    @Test
    void aDeadRootIsAnErrorOfItsOwn() throws Exception {
        mount.die();
        Cli cli = new Cli(directory.path());

        assertThat(cli.run("cp", "-a", "S/sub", "T").expect(2).err()).contains("S/sub", CAUSE);
        assertThat(cli.run("cp", "-a", "behind", "S/sub").expect(2).err()).contains("S/sub", CAUSE);
        assertThat(cli.run("cp", "-a", "behind", "S/sub/new").expect(2).err()).contains("S/sub/new", CAUSE);
        assertThat(cli.run("walk", "S/sub").expect(2).err()).contains("S/sub", CAUSE);
        assertThat(cli.run("cmp", "behind", "S/sub").expect(2).err()).contains("S/sub", CAUSE);
    }

    @Test
    void aSourceThatDiesIsReportedAndGivenUpAndTheRepeatedCopyIsWhole() throws Exception {
        Path target = directory.resolve("T");
        Copies.Ran ran = Transfers.copy(Copies.archive().build(), directory.resolve("S/sub"), target,
                Fault.on(Call.READ).nth(20).runs(i -> die()));

        assertThat(ran.failures()).isNotEmpty();
        assertThat(Transfers.failuresBut(ran, Errno.ENOTCONN)).isEmpty();
        assertThat(ran.result().isSuccess()).isFalse();
        Transfers.assertWhole(behind, target);
        Transfers.copy(behind, target).succeeds();
        Transfers.assertCopied(behind, target);
    }

    @Test
    void aDestinationThatDiesIsGivenUpAndTheRepeatedCopyIsWhole() throws Exception {
        Path target = directory.resolve("S/sub/new");
        Copies.Ran ran = Transfers.copy(Copies.archive().build(), behind, target,
                Fault.on(Call.WRITE).nth(20).runs(i -> die()));

        assertThat(ran.failures()).isNotEmpty();
        assertThat(Transfers.failuresBut(ran, Errno.ENOTCONN)).isEmpty();
        assertThat(ran.result().isComplete()).isFalse();
        assertThat(ran.notices()).hasSize(1).first().asString().contains("giving up", "(ENOTCONN)");
    }

    private void die() {
        try {
            mount.die();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
