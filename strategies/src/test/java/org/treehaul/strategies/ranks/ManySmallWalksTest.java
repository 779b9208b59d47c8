// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.Campaign;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeWriter;
import org.treehaul.core.walk.Step;
import org.treehaul.core.walk.TreeVisitor;
import org.treehaul.core.walk.WalkResult;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;

/**
 * Walks trees in which never more than one or two units wait, so that most threads only look for work: the counts of
 * these threads must never hide a unit, or the group waits for it for ever. How many walks are needed depends on the
 * schedule of the threads.
 */
@Tag("campaign")
class ManySmallWalksTest {

    private static final int DEPTH = 40;
    private static final int WALKS = 1500;
    private static final int RANKS = 2;
    private static final int THREADS = 12;

    private static TestDirectory directory;

    @BeforeAll
    static void makeTree() {
        directory = TestDirectory.make();
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), directory.path())) {
            writer.file(ByteString.of("one/" + "d/".repeat(2 * DEPTH) + "f"), 1, 1);
            for (String chain : List.of("two/a/", "two/b/")) {
                writer.file(ByteString.of(chain + "d/".repeat(DEPTH - 1) + "f"), 1, 1);
            }
        }
    }

    @AfterAll
    static void removeTree() {
        directory.close();
    }

    @ParameterizedTest
    @CsvSource({"centralized, one, 82", "pct, one, 82", "centralized, two, 83", "pct, two, 83"})
    @Timeout(value = 10, unit = TimeUnit.MINUTES) // waiting for ever is the failure
    void ranksOfManyThreadsVisitEveryEntryOnce(String distribution, String tree, int entries) {
        int walks = Campaign.cases(WALKS);
        RankWalk walker = RankWalk.of(Linux.calls(), WalkOptions.defaults().withThreads(THREADS),
                Distribution.named(distribution).orElseThrow(), RANKS);
        List<Root> roots = List.of(Root.of(ByteString.of(directory.resolve(tree).toString())));
        for (int i = 0; i < walks; i++) {
            Queue<String> visited = new ConcurrentLinkedQueue<>();
            WalkResult<TreeVisitor> result = walker.walk(roots, () -> entry -> {
                visited.add(entry.path().toString());
                return Step.CONTINUE;
            }, new Cancellation());
            assertThat(result.isComplete()).as("walk %d", i).isTrue();
            assertThat(visited).as("walk %d", i).hasSize(entries).doesNotHaveDuplicates();
        }
    }
}
