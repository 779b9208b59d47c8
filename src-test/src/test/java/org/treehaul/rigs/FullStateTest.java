// SPDX-License-Identifier: Apache-2.0
package org.treehaul.rigs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.transfer.directory.Timing;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.packaged.Run;

/** A state directory without room for the files of jobs. */
@Tag("rig")
class FullStateTest {

    @Test
    void aFullStateDirectoryStopsPlanningAndNamesTheCause() throws Exception {
        try (Mount mount = Mount.tmpfs("size=2m,mode=700")) {
            Path source = Files.createDirectory(mount.resolve("source"));
            Path copy = mount.resolve("copy");
            Run run = Run
                    .treehaul("cp", "-a", "--scheduler", "local", "--state-dir", mount.resolve("state"), source, copy)
                    .expect(2);
            assertThat(run.err()).contains("the state directory " + mount.resolve("state") + " fails: ",
                    "No space left on device");
            assertThat(run.out()).isEmpty();
            assertThat(copy).doesNotExist();
            assertThat(mount.resolve("state/transfers")).doesNotExist();
        }
    }

    @Test
    void aTransferThatCannotBeMadeLeavesNothing() throws Exception {
        // The file system has fewer inodes than a new transfer has files.
        try (Mount mount = Mount.tmpfs("size=4m,mode=700,nr_inodes=8")) {
            org.treehaul.core.transfer.Transfers transfers = org.treehaul.core.transfer.Transfers
                    .in(mount.resolve("state"));
            assertThatThrownBy(() -> transfers.create(new Operation.Copy(), "cp", Timing.defaults()))
                    .hasMessageContainingAll("cannot create a transfer in ", "No space left on device");
            assertThat(mount.resolve("state/transfers")).isEmptyDirectory();
        }
    }

    @Test
    void jobsAreEndedAlthoughNothingCanBeRecorded() throws Exception {
        try (TestDirectory directory = TestDirectory.onTmpfs(); Mount mount = Mount.tmpfs("size=30m,mode=700")) {
            Path source = directory.directory("source");
            Path go = directory.resolve("go");
            Path state = mount.resolve("state");
            String id = Run
                    .treehaul("cp", "-a", "--scheduler", "local", "--pre",
                            "until [ -e " + go + " ]; do sleep 0.1; done", "--state-dir", state, source,
                            directory.resolve("copy"))
                    .expect(0)
                    .out()
                    .strip();
            try {
                Path ballast = mount.fillBut(0);
                assertThat(Run.treehaul("resume", "--state-dir", state, id).expect(2).err())
                        .contains("No space left on device")
                        .doesNotContain("unexpected");
                assertThat(Run.treehaul("cancel", "--state-dir", state, id).expect(2).err()).contains(
                        "the jobs of " + id + " are ended, but the cancellation could not be recorded: ",
                        "No space left on device");
                assertThat(Run.treehaul("status", "--state-dir", state, id).expect(0).out())
                        .contains("no job of it is left");
                Files.delete(ballast);
                Run.treehaul("cancel", "--state-dir", state, id).expect(0);
                assertThat(Run.treehaul("status", "--state-dir", state, id).expect(0).out()).contains("  cancelled");
            } finally {
                Files.createFile(go);
            }
        }
    }
}
