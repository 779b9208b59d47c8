// SPDX-License-Identifier: Apache-2.0
package org.treehaul.rigs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.e2e.Cli;
import org.treehaul.packaged.Run;
import org.treehaul.programs.Programs;

/** A tree that contains a mount point is removed. */
@Tag("rig")
class RemovedMountTest {

    @AutoClose
    private TestDirectory directory;
    private Path mount;

    @BeforeEach
    void makeTree() throws IOException {
        Privilege.requireRoot("it mounts a file system");
        directory = TestDirectory.onTmpfs();
        mount = Files.createDirectories(directory.resolve("t/d/mount"));
        Files.createFile(directory.resolve("t/d/f"));
        Files.createDirectory(directory.resolve("t/e"));
    }

    private Run remove(String option) throws Exception {
        Programs.run("mount", "-t", "tmpfs", "none", mount);
        try {
            Files.createFile(mount.resolve("inside"));
            Run run = new Cli(directory.path()).run("rm", option, "t").expect(23);
            assertThat(mount.resolve("inside").toFile().exists()).isEqualTo(option.contains("x"));
            return run;
        } finally {
            Programs.run("umount", mount);
        }
    }

    @Test
    void onOneFileSystemTheMountStaysWithItsContent() throws Exception {
        assertThat(remove("-rx").err()).contains("t/d/mount: rmdir: Invalid cross-device link (EXDEV)")
                .doesNotContain("ENOTEMPTY", "EBUSY");
        assertThat(directory.resolve("t/d/f")).doesNotExist();
        assertThat(directory.resolve("t/e")).doesNotExist();
    }

    @Test
    void otherwiseItIsEmptiedAndItsDirectoryStays() throws Exception {
        assertThat(remove("-r").err()).contains("t/d/mount: rmdir: Device or resource busy (EBUSY)")
                .doesNotContain("ENOTEMPTY");
        assertThat(directory.resolve("t/e")).doesNotExist();
    }
}
