// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.Timing;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.packaged.Run;

/** Commands for transfers and spaces whose standard output cannot be written, or has lost its reader. */
class LostOutputTest {

    private final TestDirectory directory = TestDirectory.make();
    private final Cli cli = new Cli(directory.path());

    @BeforeEach
    void make() throws Exception {
        cli.sh("mkdir S; echo x > S/f").expect(0);
    }

    @AfterEach
    void delete() {
        directory.close();
    }

    private void isReported(String command) throws Exception {
        Run run = cli.sh("TREEHAUL_HOME=$PWD/state $T " + command + " > /dev/full");
        assertThat(run.err()).as(command).contains("cannot write to standard output: No space left on device");
        run.expect(2);
    }

    @Test
    @Tag("rig")
    void transfersThatCannotBePrintedAreAnError() throws Exception {
        isReported("cp -aT --scheduler local --jobs 1 --wait S T");
        isReported("cp -aT --scheduler local --jobs 1 --wait --json S T2");
        assertThat(directory.resolve("T/f")).exists();
        isReported("status");
        isReported("status last");
        isReported("status --json");
        isReported("status --watch");
        isReported("limit last");
        isReported("verify --wait last");
        isReported("publish --json --space space");
        isReported("publish --views --space space");
    }

    @Test
    void partitionsThatCannotBePrintedAreAnError() throws Exception {
        isReported("space create partitions:list one two");
        isReported("space status partitions:list");
        isReported("space status --json partitions:list");
        isReported("space check --json partitions:list");
    }

    @Test
    void aServerWhoseAddressCannotBePrintedEnds() throws Exception {
        cli.sh("umask 077; head -c 32 /dev/zero | tr '\\0' s > secret").expect(0);
        isReported("serve --directory segments --secret-file secret");
        isReported("serve --json --directory segments --secret-file secret");
    }

    @Test
    void watchingEndsWhenTheReaderHasGone() throws Exception {
        Transfers transfers = Transfers.in(directory.resolve("state"));
        transfers.start(transfers.create(new Operation.Copy(), "cp -a S T", Timing.defaults()));
        Process status = cli.start("status", "--watch", "--progress-interval", "0.1", "--state-dir", "state");
        try {
            try (InputStream lines = status.getInputStream()) {
                assertThat(lines.read()).isPositive();
            }
            assertThat(status.waitFor()).isEqualTo(20);
            assertThat(status.getErrorStream().readAllBytes()).isEmpty();
        } finally {
            status.destroyForcibly();
        }
    }

    @Test
    void theCommandOfOnCompleteRunsAfterAnError() throws Exception {
        cli.sh("x=$(head -c 1000000 /dev/zero | tr '\\0' a); for i in $(seq 150); do echo $i$x; done > list").expect(0);
        Run run = cli
                .sh("JDK_JAVA_OPTIONS=-Xmx48m $T cp -aT --files-from list --on-complete 'echo $TREEHAUL_CODE > code'"
                        + " S T; code=$?; cat code; exit $code")
                .expect(2);
        assertThat(run.err()).contains("out of memory");
        assertThat(run.out()).isEqualTo("2\n");
    }
}
