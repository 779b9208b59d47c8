// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.core.walk.Walks.path;

import java.util.Map;
import java.util.TreeMap;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.constraints.IntRange;
import org.treehaul.core.entry.Entry;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.RandomTree;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeListing;
import org.treehaul.core.walk.Walks.Seen;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;

// Separate from the other tests of the walk: jqwik does not run JUnit's methods before and after each test.
class TreeWalkerPropertyTest {

    @Property(tries = 20, shrinking = ShrinkingMode.OFF)
    void seesEveryEntryOnceWithItsStatusAndDirectoriesBeforeTheirContent(@ForAll long seed,
            @ForAll @IntRange(min = 1, max = 8) int threads, @ForAll @IntRange(min = 1, max = 20) int budget) {
        try (TestDirectory random = TestDirectory.make()) {
            RandomTree.make(Linux.calls(), random.path(), seed, 150);
            Seen seen = Walks.walk(FaultInjectingCalls.over(Linux.calls()),
                    WalkOptions.defaults().withThreads(threads).withDirectoryBudget(budget),
                    Root.of(path(random.path())));
            assertThat(seen.failures()).isEmpty();
            assertThat(seen.result().isComplete()).isTrue();
            Map<String, String> expected = new TreeMap<>();
            TreeListing.of(Linux.calls(), random.path())
                    .entries()
                    .forEach(entry -> expected.put(TreePath.of(entry.path().toBytes()).toString(),
                            entry.status().kind() + " " + entry.status().inode() + " " + entry.status().size()
                                    + (entry.status().kind() == EntryKind.SYMLINK ? " " + entry.content() : "")));
            Map<String, String> found = new TreeMap<>();
            for (Entry entry : seen.inOrder()) {
                String old = found.put(entry.path().toString(), entry.kind() + " " + entry.inode() + " "
                        + entry.status().orElseThrow().size() + entry.linkTarget().map(t -> " " + t).orElse(""));
                assertThat(old).as("seen twice").isNull();
                assertThat(entry.path().isRoot() || found.containsKey(entry.path().parent().toString())).isTrue();
            }
            assertThat(found).isEqualTo(expected);
        }
    }
}
