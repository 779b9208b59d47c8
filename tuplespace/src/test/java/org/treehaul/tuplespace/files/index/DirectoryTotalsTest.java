// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.tuplespace.files.index.IndexedTree.path;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.RandomTree;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.walk.summary.PathUsage;
import org.treehaul.core.walk.summary.Usage;
import org.treehaul.core.walk.summary.UsageOptions;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.files.DirectoryTotals;
import org.treehaul.tuplespace.files.EntrySum;
import org.treehaul.tuplespace.files.FileIndex;
import org.treehaul.tuplespace.files.Queries;
import org.treehaul.tuplespace.files.TotalsState;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.tuple.Template;

/** The totals of directories in an index, beside the answers without them. */
class DirectoryTotalsTest {

    private static final IndexOptions DEFAULTS = IndexOptions.defaults();

    @AutoClose
    final IndexedTree tree = new IndexedTree();

    /** The lines and counts of du. */
    private record Answer(Usage total, List<PathUsage> lines, Progress.Snapshot counts) {

        static Answer of(TupleSpace space, ByteString root, UsageOptions options) {
            return of(space, List.of(root), options);
        }

        static Answer of(TupleSpace space, List<ByteString> roots, UsageOptions options) {
            List<PathUsage> lines = new ArrayList<>();
            Progress progress = new Progress();
            Usage total = Queries.index(space)
                    .usage(roots, Collections.nCopies(roots.size(), path("R")), options, lines::add, progress,
                            new Cancellation());
            lines.sort(Comparator.comparing(PathUsage::path));
            return new Answer(total, lines, progress.snapshot());
        }
    }

    private List<ByteString> directories() {
        return tree.tuples()
                .stream()
                .filter(tuple -> tuple.kind() == org.treehaul.core.entry.EntryKind.DIRECTORY)
                .map(tuple -> tuple.path())
                .toList();
    }

