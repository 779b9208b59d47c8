// SPDX-License-Identifier: Apache-2.0
package org.treehaul.rigs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.rigs.Transfers.name;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.treehaul.core.copy.Copies;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.e2e.Cli;
import org.treehaul.packaged.Run;
import org.treehaul.programs.Programs;

/** A destination without free blocks, inodes or quota. */
@Tag("rig")
class FullDiskTest {

    private static final String GIVING_UP = "giving up after 32 failures in a row: ";

    // Each of the two threads checks at every 64th entry whether to stop.
    private static final int MOST_BEYOND = 2 * 64;

    @AutoClose
    private TestDirectory directory;
    private Path source;

    /** The scarce resource, and the fixture that has little of it. */
    enum Rig {
        EXT4_BLOCKS(Errno.ENOSPC, false),
        TMPFS_BLOCKS(Errno.ENOSPC, false),
        EXT4_INODES(Errno.ENOSPC, true),
        TMPFS_INODES(Errno.ENOSPC, true),
        BTRFS_QUOTA(Errno.EDQUOT, false);

        private final int errno;
        private final boolean isInodes;

        Rig(int errno, boolean isInodes) {
            this.errno = errno;
            this.isInodes = isInodes;
        }

        private Mount make() {
            return switch (this) {
                case EXT4_BLOCKS -> Mount.ext4(16);
                case TMPFS_BLOCKS -> Mount.tmpfs("size=8m");
                case EXT4_INODES -> Mount.ext4(16, "-N", "128");
                case TMPFS_INODES -> Mount.tmpfs("size=32m,nr_inodes=128");
                case BTRFS_QUOTA -> withQuota();
            };
        }

        private static Mount withQuota() {
            Mount mount = Mount.btrfs();
            Programs.run("btrfs", "quota", "enable", mount.path());
            Programs.run("btrfs", "qgroup", "limit", "8M", mount.path());
            return mount;
        }

        /** Leaves room for a few small files, and returns the ballast that fills the rest. */
        private List<Path> fill(Mount mount) throws IOException {
            List<Path> ballast = new ArrayList<>();
            if (isInodes) {
                for (int i = 0; i < 100; i++) {
                    ballast.add(Files.createFile(mount.resolve("ballast" + i)));
                }
            } else if (this == BTRFS_QUOTA) {
                ballast.add(Files.write(mount.resolve("ballast"), new byte[7 << 20]));
                Programs.run("sync", "-f", mount.path());
            } else {
                ballast.add(mount.fillBut(300_000));
            }
            return ballast;
        }
    }

    @BeforeEach
    void makeDirectory() throws Exception {
        Privilege.requireRoot("it mounts file systems");
        directory = TestDirectory.onTmpfs();
        source = directory.directory("S");
    }

    @ParameterizedTest
    @EnumSource
    void filesThatFindNoSpaceAreReportedAndAbsentAndARepeatedCopyIsComplete(Rig rig) throws Exception {
        try (Mount mount = rig.make()) {
            int files = rig.isInodes ? 60 : 20;
            Transfers.tree(source, writer -> {
                for (int i = 0; i < files; i++) {
                    writer.file(name("f" + i), 40_000, i);
                }
                // One file for the unnamed temporary file, one in chunks, and a hard link to each kind.
                writer.file(name("large"), 700_000, 77).hardLink(name("large"), name("other"));
                writer.file(name("chunked"), 1_500_000, 78).hardLink(name("f0"), name("g0"));
            });
            List<Path> ballast = rig.fill(mount);
            Path target = mount.resolve("T");

            Copies.Ran full = Transfers.copy(Copies.archive().chunkBytes(1 << 20).build(), source, target);

            assertThat(full.result().isSuccess()).isFalse();
            assertThat(full.failures()).isNotEmpty().allSatisfy(failure -> {
                assertThat(failure.errno()).isEqualTo(rig.errno);
                assertThat(failure.toString()).startsWith(target + "/").contains(Errno.describe(rig.errno));
            });
            long whole = Transfers.assertWhole(source, target);
            assertThat(whole).as("some of them find room, not all").isBetween(1L, files + 3L);
            Transfers.assertNoTemporaries(target);

            for (Path path : ballast) {
                Files.delete(path);
            }
            Programs.run("sync", "-f", mount.path());
            Transfers.copy(source, target).succeeds();
            Transfers.assertCopied(source, target);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aDestinationWithoutAnyRoomIsGivenUpWithOneMessage(Rig rig) throws Exception {
        try (Mount mount = rig.make()) {
            Transfers.files(source, 300, 100_000);
            Path target = mount.resolve("T");
            rig.fill(mount);

            Copies.Ran full = Transfers.copy(source, target);

            assertThat(full.result().isComplete()).isFalse();
            assertThat(full.notices()).hasSize(1).first().asString().startsWith(GIVING_UP + Errno.describe(rig.errno));
            assertThat(full.failures()).hasSizeBetween(32, 32 + MOST_BEYOND);
            assertThat(Transfers.assertWhole(source, target)).isLessThan(100);
        }
    }

    @Test
    void existingFilesStayIfTheirReplacementFindsNoSpace() throws Exception {
        try (Mount mount = Rig.EXT4_BLOCKS.make()) {
            Path old = Transfers.files(directory.resolve("old"), 10, 50_000);
            Path target = mount.resolve("T");
            Transfers.copy(old, target).succeeds();
            Transfers.tree(source, writer -> {
                for (int i = 0; i < 10; i++) {
                    writer.file(name("f" + i), 50_000, 1000 + i);
                }
            });
            mount.fillBut(0);

            Copies.Ran full = Transfers.copy(source, target);

            assertThat(full.failures()).isNotEmpty();
            assertThat(Transfers.failuresBut(full, Errno.ENOSPC)).isEmpty();
            List<String> failed = full.failures().stream().map(f -> f.path().toString()).toList();
            for (int i = 0; i < 10; i++) {
                Path from = failed.contains("f" + i) ? old : source;
                assertThat(target.resolve("f" + i)).hasSameBinaryContentAs(from.resolve("f" + i));
            }
            Transfers.assertNoTemporaries(target);
        }
    }

    @Test
    void theProgramNamesPathAndCauseAndReturns23() throws Exception {
        try (Mount mount = Rig.TMPFS_BLOCKS.make()) {
            Transfers.files(source, 3, 400_000);
            mount.fillBut(500_000);

            Run result = new Cli(directory.path()).run("cp", "-a", "--threads", "1", "S", mount.resolve("T").toString())
                    .expect(23);

            List<String> lines = result.err().lines().filter(line -> line.contains("(ENOSPC)")).toList();
            assertThat(lines).hasSize(2)
                    .allMatch(line -> line.matches("treehaul: cp: " + mount.resolve("T")
                            + "/f\\d: write: No space left on device \\(ENOSPC\\)"));
            assertThat(Collections.max(lines)).isNotEqualTo(Collections.min(lines));
        }
    }
}
