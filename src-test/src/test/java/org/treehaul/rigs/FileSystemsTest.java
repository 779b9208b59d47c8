// SPDX-License-Identifier: Apache-2.0
package org.treehaul.rigs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.treehaul.core.copy.Copies;
import org.treehaul.core.copy.Rsync;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.HostileTree;
import org.treehaul.core.testing.HostileTree.Part;
import org.treehaul.core.testing.TreeAssert;
import org.treehaul.core.testing.TreeListing;
import org.treehaul.core.testing.TreeRemoval;

/** Copies a tree with everything that other programs get wrong from each kind of file system to each other. */
@Tag("rig")
class FileSystemsTest {

    enum Kind {
        EXT4,
        XFS,
        BTRFS,
        TMPFS,
        OVERLAY;

        Mount make() {
            return switch (this) {
                case EXT4 -> Mount.ext4(128, "-b", "4096");
                case XFS -> Mount.xfs();
                case BTRFS -> Mount.btrfs();
                case TMPFS -> Mount.tmpfs("size=128m");
                case OVERLAY -> Mount.overlay();
            };
        }
    }

    @ParameterizedTest
    @CsvSource({"EXT4,XFS", "XFS,BTRFS", "BTRFS,TMPFS", "TMPFS,OVERLAY", "OVERLAY,EXT4"})
    @Tag("happy-path")
    void aHostileTreeGoesFromOneKindToTheOther(Kind from, Kind to) throws Exception {
        try (Mount a = from.make(); Mount b = to.make()) {
            copy(a, b);
        }
    }

    @Test
    @Tag("campaign")
    void aHostileTreeGoesFromEachKindToEachKind() throws Exception {
        List<Mount> mounts = new ArrayList<>();
        try {
            for (Kind kind : Kind.values()) {
                mounts.add(kind.make());
            }
            for (Mount from : mounts) {
                for (Mount to : mounts) {
                    copy(from, to);
                }
            }
        } finally {
            mounts.forEach(Mount::close);
        }
    }

    private static void copy(Mount from, Mount to) throws Exception {
        Path source = Files.createDirectory(from.resolve("S"));
        Path target = to.resolve("T");
        HostileTree tree = HostileTree.make(Linux.calls(), source);
        // An xfs holds symbolic links of at most 1024 bytes.
        Files.deleteIfExists(source.resolve("SYMLINKS/longest"));
        assertThat(tree.lacking().keySet()).as("%s", tree.lacking()).isSubsetOf(EnumSet.of(Part.SPARSE, Part.SYMLINKS));

        Transfers.copy(Copies.archive().chunkBytes(HostileTree.CHUNK_BYTES).build(), source, target).succeeds();

        TreeAssert.assertThat(TreeListing.of(Linux.calls(), target)).isCopyOf(TreeListing.of(Linux.calls(), source));
        Transfers.Compared compared = Transfers.compare(source, target);
        assertThat(compared.differences()).isEmpty();
        assertThat(compared.failures()).isEmpty();
        // rsync itself cannot name a path longer than 4096 bytes, and reads terabytes of holes. An xfs lists ACLs
        // twice.
        Rsync.assertEqual(source, target,
                Set.of("--exclude=/DEEP_PATH/", "--exclude=/SPARSE/", "--filter=-x trusted.SGI_ACL_*"));
        TreeRemoval.remove(Linux.calls(), source);
        TreeRemoval.remove(Linux.calls(), target);
    }
}
