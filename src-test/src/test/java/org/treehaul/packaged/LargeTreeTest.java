// SPDX-License-Identifier: Apache-2.0
package org.treehaul.packaged;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanTotals;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeWriter;

/** Memory does not grow with the tree. */
class LargeTreeTest {

    private static final int SUBDIRECTORIES = 200_000;
    private static final int FILES = 799_998;

    private static @Nullable TestDirectory made;

    @BeforeAll
    static void makeTree() {
        TestDirectory directory = TestDirectory.onTmpfs();
        made = directory;
        Path tree = directory.directory("tree");
        // All names are in one directory, the widest possible for a million entries. Links to one file are the fastest
        // to make.
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

    @AfterAll
    static void removeTree() {
        directory().close();
    }

    private static TestDirectory directory() {
        return Objects.requireNonNull(made);
    }

    @Test
    void aMillionEntriesAreWalkedWith64Megabytes() throws Exception {
        Run walk = Run.of(Run.JAVA, "-Xmx64m", "-jar", Run.JAR, "walk", directory().resolve("tree")).expect(0);

        assertThat(walk.out()).containsPattern("entries +1,000,001\n");
        assertThat(walk.out()).containsPattern("directory +200,003\n");
    }

    // Without --preserve=links the names of one file are separate entries.
    @Test
    void aMillionEntriesArePlannedWith48Megabytes() throws Exception {
        Path plan = directory().resolve("plan");
        Run.of(Run.JAVA, "-Xmx48m", "-jar", Run.JAR, "plan", "-r", "--jobs", "16", "-o", plan,
                directory().resolve("tree"), directory().resolve("target")).expect(0);

        assertThat(Plan.open(plan).totals()).contains(new PlanTotals(FILES, FILES, 0, 0, SUBDIRECTORIES + 3, 0, 0));
        assertThat(Plan.open(plan).batches()).hasSize(128).allMatch(batch -> Math.abs(batch.entries() - 6250) <= 3);
    }
}
