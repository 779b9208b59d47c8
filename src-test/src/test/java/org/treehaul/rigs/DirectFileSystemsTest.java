// SPDX-License-Identifier: Apache-2.0
package org.treehaul.rigs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Random;
import java.util.Set;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Run;
import org.treehaul.rigs.FileSystemsTest.Kind;

/** Copies past the page cache on file systems that allow it, and on others. */
@Tag("rig")
class DirectFileSystemsTest {

    private static final int BYTES = (3 << 20) + 123;
    // They report an alignment; Btrfs of Linux 6.18 has O_DIRECT, and reports none.
    private static final Set<Kind> DIRECT = EnumSet.of(Kind.EXT4, Kind.XFS);

    private static void copy(Path place, boolean isDirect) throws Exception {
        byte[] data = new byte[BYTES];
        new Random(1).nextBytes(data);
        Path file = Files.write(place.resolve("file"), data);
        Run run = Run.treehaul("cp", "-a", "--direct", "--reflink=never", "--verify", file, place.resolve("copy"))
                .expect(0);
        assertThat(place.resolve("copy")).hasBinaryContent(data);
        assertThat(run.err().contains("--direct is not possible on the file system of some files"))
                .isNotEqualTo(isDirect);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void theCopyIsTheSameAndANoticeSaysThatDataGoThroughTheCache(Kind kind) throws Exception {
        try (Mount mount = kind.make()) {
            copy(mount.path(), DIRECT.contains(kind));
        }
    }

    @Test
    void soItDoesWhereAProgramServesTheFileSystem() throws Exception {
        try (TestDirectory directory = TestDirectory.make();
                Bindfs bindfs = Bindfs.show(directory.directory("below"), directory.directory("mount"))) {
            copy(bindfs.resolve("."), false);
        }
    }
}
