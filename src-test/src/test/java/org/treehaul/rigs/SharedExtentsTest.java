// SPDX-License-Identifier: Apache-2.0
package org.treehaul.rigs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.rigs.Transfers.name;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.copy.Copies;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyOptionsBuilder;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.e2e.Cli;
import org.treehaul.packaged.Run;
import org.treehaul.programs.Programs;

/** Data that a copy shares with its source, holes, and more attributes than the destination can hold. */
@Tag("rig")
class SharedExtentsTest {

    enum Sharing {
        XFS,
        BTRFS;

        private Mount make() {
            return this == XFS ? Mount.xfs() : Mount.btrfs();
        }
    }

    private static Path tree(Path root) throws Exception {
        Transfers.tree(root,
                writer -> writer.file(name("large"), 3_000_000, 1)
                        .file(name("small"), 20_000, 2)
                        .sparse(name("holes"), 50_000_000, 10_000_000, 40_000_000));
        Programs.run("sync", "-f", root);
        return root;
    }

    private static boolean isShared(Path file) {
        Programs.run("sync", "-f", file);
        return Programs.run("filefrag", "-v", file).contains("shared");
    }

    @ParameterizedTest
    @EnumSource
    void sharedDataAreReallyShared(Sharing sharing) throws Exception {
        Programs.require("filefrag", "e2fsprogs");
        try (Mount mount = sharing.make()) {
            Path source = tree(mount.resolve("S"));
            CopyOptionsBuilder options = Copies.archive();

            Transfers.copy(options.reflink(CopyOptions.When.ALWAYS).build(), source, mount.resolve("always"))
                    .succeeds();
            Transfers.copy(options.reflink(CopyOptions.When.AUTO).build(), source, mount.resolve("auto")).succeeds();
            Transfers.assertCopied(source, mount.resolve("always"));
            Transfers.assertCopied(source, mount.resolve("auto"));
            assertThat(isShared(mount.resolve("always/large"))).isTrue();
            assertThat(isShared(mount.resolve("always/small"))).isTrue();
            assertThat(isShared(mount.resolve("auto/large"))).isTrue();
            assertThat(isShared(mount.resolve("auto/holes"))).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void dataAreNotSharedWhereThatIsNotWanted(Sharing sharing) throws Exception {
        Programs.require("filefrag", "e2fsprogs");
        try (Mount mount = sharing.make()) {
            Path source = tree(mount.resolve("S"));

            Transfers.copy(Copies.archive().reflink(CopyOptions.When.NEVER).build(), source, mount.resolve("never"))
                    .succeeds();
            Transfers.assertCopied(source, mount.resolve("never"));
            assertThat(isShared(mount.resolve("never/large"))).isFalse();
            assertThat(isShared(source.resolve("large"))).isFalse();
        }
    }

    @Test
    void sharingAcrossFileSystemsFailsForEachFileAndLeavesNone() throws Exception {
        try (Mount from = Mount.xfs(); Mount to = Mount.btrfs(); TestDirectory directory = TestDirectory.onTmpfs()) {
            Path source = tree(from.resolve("S"));
            Path target = to.resolve("T");

            Copies.Ran ran = Transfers.copy(Copies.archive().reflink(CopyOptions.When.ALWAYS).build(), source, target);

            assertThat(ran.failed()).containsExactly("ERROR holes ficlone " + Errno.EXDEV,
                    "ERROR large ficlone " + Errno.EXDEV, "ERROR small ficlone " + Errno.EXDEV);
            assertThat(target).isEmptyDirectory();
            Run result = new Cli(directory.path())
                    .run("cp", "-a", "--reflink=always", source.resolve("small").toString(), target.toString())
                    .expect(23);
            assertThat(result.err()).contains(
                    "treehaul: cp: " + target.resolve("small") + ": ficlone: Invalid cross-device link (EXDEV)\n");
            Transfers.copy(source, target).succeeds();
            Transfers.assertCopied(source, target);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"xfs", "tmpfs"})
    void anAttributeThatIsTooLongForTheDestinationIsReported(String from) throws Exception {
        Programs.require("setfattr", "attr");
        try (Mount large = from.equals("xfs") ? Mount.xfs() : Mount.tmpfs("size=16m"); Mount small = Mount.ext4(16)) {
            Path source = Transfers.tree(large.resolve("S"),
                    writer -> writer.file(name("f"), 1000, 1)
                            .file(name("plain"), 1000, 2)
                            .directory(name("d"))
                            .attribute(name("f"), name("user.long"), name("v".repeat(60_000)))
                            .attribute(name("d"), name("user.long"), name("v".repeat(60_000)))
                            .attribute(name("f"), name("user.short"), name("kept")));
            Path target = small.resolve("T");

            Copies.Ran ran = Transfers.copy(source, target);

            assertThat(ran.failures()).hasSize(2).allSatisfy(failure -> {
                assertThat(failure.path().toString()).isIn("f", "d");
                assertThat(failure.operation()).contains("setxattr");
                assertThat(failure.errno()).isIn(Errno.ENOSPC, Errno.EDQUOT, 7 /* E2BIG */);
            });
            assertThat(target.resolve("f")).hasSameBinaryContentAs(source.resolve("f"));
            assertThat(Files.getAttribute(target.resolve("f"), "user:short"))
                    .isEqualTo("kept".getBytes(StandardCharsets.UTF_8));
            assertThat(Files.getLastModifiedTime(target.resolve("f"))).as("the sign of a complete copy")
                    .isNotEqualTo(Files.getLastModifiedTime(source.resolve("f")));
            // The comparison reports the same.
            assertThat(Transfers.compare(source, target).differences()).anyMatch(d -> d.startsWith("f: "));
        }
    }
}
