// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.remove;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.constraints.IntRange;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.GnuRm;
import org.treehaul.core.testing.ListedEntry;
import org.treehaul.core.testing.RandomTree;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeAssert;
import org.treehaul.core.testing.TreeListing;

// Separate from the other tests: jqwik does not run JUnit's methods before and after each test.
class TreeRemoverPropertyTest {

    @Property(tries = 20, shrinking = ShrinkingMode.OFF)
    void theSameEntriesStayAsWithGnuRm(@ForAll long seed, @ForAll @IntRange(min = 1, max = 8) int threads,
            @ForAll @IntRange(min = 0, max = 4) int operands) throws IOException, InterruptedException {
        try (TestDirectory directory = TestDirectory.make()) {
            Path ours = directory.directory("ours");
            Path gnu = directory.directory("gnu");
            RandomTree.make(Linux.calls(), ours, seed, 120);
            RandomTree.make(Linux.calls(), gnu, seed, 120);
            List<ListedEntry> entries = List.copyOf(TreeListing.of(Linux.calls(), ours).entries());
            List<ByteString> below = new ArrayList<>();
            Random random = new Random(seed);
            for (int i = 0; i < operands; i++) {
                // Operands do not overlap: which of two is first is left to the threads.
                ByteString chosen = entries.get(random.nextInt(entries.size())).path();
                if (below.stream().noneMatch(other -> overlap(other, chosen))) {
                    below.add(chosen);
                }
            }
            if (below.isEmpty()) {
                below.add(ByteString.empty());
            }
            List<ByteString> paths = below.stream().map(path -> join(ours, path)).toList();
            RemoveResult result = TreeRemover.of(Linux.calls(), RemoveOptions.ofTrees().withThreads(threads))
                    .remove(paths, event -> {
                        throw new AssertionError(event);
                    }, new Progress(), new Cancellation());
            assertThat(result.isComplete()).isTrue();
            GnuRm.remove(directory.resolve("script"), below.stream().map(path -> join(gnu, path)).toList());
            assertThat(ours.toFile().exists()).isEqualTo(gnu.toFile().exists());
            if (ours.toFile().exists()) {
                TreeAssert.assertThat(TreeListing.of(Linux.calls(), ours))
                        .comparingOnly(TreeAssert.Aspect.CONTENT, TreeAssert.Aspect.LINKS)
                        .isCopyOf(TreeListing.of(Linux.calls(), gnu));
            }
        }
    }

    private static boolean overlap(ByteString a, ByteString b) {
        String one = a + "/";
        String other = b + "/";
        return a.length() == 0 || b.length() == 0 || one.startsWith(other) || other.startsWith(one);
    }

    private static ByteString join(Path root, ByteString path) {
        return TreePath.of(path.toBytes()).below(ByteString.of(root.toString()));
    }
}
