// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.Entry;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeWriter;
import org.treehaul.core.walk.FoundEntry;
import org.treehaul.core.walk.Step;
import org.treehaul.core.walk.TreeVisitor;
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.core.walk.WalkDirectory;
import org.treehaul.core.walk.WalkHandler;
import org.treehaul.core.walk.WalkResult;
import org.treehaul.core.walk.WalkWorker;
import org.treehaul.core.walk.Walker;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.SelectedPaths;
import org.treehaul.core.walk.options.Symlinks;
import org.treehaul.core.walk.options.WalkOptions;

class RankWalkTest {

    private static final WalkOptions OPTIONS = WalkOptions.defaults().withThreads(1);
    private static TestDirectory directory;

    static List<Distribution> distributions() {
        return Distribution.all();
    }

    // Makes a tree that is wide and deep, with a large directory that contains links to other places.
    @BeforeAll
    static void makeTree() {
        directory = TestDirectory.make();
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), directory.path())) {
            make(writer);
        }
    }

    private static void make(TreeWriter writer) {
        for (int i = 0; i < 40; i++) {
            for (int j = 0; j < 12; j++) {
                writer.file(path("wide/d" + i + "/e" + j + "/f"), 1, 1);
            }
            writer.file(path("wide/d" + i + "/\n\u00ff" + i), 1, 1);
        }
        StringBuilder deep = new StringBuilder("deep");
        for (int i = 0; i < 300; i++) {
            deep.append("/a-name-of-some-length-").append(i % 10);
            writer.file(path(deep + "/f"), 1, 1);
        }
        for (int i = 0; i < 12_000; i++) {
            writer.special(path("large/name-" + i), EntryKind.FIFO, 0);
        }
        writer.symlink(path("link"), path("wide/d3")).symlink(path("dangling"), path("nothing"));
        writer.symlink(path("wide/d5/up"), path("../d6"));
    }

    @AfterAll
    static void removeTree() {
        directory.close();
    }

    private static ByteString path(String text) {
        return ByteString.of(text);
    }

    private static Root root() {
        return Root.of(ByteString.of(directory.path().toString()));
    }

    /** Returns the entries that a walk visited, as sorted text. */
    private static List<String> walk(Walker walker, Root... roots) {
        List<String> seen = Collections.synchronizedList(new ArrayList<>());
        WalkResult<TreeVisitor> result = walker.walk(List.of(roots), () -> visitor(seen), new Cancellation());
        assertThat(result.isComplete()).isTrue();
        return seen.stream().sorted().toList();
    }

    private static TreeVisitor visitor(List<String> seen) {
        return new TreeVisitor() {
            @Override
            public Step visit(Entry entry) {
                seen.add(entry.toString());
                return Step.CONTINUE;
            }

            @Override
            public void failed(EntryFailure failure) {
                seen.add("failed " + failure);
            }
        };
    }

    @ParameterizedTest
    @MethodSource("distributions")
    void ranksVisitTheEntriesOfAWalk(Distribution distribution) {
        List<String> expected = walk(TreeWalker.of(Linux.calls(), OPTIONS), root());
        assertThat(expected).hasSizeGreaterThan(7500);
        for (int[] some : new int[][]{{1, 1}, {2, 3}, {5, 1}}) {
            FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls());
            RankWalk walker = RankWalk.of(calls, OPTIONS.withThreads(some[1]), distribution, some[0]);
            for (Walker each : List.of(walker, walker.sharedNothing())) {
                assertThat(walk(each, root())).as(some[0] + " ranks of " + some[1] + " " + each.isPart())
                        .isEqualTo(expected);
            }
            assertThat(calls.openDescriptors()).as("left open").isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("distributions")
    void aDirectoryWhosePathFitsIntoNoMessageStaysInItsRank(Distribution distribution) {
        Root deep = Root.of(ByteString.of(directory.path() + "/deep"));
        List<String> expected = walk(TreeWalker.of(Linux.calls(), OPTIONS), deep);
        Group.Settings settings = Group.Settings.defaults().withLongestMessage(1000);
        RankWalk walker = RankWalk.of(Linux.calls(), OPTIONS, distribution, 3).withSettings(settings);
        for (Walker each : List.of(walker, walker.sharedNothing())) {
            assertThat(walk(each, deep)).isEqualTo(expected);
        }
    }

    /** Counts how often directories are entered and left, and defers a part of the work of each. */
    private static final class Counting implements WalkHandler<AtomicInteger> {
        private final AtomicInteger[] counts;

        Counting(AtomicInteger[] counts) {
            this.counts = counts;
        }

        @Override
        public Step entry(FoundEntry<AtomicInteger> found) {
            WalkDirectory<AtomicInteger> parent = found.parent();
            if (parent != null && found.kind() != EntryKind.DIRECTORY) {
                parent.attachment().incrementAndGet();
                found.worker().fork(parent, later -> parent.attachment().decrementAndGet());
            }
            return Step.CONTINUE;
        }

        @Override
        public AtomicInteger enter(WalkDirectory<AtomicInteger> directory, WalkWorker<AtomicInteger> worker) {
            counts[0].incrementAndGet();
            if (directory.parent() != null) {
                directory.parent().attachment().incrementAndGet();
            }
            return new AtomicInteger();
        }

        // The attachment counts the work in progress below a directory.
        @Override
        public void leave(WalkDirectory<AtomicInteger> directory, WalkWorker<AtomicInteger> worker) {
            counts[1].incrementAndGet();
            counts[2].addAndGet(directory.attachment().get());
            if (directory.parent() != null) {
                directory.parent().attachment().decrementAndGet();
            }
        }

        @Override
        public void failed(EntryFailure failure) {
            throw new AssertionError(failure);
        }
    }

    @ParameterizedTest
    @MethodSource("distributions")
    void aDirectoryIsEnteredOnceAndLeftOnceWhenAllBelowItIsDone(Distribution distribution) {
        int directories = 1 + 1 + 40 + 40 * 12 + 301 + 1;
        for (int ranks : new int[]{2, 4, 8}) {
            AtomicInteger[] counts = {new AtomicInteger(), new AtomicInteger(), new AtomicInteger()};
            RankWalk.of(Linux.calls(), OPTIONS.withThreads(ranks == 2 ? 3 : 1), distribution, ranks)
                    .walkWith(List.of(root()), (WalkWorker<AtomicInteger> worker) -> new Counting(counts),
                            new Cancellation(), workers -> {
                            });
            assertThat(counts).extracting(AtomicInteger::get).containsExactly(directories, directories, 0);
        }
    }

    @ParameterizedTest
    @MethodSource("distributions")
    void followedLinksSeveralRootsAndSelectionsAreTheSame(Distribution distribution) {
        Root wide = Root.of(ByteString.of(directory.path() + "/wide"));
        Root link = Root.of(ByteString.of(directory.path() + "/link"));
        for (Symlinks symlinks : Symlinks.values()) {
            WalkOptions options = OPTIONS.withSymlinks(symlinks).withOneFileSystem(true);
            assertThat(walk(RankWalk.of(Linux.calls(), options, distribution, 3), root(), wide, link))
                    .isEqualTo(walk(TreeWalker.of(Linux.calls(), options), root(), wide, link));
        }
        Root selected = selected();
        assertThat(walk(RankWalk.of(Linux.calls(), OPTIONS, distribution, 3), selected))
                .isEqualTo(walk(TreeWalker.of(Linux.calls(), OPTIONS), selected));
    }

    private static Root selected() {
        SelectedPaths selection = SelectedPaths.following();
        selection.add(TreePath.of("wide/d7".getBytes(StandardCharsets.UTF_8)));
        selection.add(TreePath.of("link/e1".getBytes(StandardCharsets.UTF_8)));
        selection.add(TreePath.of("missing/x".getBytes(StandardCharsets.UTF_8)));
        return Root.of(ByteString.of(directory.path().toString()), selection);
    }

    @Test
    void aSmallBudgetOfDescriptorsIsEnough() {
        List<String> expected = walk(TreeWalker.of(Linux.calls(), OPTIONS), root());
        assertThat(
                walk(RankWalk.of(Linux.calls(), OPTIONS.withDirectoryBudget(4), Distribution.randomSplit(), 6), root()))
                .isEqualTo(expected);
    }

    @Test
    void aFailureInOneRankIsOnlyThatEntrys() {
        FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.STATX).nth(700).fails(Errno.EIO));
        List<String> seen = walk(RankWalk.of(calls, OPTIONS, Distribution.equalSplit(), 4), root());
        assertThat(seen.stream().filter(line -> line.startsWith("failed"))).hasSize(1);
    }

    @ParameterizedTest
    @MethodSource("distributions")
    void aVisitorThatQuitsEndsTheWalkOfAllRanks(Distribution distribution) {
        Consumer<RankReport> nothing = report -> {
        };
        WalkResult<TreeVisitor> result = RankWalk.of(Linux.calls(), OPTIONS, distribution, 4)
                .withReports(nothing)
                .walk(List.of(root()), () -> entry -> entry.path().depth() > 100 ? Step.QUIT : Step.CONTINUE,
                        new Cancellation());
        assertThat(result.isComplete()).isFalse();
    }

    @ParameterizedTest
    @MethodSource("distributions")
    void exceptionsOfVisitorsReachTheCaller(Distribution distribution) {
        assertThatThrownBy(
                () -> RankWalk.of(Linux.calls(), OPTIONS, distribution, 4).walk(List.of(root()), () -> entry -> {
                    if (entry.path().depth() > 50) {
                        throw new IllegalArgumentException("a visitor's own");
                    }
                    return Step.CONTINUE;
                }, new Cancellation())).isInstanceOf(IllegalArgumentException.class).hasMessage("a visitor's own");
    }

    @ParameterizedTest
    @MethodSource("distributions")
    void aCancelledWalkEndsIncomplete(Distribution distribution) {
        Cancellation cancellation = new Cancellation();
        WalkResult<TreeVisitor> result = RankWalk.of(Linux.calls(), OPTIONS, distribution, 4)
                .walk(List.of(root()), () -> entry -> {
                    cancellation.cancel();
                    return Step.CONTINUE;
                }, cancellation);
        assertThat(result.isComplete()).isFalse();
    }

    @Test
    void everyRankReportsItsWork() {
        List<RankReport> reports = Collections.synchronizedList(new ArrayList<>());
        int seen = walk(RankWalk.of(Linux.calls(), OPTIONS, Distribution.proximity(), 4)
                .withHosts(List.of(0, 0, 1, 1))
                .withReports(reports::add), root()).size();
        assertThat(reports).extracting(RankReport::rank).containsExactlyInAnyOrder(0, 1, 2, 3);
        assertThat(reports.stream().mapToLong(RankReport::entries).sum()).isEqualTo(seen);
        assertThat(reports.stream().mapToLong(r -> r.traffic().totalMessages()).sum()).isPositive();
        assertThat(reports).allSatisfy(r -> assertThat(r.communication()).isLessThanOrEqualTo(r.elapsed()));
    }

    @ParameterizedTest
    @MethodSource("distributions")
    void ranksShareADirectoryWithNothingButFiles(Distribution distribution) {
        Root flat = Root.of(ByteString.of(directory.path() + "/large"));
        RankWalk walker = RankWalk.of(Linux.calls(), OPTIONS, distribution, 4);
        for (RankWalk each : List.of(walker, walker.sharedNothing())) {
            List<RankReport> reports = Collections.synchronizedList(new ArrayList<>());
            assertThat(walk(each.withReports(reports::add), flat)).hasSize(12_001);
            assertThat(reports.stream().mapToLong(RankReport::entries).max().orElseThrow()).isLessThan(11_500);
        }
    }

    @Test
    void moreRanksThanDescriptorsAreRefused() {
        assertThatThrownBy(() -> RankWalk.of(Linux.calls(), OPTIONS, Distribution.hybrid(), 10_000_000))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("open files");
    }
}
