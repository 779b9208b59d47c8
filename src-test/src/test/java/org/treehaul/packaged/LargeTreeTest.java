// SPDX-License-Identifier: Apache-2.0
package org.treehaul.packaged;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanTotals;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeWriter;

/** Memory does not grow with the tree. */
class LargeTreeTest {

    /**
     * Numbers of entries. The names are in two directories, the widest possible for this number. Links to one file are
     * the fastest to make.
     */
    private record Size(int subdirectories, int files) {
        static final Size MILLION = new Size(200_000, 799_998);
        static final Size TENTH = new Size(20_000, 79_998);
    }

    private static final Map<Size, TestDirectory> MADE = new HashMap<>();

    private static TestDirectory tree(Size size) {
        return MADE.computeIfAbsent(size, missing -> {
            TestDirectory directory = TestDirectory.onTmpfs();
            try (TreeWriter writer = TreeWriter.in(Linux.calls(), directory.directory("tree"))) {
                ByteString one = ByteString.of("files/0");
                writer.directory(ByteString.of("directories")).file(one, new byte[0]);
                for (int i = 0; i < size.subdirectories(); i++) {
                    writer.directory(ByteString.of("directories/" + i));
                }
                for (int i = 1; i < size.files(); i++) {
                    writer.hardLink(one, ByteString.of("files/" + i));
                }
            }
            return directory;
        });
    }

    @AfterAll
    static void removeTrees() {
        MADE.values().forEach(TestDirectory::close);
        MADE.clear();
    }

    private static void walk(Size size, String heap) throws Exception {
        Run walk = Run.of(Run.commandWithHeap(heap, "walk", tree(size).resolve("tree")).toArray()).expect(0);

        assertThat(walk.out().replace(",", "")).containsPattern("entries +" + (total(size) + 1) + "\n");
        assertThat(walk.out().replace(",", "")).containsPattern("directory +" + (size.subdirectories() + 3) + "\n");
    }

    private static int total(Size size) {
        return size.subdirectories() + size.files() + 2;
    }

    // Without --preserve=links the names of one file are separate entries.
    private static void plan(Size size, String heap) throws Exception {
        Path plan = tree(size).resolve("plan");
        Run.of(Run
                .commandWithHeap(heap, "plan", "-r", "--jobs", 16, "-o", plan, tree(size).resolve("tree"),
                        tree(size).resolve("target"))
                .toArray()).expect(0);

        assertThat(Plan.open(plan).totals())
                .contains(new PlanTotals(size.files(), size.files(), 0, 0, size.subdirectories() + 3, 0, 0));
        int share = size.files() / 128;
        assertThat(Plan.open(plan).batches()).hasSize(128).allMatch(batch -> Math.abs(batch.entries() - share) <= 3);
    }

    @Test
    void aHundredThousandEntriesAreWalkedWith16Megabytes() throws Exception {
        walk(Size.TENTH, "-Xmx16m");
    }

    @Test
    void aHundredThousandEntriesArePlannedWith16Megabytes() throws Exception {
        plan(Size.TENTH, "-Xmx16m");
    }

    @Test
    @Tag("rig")
    void aMillionEntriesAreWalkedWith64Megabytes() throws Exception {
        walk(Size.MILLION, "-Xmx64m");
    }

    @Test
    @Tag("rig")
    void aMillionEntriesArePlannedWith48Megabytes() throws Exception {
        plan(Size.MILLION, "-Xmx48m");
    }
}
