// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Run;

/** {@code rm --detach}: the names are free when the command returns, and everything is removed behind it. */
class RmDetachTest {

    private static final String TREE = "mkdir -p d/sub \"it's \351\"; : > d/sub/f; : > \"it's \351/g\"; : > file\n";

    private final TestDirectory directory = TestDirectory.make();
    private final Cli cli = new Cli(directory.directory("here"));

    @AfterEach
    void delete() {
        directory.close();
    }

    private void awaitGone() {
        Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> cli.sh("ls -A").out().isEmpty());
    }

    @Test
    void aProcessThatStaysBehindRemovesTheTrees() throws Exception {
        cli.sh(TREE).expect(0);
        Run run = cli.sh("$T rm -r --detach d it* file; code=$?; [ ! -e d ] && [ ! -e file ] || exit 9; exit $code")
                .expect(0);
        assertThat(run.err()).contains("d is .treehaul-removed-", "file is .treehaul-removed-", " removes them; if it",
                "detached 3 entries");
        awaitGone();
    }

    @Test
    void jobsRemoveATreeThatHasLeftItsName() throws Exception {
        cli.sh(TREE).expect(0);
        cli.sh("$T rm -r --detach --scheduler local --jobs 2 --wait --state-dir ../state d it* file").expect(0);
        assertThat(cli.sh("ls -A").out()).isEmpty();
    }

    @Test
    void theLogOfTheProcessHasEachEntry() throws Exception {
        cli.sh(TREE).expect(0);
        cli.sh("$T rm -r --detach --log-file ../LOG d it* file").expect(0);
        awaitGone();
        Awaitility.await()
                .atMost(Duration.ofMinutes(2))
                .until(() -> cli.sh("grep -c ' end exit code 0' ../LOG").out().equals("2\n"));
        assertThat(cli.sh("cat ../LOG").out()).contains("/sub/f\n");
    }

    @Test
    void wrongUsesAreRefusedAndNothingLeavesItsName() throws Exception {
        cli.sh(TREE).expect(0);
        assertThat(cli.sh("$T rm -ri --detach d").expect(2).err()).contains("--detach cannot be combined with -i");
        assertThat(cli.sh("$T rm -r --ranks 2 --detach d").expect(2).err()).contains("use --jobs");
        assertThat(cli.sh("$T rm -r --detach --scheduler nosuch d").expect(2).err()).contains("nosuch");
        assertThat(cli.sh("$T rm -r --detach --dry-run d").expect(0).out()).contains("remove d/sub/f\n");
        assertThat(cli.sh("ls -d d").expect(0).out()).isEqualTo("d\n");
    }
}
