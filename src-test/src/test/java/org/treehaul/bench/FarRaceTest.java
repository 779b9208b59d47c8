// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.programs.Programs;

/** Tests that the far file system and its benchmark work, not how fast anything is. */
@Tag("rig")
class FarRaceTest {

    @Test
    void allOperationsRunOnAFarFileSystemAndNothingIsLeft() throws IOException {
        requireFuse();
        try (TestDirectory directory = TestDirectory.make()) {
            Path report = directory.resolve("far.md");
            Path work = directory.resolve("work");

            int code = FarRace.run("--on", work.toString(), "--mounts", "0.2", "--threads", "4", "--scale", "0.01",
                    "--rounds", "1", "--report", report.toString());

            assertThat(code).as(Files.readString(report)).isZero();
            assertThat(report).content()
                    .contains("    src-test/bench --far --on " + work + " --mounts 0.2 --threads 4 ", "`far-walk`",
                            "`far-copy`", "`far-cmp`", "`far-index`", "| threads 4 |")
                    .containsPattern("- threads: 2 after [0-9.]+ s|- threads: [0-9]+ after")
                    .doesNotContain("WRONG", "exit code");
            assertThat(work).isEmptyDirectory();
            assertThat(Path.of("/proc/mounts")).content().doesNotContain(work.toString());
        }
    }

    @Test
    void moreRequestsWaitAtOnceThanLibfuseAnswersByDefault() throws Exception {
        requireFuse();
        try (TestDirectory directory = TestDirectory.make();
                FarMount mount = FarMount.of("2000", directory.resolve("mount"))) {
            Programs.run("sh", "-c", "for i in $(seq 48); do stat -c %s \"$1/f$i\" > /dev/null 2>&1 & done; wait", "sh",
                    mount.path());

            // Threads that have answered stay, so their number is that of the requests which waited at once.
            try (Stream<Path> threads = Files
                    .list(Path.of("/proc/" + Objects.requireNonNull(mount.server()).pid() + "/task"))) {
                assertThat(threads.count()).isGreaterThan(20);
            }
        }
    }

    private static void requireFuse() {
        Privilege.requireRoot("it mounts a file system");
        Programs.require("gcc", "gcc");
        Programs.require("pkg-config", "pkg-config");
        Programs.require("fusermount3", "fuse3");
        assumeTrue(Programs.ask("pkg-config", "--atleast-version=3.12", "fuse3").code() == 0, "no libfuse3-dev");
    }
}
