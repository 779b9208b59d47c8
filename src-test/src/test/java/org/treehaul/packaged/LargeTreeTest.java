// SPDX-License-Identifier: Apache-2.0
package org.treehaul.packaged;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeWriter;

/** Memory does not grow with the tree. */
class LargeTreeTest {

    private static final int SUBDIRECTORIES = 200_000;
    private static final int FILES = 799_998;

    private TestDirectory directory;

    @BeforeEach
    void makeTree() {
        directory = TestDirectory.onTmpfs();
        Path tree = directory.directory("tree");
        // Each name in one directory: the widest that a million entries can be. Links of one file are made fastest.
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), tree)) {
            ByteString one = ByteString.of("files/0");
            writer.directory(ByteString.of("directories")).file(one, new byte[0]);
            for (int i = 0; i < SUBDIRECTORIES; i++) {
                writer.directory(ByteString.of("directories/" + i));
            }
            for (int i = 1; i < FILES; i++) {
                writer.hardLink(one, ByteString.of("files/" + i));
            }
        }
    }

    @AfterEach
    void removeTree() {
        directory.close();
    }

    @Test
    void aMillionEntriesAreWalkedWith64Megabytes() throws Exception {
        Run walk = Run.of(Run.JAVA, "-Xmx64m", "-jar", Run.JAR, "walk", directory.path().resolve("tree")).expect(0);

        assertThat(walk.out()).containsPattern("entries +1,000,001\n");
        assertThat(walk.out()).containsPattern("directory +200,003\n");
    }
}
