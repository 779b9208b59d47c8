// SPDX-License-Identifier: Apache-2.0
package org.treehaul.rigs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.copy.Copies;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.e2e.Cli;
import org.treehaul.packaged.Run;

/** A mount without a server: every call fails with ENOTCONN, which is neither "not found" nor "empty". */
@Tag("rig")
class DeadMountTest {

    private static final String CAUSE = "Transport endpoint is not connected (ENOTCONN)\n";

    @AutoClose
    private TreeWithMount tree;

    @BeforeEach
    void makeTree() throws Exception {
        tree = new TreeWithMount(200, 5000);
    }

    @Test
    void aDeadDirectoryInTheSourceIsAnErrorAndTheRestIsCopied() throws Exception {
        tree.mount().die();
        Cli cli = new Cli(tree.path());

        assertThat(cli.run("cp", "-a", "S", "T").expect(23).err()).contains("treehaul: cp: S/sub: ", CAUSE);
        assertThat(tree.resolve("T/f4")).hasSameBinaryContentAs(tree.resolve("S/f4"));
        assertThat(tree.resolve("T/sub")).as("no empty directory that looks like a copy").doesNotExist();
        Run walked = cli.run("walk", "S").expect(23);
        assertThat(walked.err()).startsWith("treehaul: walk: S/sub: ").endsWith(CAUSE);
        assertThat(cli.run("cmp", "S", "T").expect(2).err()).contains("sub: ", CAUSE);
        assertThat(cli.run("cmp", "T", "S").expect(2).out()).doesNotContain("sub: only in");
    }

    @Test
    void aDeadRootIsAnErrorOfItsOwn() throws Exception {
        tree.mount().die();
        Cli cli = new Cli(tree.path());

        assertThat(cli.run("cp", "-a", "S/sub", "T").expect(2).err()).contains("S/sub", CAUSE);
        assertThat(cli.run("cp", "-a", "behind", "S/sub").expect(2).err()).contains("S/sub", CAUSE);
        assertThat(cli.run("cp", "-a", "behind", "S/sub/new").expect(2).err()).contains("S/sub/new", CAUSE);
        assertThat(cli.run("walk", "S/sub").expect(2).err()).contains("S/sub", CAUSE);
        assertThat(cli.run("cmp", "behind", "S/sub").expect(2).err()).contains("S/sub", CAUSE);
    }

    @Test
    void aSourceThatDiesIsReportedAndGivenUpAndTheRepeatedCopyIsWhole() throws Exception {
        Path target = tree.resolve("T");
        Copies.Ran ran = Transfers.copy(Copies.archive().build(), tree.resolve("S/sub"), target,
                Fault.on(Call.READ).nth(20).runs(i -> die()));

        assertThat(ran.failures()).isNotEmpty();
        assertThat(Transfers.failuresBut(ran, Errno.ENOTCONN)).isEmpty();
        assertThat(ran.result().isSuccess()).isFalse();
        Transfers.assertWhole(tree.behind(), target);
        Transfers.copy(tree.behind(), target).succeeds();
        Transfers.assertCopied(tree.behind(), target);
    }

    @Test
    void aDestinationThatDiesIsGivenUpAndTheRepeatedCopyIsWhole() throws Exception {
        Path target = tree.resolve("S/sub/new");
        Copies.Ran ran = Transfers.copy(Copies.archive().build(), tree.behind(), target,
                Fault.on(Call.WRITE).nth(20).runs(i -> die()));

        assertThat(ran.failures()).isNotEmpty();
        assertThat(Transfers.failuresBut(ran, Errno.ENOTCONN)).isEmpty();
        assertThat(ran.result().isComplete()).isFalse();
        assertThat(ran.notices()).hasSize(1).first().asString().contains("giving up", "(ENOTCONN)");
    }

    private void die() {
        try {
            tree.mount().die();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
