// SPDX-License-Identifier: Apache-2.0
package org.treehaul.rigs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.rigs.Transfers.name;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.copy.Copies;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.Preserve;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeAssert;
import org.treehaul.core.testing.TreeAssert.Aspect;
import org.treehaul.core.testing.TreeListing;

/** More names of one file, or more subdirectories, than the destination allows. */
@Tag("rig")
class LinkLimitTest {

    private static final String NOTICE = "some hard links are separate files in the copy: "
            + "the destination allows no more links";
    private static final int EXT4_LIMIT = 65_000; // EXT4_LINK_MAX of fs/ext4/ext4.h

    @AutoClose
    private TestDirectory directory;
    private Path source;

    @BeforeEach
    void makeDirectory() {
        Privilege.requireRoot("it mounts file systems");
        directory = TestDirectory.onTmpfs();
        source = directory.directory("S");
    }

    private static Map<Object, Integer> inodes(Path root) throws Exception {
        Map<Object, Integer> names = new HashMap<>();
        try (Stream<Path> all = Files.list(root)) {
            for (Path path : all.toList()) {
                names.merge(Files.getAttribute(path, "unix:ino"), 1, Integer::sum);
            }
        }
        return names;
    }

    private void link(int count, String prefix) throws Exception {
        Transfers.tree(source, writer -> {
            writer.file(name(prefix + 0), 5000, 1);
            for (int i = 1; i < count; i++) {
                writer.hardLink(name(prefix + 0), name(prefix + i));
            }
        });
    }

    @Test
    void namesBeyondTheLinkLimitAreLinkedToFurtherCopiesAndReported() throws Exception {
        // Without extended references, the names of an inode in one directory must fit into one node of 16 KiB.
        int count = 200;
        link(count, "x".repeat(200));
        try (Mount mount = Mount.btrfs("-O", "^extref", "-n", "16384")) {
            Path target = mount.resolve("T");
            for (int i = 0; i < 2; i++) {
                Copies.Ran ran = Transfers.copy(source, target).succeeds();

                assertThat(ran.notices()).containsExactly(NOTICE);
                Map<Object, Integer> groups = inodes(target);
                assertThat(groups.values().stream().mapToInt(Integer::intValue).sum()).isEqualTo(count);
                assertThat(groups).as("no more copies than need be").hasSizeBetween(3, 6);
                TreeAssert.assertThat(TreeListing.of(Linux.calls(), target))
                        .ignoring(Aspect.LINKS)
                        .isCopyOf(TreeListing.of(Linux.calls(), source));
                Transfers.assertNoTemporaries(target);
            }
        }
    }

    @Test
    @Tag("campaign")
    void theLimitOfExt4IsUsedToTheLast() throws Exception {
        int count = EXT4_LIMIT + 500;
        link(count, "");
        try (Mount mount = Mount.ext4(64)) {
            Path target = mount.resolve("T");

            Copies.Ran ran = Transfers.copy(source, target).succeeds();

            assertThat(ran.notices()).containsExactly(NOTICE);
            assertThat(inodes(target).values()).containsExactlyInAnyOrder(EXT4_LIMIT, 500);
        }
    }

    @Test
    void aFileSystemWithoutHardLinksGetsACopyForEachName() throws Exception {
        Transfers.tree(source,
                writer -> writer.file(name("a"), 5000, 1)
                        .hardLink(name("a"), name("b"))
                        .hardLink(name("a"), name("d/c"))
                        .file(name("large"), 700_000, 2)
                        .hardLink(name("large"), name("d/larger")));
        try (Mount mount = Mount.exfat()) {
            Path target = mount.resolve("T");
            for (int i = 0; i < 2; i++) {
                Copies.Ran ran = Transfers
                        .copy(CopyOptions.builder().recursive(true).preserve(Set.of(Preserve.LINKS)).build(), source,
                                target)
                        .succeeds();
                assertThat(ran.notices()).containsExactly(NOTICE);
                assertThat(Transfers.assertWhole(source, target)).isEqualTo(5);
                Transfers.assertNoTemporaries(target);
            }
        }
    }

    @Test
    @Tag("campaign")
    void aDirectoryBeyondTheLimitOfSubdirectoriesIsReported() throws Exception {
        int count = EXT4_LIMIT + 10;
        Transfers.tree(source, writer -> {
            for (int i = 0; i < count; i++) {
                writer.directory(name(String.valueOf(i)));
            }
            writer.file(name("file"), 10, 1);
        });
        try (Mount mount = Mount.ext4(256, "-O", "^dir_nlink", "-N", "70000")) {
            Path target = mount.resolve("T");

            Copies.Ran ran = Transfers.copy(source, target);

            // A new directory has two links.
            assertThat(ran.failures()).hasSize(12).allSatisfy(failure -> {
                assertThat(failure.operation()).isEqualTo("mkdir");
                assertThat(failure.errno()).isEqualTo(Errno.EMLINK);
            });
            assertThat(ran.result().isComplete()).isTrue();
            assertThat(target.resolve("file")).hasSize(10);
        }
    }
}