    private void assertAnswersAreThoseOfTheEntries(boolean hasLinks) {
        List<UsageOptions> all = new ArrayList<>();
        UsageOptions options = UsageOptions.defaults();
        // Which directory counts a file with names in two of them depends on the order of reading.
        all.add(options.withMaxDepth(0));
        if (!hasLinks) {
            all.addAll(List.of(options, options.withMaxDepth(1), options.withMaxDepth(2)));
        }
        all.add(options.withCountLinks(true));
        List<ByteString> directories = directories();
        List<Answer> byTotals = new ArrayList<>();
        directories.forEach(root -> all.forEach(some -> byTotals.add(Answer.of(tree.space(), root, some))));
        TotalsState state = tree.space().takeAll(Template.of(TotalsState.class), 1).getFirst();
        List<Answer> byEntries = new ArrayList<>();
        directories.forEach(root -> all.forEach(some -> byEntries.add(Answer.of(tree.space(), root, some))));
        assertThat(byTotals).containsExactlyElementsOf(byEntries);
        tree.space().write(state);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void theAnswersAreThoseOfTheEntriesAfterAnyChanges(long seed) throws IOException {
        RandomTree.make(Linux.calls(), tree.root(), seed, 150);
        if (seed == 4) {
            tree.limit(IndexedTree.TINY);
        }
        tree.update();
        Random random = new Random(seed);
        for (int round = 0; round < 3; round++) {
            assertAnswersAreThoseOfTheEntries(true);
            RandomChanges.make(tree.root(), random, 20);
            tree.update();
            tree.assertIsFresh(DEFAULTS);
        }
    }

    @Test
    void eachLineIsThatOfTheEntries() throws IOException {
        tree.make(w -> w.file(path("a/b/c/f"), 5000, 1)
                .file(path("a/b-c/f"), 70_000, 1)
                .file(path("a/b/g"), 1, 1)
                .symlink(path("a/l"), path("nowhere"))
                .directory(path("a/empty")));
        tree.update();
        assertAnswersAreThoseOfTheEntries(false);
        Files.delete(tree.resolve("a/b/c/f"));
        Files.delete(tree.resolve("a/b/c"));
        Files.writeString(tree.resolve("a/b/c"), "a file now");
        tree.update();
        assertAnswersAreThoseOfTheEntries(false);
        assertThat(IndexedTree.totals(tree.space())).hasSize(5);
    }

    @Test
    void aFileWithTwoNamesCountsOnceInTheDirectoryAboveBoth() throws IOException {
        tree.make(w -> w.file(path("a/f"), 5000, 1).file(path("b/g"), 3000, 1));
        Files.createLink(tree.resolve("b/f"), tree.resolve("a/f"));
        tree.update();
        Answer whole = Answer.of(tree.space(), tree.rootPath(), UsageOptions.defaults());
        assertThat(whole.total().apparentBytes()).isEqualTo(8000);
        assertThat(whole.lines()).last().satisfies(line -> assertThat(line.usage().entries()).isPositive());
        assertThat(whole.lines()).filteredOn(line -> line.depth() == 1)
                .extracting(line -> line.usage().apparentBytes())
                .containsAnyOf(5000L, 0L)
                .satisfies(each -> assertThat(each.stream().mapToLong(Long::longValue).sum()).isEqualTo(8000));
        assertThat(Answer.of(tree.space(), ByteString.of(tree.resolve("b").toString()), UsageOptions.defaults())
                .total()
                .apparentBytes()).isEqualTo(8000);
    }

    @Test
    void anIndexWithoutTotalsAnswersAndGetsThemInTheNextRun() throws IOException {
        tree.make(w -> w.file(path("d/f"), 5000, 1));
        tree.update();
        List<String> totals = IndexedTree.totals(tree.space());
        tree.space().remove(Template.of(TotalsState.class));
        tree.space().remove(Template.of(DirectoryTotals.class));
        assertThat(Answer.of(tree.space(), tree.rootPath(), UsageOptions.defaults()).total().apparentBytes())
                .isEqualTo(5000);
        tree.update();
        assertThat(IndexedTree.totals(tree.space())).isEqualTo(totals);
        tree.assertIsFresh(DEFAULTS);
    }

    @Test
    void totalsOfAnotherRunAreNotUsed() throws IOException {
        tree.make(w -> w.file(path("d/f"), 5000, 1));
        tree.update();
        TotalsState state = TotalsState.of(tree.index().roots(), EntrySum.random());
        Files.writeString(tree.resolve("d/g"), "more");
        tree.update();
        // As a version without totals leaves them.
        tree.space().remove(Template.of(TotalsState.class));
        tree.space().remove(Template.of(DirectoryTotals.class));
        tree.space().write(state);
        tree.space().write(DirectoryTotals.of(tree.rootPath(), 1, 1, 1, 1, 1, 1, 0, 0));
        assertThat(Answer.of(tree.space(), tree.rootPath(), UsageOptions.defaults()).total().apparentBytes())
                .isEqualTo(5004);
    }

    @Test
    void treesInsideEachOtherAndForgottenOnesHaveTheTotalsOfTheirEntries() throws IOException {
        tree.make(w -> w.file(path("a/b/f"), 5000, 1).file(path("a/g"), 300, 1).file(path("c/h"), 20, 1));
        ByteString inner = ByteString.of(tree.resolve("a/b").toString());
        ByteString outer = ByteString.of(tree.resolve("a").toString());
        ByteString other = ByteString.of(tree.resolve("c").toString());
        for (ByteString root : List.of(inner, outer, other)) {
            tree.update(DEFAULTS, new Cancellation(), List.of(root));
            assertAnswersAreThoseOfTheEntries(false);
        }
        Files.writeString(tree.resolve("a/b/new"), "new");
        tree.update(DEFAULTS, new Cancellation(), List.of());
        assertAnswersAreThoseOfTheEntries(false);
        assertThat(Answer.of(tree.space(), outer, UsageOptions.defaults()).total().apparentBytes()).isEqualTo(5303);
        for (ByteString root : List.of(outer, other)) {
            try (ListedParts parts = tree.parts()) {
                TreeRemoval.remove(tree.space(), List.of(root), parts);
            }
            assertAnswersAreThoseOfTheEntries(false);
        }
        assertThat(IndexedTree.totals(tree.space())).hasSize(1);
    }

    @Test
    void aTreeInsideAnotherCountsInTheOneThatComesFirst() throws IOException {
        tree.make(w -> w.file(path("a/b/c/f"), 5000, 1)
                .file(path("a/b/g"), 300, 1)
                .file(path("a/d/h"), 20, 1)
                .file(path("e"), 7, 1));
        // Both names are in one directory, so that no order of reading decides.
        Files.createLink(tree.resolve("a/b/c/g"), tree.resolve("a/b/c/f"));
        tree.update();
        ByteString outer = ByteString.of(tree.resolve("a").toString());
        ByteString inner = ByteString.of(tree.resolve("a/b").toString());
        ByteString innermost = ByteString.of(tree.resolve("a/b/c").toString());
        List<List<ByteString>> orders = List.of(List.of(outer, inner), List.of(inner, outer),
                List.of(innermost, inner, tree.rootPath()), List.of(inner, innermost, outer, outer),
                List.of(tree.rootPath(), innermost, outer));
        UsageOptions options = UsageOptions.defaults();
        List<UsageOptions> all = List.of(options.withMaxDepth(0), options.withMaxDepth(1), options);
        List<Answer> byTotals = new ArrayList<>();
        orders.forEach(roots -> all.forEach(some -> byTotals.add(Answer.of(tree.space(), roots, some))));
        Answer whole = Answer.of(tree.space(), tree.rootPath(), options);
        assertThat(byTotals).element(7).extracting(Answer::total).isEqualTo(whole.total());
        tree.space().remove(Template.of(TotalsState.class));
        List<Answer> byEntries = new ArrayList<>();
        orders.forEach(roots -> all.forEach(some -> byEntries.add(Answer.of(tree.space(), roots, some))));
        assertThat(byTotals).containsExactlyElementsOf(byEntries);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theFirstRunIntoANewSpaceMakesTheTotalsOfALaterOne(boolean isInParts) throws IOException {
        RandomTree.make(Linux.calls(), tree.root(), 9, 300);
        Files.createDirectories(tree.resolve("unreadable/below"));
        Files.createFile(tree.resolve("unreadable/file"));
        Fault fault = Fault.on(Call.OPENAT).named("below").fails(Errno.EACCES);
        tree.update(fault);
        try (TestDirectory place = TestDirectory.make()) {
            Path space = place.resolve("space");
            Indexer.of(FaultInjectingCalls.over(Linux.calls(), fault), DEFAULTS,
                    isInParts ? IndexedTree.TINY : IndexLimits.DEFAULTS)
                    .run(space, List.of(tree.rootPath()), failure -> {
                    }, new Progress(), new Cancellation());
            try (TupleSpace made = FileIndex.openSpace(SpaceUri.of(space))) {
                assertThat(IndexedTree.totals(made)).containsExactlyElementsOf(IndexedTree.totals(tree.space()));
                assertThat(TotalsState.isCurrent(made, FileIndex.roots(made))).isTrue();
                assertThat(IndexedTree.directories(made)).allMatch(totals -> totals.listing() != null);
                IndexedTree.assertListingsAreThoseOfTheEntries(made);
            }
            RandomChanges.make(tree.root(), new Random(9), 30);
            Indexer.of(Linux.calls(), DEFAULTS).run(space, List.of(), failure -> {
            }, new Progress(), new Cancellation());
            tree.update();
            try (TupleSpace made = FileIndex.openSpace(SpaceUri.of(space));
                    Stream<DirectoryTotals> all = made.contents(Template.of(DirectoryTotals.class))) {
                assertThat(all).isNotEmpty();
                assertThat(IndexedTree.totals(made)).containsExactlyElementsOf(IndexedTree.totals(tree.space()));
            }
        }
    }
}
