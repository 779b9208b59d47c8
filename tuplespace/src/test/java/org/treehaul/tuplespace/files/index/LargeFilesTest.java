// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.tuplespace.files.index.IndexedTree.path;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.walk.summary.PathUsage;
import org.treehaul.core.walk.summary.UsageOptions;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.files.FileIndex;
import org.treehaul.tuplespace.files.TotalsState;
import org.treehaul.tuplespace.tuple.Template;

/** Files without data, whose sizes together are more than a long holds. */
class LargeFilesTest {

    private static final UsageOptions DEFAULTS = UsageOptions.defaults();

    @AutoClose
    final TestDirectory directory = TestDirectory.make();
    @AutoClose
    final IndexedTree tree = IndexedTree.onTmpfs(TupleSpaces.open(directory.resolve("space"), FileIndex.SPACE));

    private void make() throws IOException {
        tree.make(w -> w.file(path("a/b/f"), 5000, 1).file(path("a/g"), 300, 1).file(path("c"), 20, 1));
        for (String name : List.of("a/b/one", "a/b/two")) {
            try (RandomAccessFile file = new RandomAccessFile(tree.resolve(name).toFile(), "rw")) {
                file.setLength(5L << 60);
            }
        }
    }

    private ByteString absolute(String name) {
        return ByteString.of(tree.resolve(name).toString());
    }

    /** Returns the sizes of the lines of du. */
    private List<String> lines(UsageOptions options, ByteString... roots) {
        List<PathUsage> lines = new ArrayList<>();
        tree.index()
                .usage(List.of(roots), Collections.nCopies(roots.length, path("R")), options, lines::add,
                        new Progress(), new Cancellation());
        return lines.stream().map(line -> line.path() + " " + line.usage().apparentBytes()).sorted().toList();
    }

    private void assertSumsAreLargest() {
        String largest = " " + Long.MAX_VALUE;
        assertThat(lines(DEFAULTS, tree.rootPath())).containsExactly("R" + largest, "R/a" + largest, "R/a/b" + largest);
        assertThat(lines(DEFAULTS.withMaxDepth(0), tree.rootPath())).containsExactly("R" + largest);
        assertThat(lines(DEFAULTS.withMaxDepth(0), absolute("a/b"), absolute("a"))).containsExactly("R 300",
                "R" + largest);
        assertThat(lines(DEFAULTS.withSeparate(true), tree.rootPath())).containsExactly("R 20", "R/a 300",
                "R/a/b" + largest);
    }

    @Test
    void aSumThatNoLongHoldsIsTheLargestLong() throws IOException {
        make();
        tree.update();
        assertSumsAreLargest();
        assertThat(tree.index().tree(absolute("a")).size()).isEqualTo(Long.MAX_VALUE);
        tree.space().remove(Template.of(TotalsState.class));
        assertSumsAreLargest();
    }

    @Test
    void totalsAreMadeAgainFromTheEntries() throws IOException {
        make();
        tree.update();
        List<String> totals = IndexedTree.totals(tree.space());
        tree.update(IndexOptions.defaults(), new Cancellation(), List.of(absolute("a/b")));
        assertThat(IndexedTree.totals(tree.space())).isEqualTo(totals);
        assertSumsAreLargest();
    }
}
