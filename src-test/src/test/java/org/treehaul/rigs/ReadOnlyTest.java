// SPDX-License-Identifier: Apache-2.0
package org.treehaul.rigs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.copy.Copies;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeAssert;
import org.treehaul.core.testing.TreeListing;
import org.treehaul.e2e.Cli;
import org.treehaul.packaged.Run;
import org.treehaul.programs.Programs;

/** Read-only mounts. */
@Tag("rig")
class ReadOnlyTest {

    // Each of the two threads checks at every 64th entry whether to stop.
    private static final int MOST_BEYOND = 2 * 64;

    @AutoClose
    private TestDirectory directory;
    private Path source;

    @BeforeEach
    void makeTree() throws Exception {
        Privilege.requireRoot("it mounts file systems");
        directory = TestDirectory.onTmpfs();
        source = Transfers.files(directory.resolve("S"), 100, 5000);
    }

    private Mount readOnly(boolean isBind) throws Exception {
        if (isBind) {
            Transfers.copy(source, directory.directory("B").resolve("T")).succeeds();
            return Mount.readOnlyBind(directory.resolve("B"));
        }
        Mount mount = Mount.ext4(16);
        Transfers.copy(source, mount.resolve("T")).succeeds();
        mount.remount("ro");
        return mount;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aNewTreeIsOneFailure(boolean isBind) throws Exception {
        try (Mount mount = readOnly(isBind)) {
            Copies.Ran ran = Transfers.copy(source, mount.resolve("new"));

            assertThat(ran.failed()).containsExactly("ERROR . mkdir " + Errno.EROFS);
            assertThat(mount.resolve("new")).doesNotExist();
            Run result = new Cli(directory.path()).run("cp", "-a", "S", mount.resolve("new").toString()).expect(23);
            assertThat(result.err())
                    .contains("treehaul: cp: " + mount.resolve("new") + ": mkdir: Read-only file system (EROFS)\n");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aTreeThatIsThereIsGivenUpAndStaysAsItIs(boolean isBind) throws Exception {
        try (Mount mount = readOnly(isBind)) {
            TreeListing before = TreeListing.of(Linux.calls(), mount.resolve("T"));

            Copies.Ran ran = Transfers.copy(source, mount.resolve("T"));

            assertThat(Transfers.failuresBut(ran, Errno.EROFS)).isEmpty();
            assertThat(ran.failures()).hasSizeBetween(32, 32 + MOST_BEYOND);
            assertThat(ran.notices()).hasSize(1).first().asString().contains("giving up", "(EROFS)");
            TreeAssert.assertThat(TreeListing.of(Linux.calls(), mount.resolve("T"))).isCopyOf(before);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSourceMayBeReadOnly(boolean isBind) throws Exception {
        try (Mount mount = readOnly(isBind)) {
            Path copy = directory.resolve("copy");
            Transfers.copy(Copies.archive().verify(CopyOptions.Verify.XXH3).build(), mount.resolve("T"), copy)
                    .succeeds();
            Transfers.assertCopied(source, copy);
        }
    }

    @Test
    void aMountLeavesNothingBehind() {
        Path path;
        Path image;
        try (Mount mount = Mount.ext4(16)) {
            path = mount.path();
            image = mount.image();
            assertThat(Programs.run("losetup", "-j", image)).contains("/dev/loop");
        }
        assertThat(path).doesNotExist();
        assertThat(Programs.run("cat", "/proc/self/mounts")).doesNotContain(path.toString());
        assertThat(Programs.run("losetup", "-a")).doesNotContain(image.toString());
    }
}
