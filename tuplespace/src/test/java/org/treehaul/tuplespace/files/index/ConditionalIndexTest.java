// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.condition.FileField;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.testing.Campaign;
import org.treehaul.core.testing.FindCondition;
import org.treehaul.tuplespace.files.FileGroup;
import org.treehaul.tuplespace.files.FileGroups;
import org.treehaul.tuplespace.files.FileTuple;

/** An index with conditions has the entries that GNU find selects, after each run. */
class ConditionalIndexTest {

    private static List<ByteString> words(String... words) {
        return Stream.of(words).map(ByteString::of).toList();
    }

    private static Set<String> answers(IndexedTree tree) {
        try (Stream<FileTuple> found = tree.index().entries(FileQuery.all())) {
            return found.map(tuple -> tuple.path().utf8().orElseThrow()).collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private static Set<String> without(Set<String> all, Set<String> others) {
        Set<String> rest = new TreeSet<>(all);
        rest.removeAll(others);
        return rest;
    }

    @Test
    void theIndexHasWhatFindSelects() throws Exception {
        indexLikeFind(80, 37);
    }

    @Test
    @Tag("campaign")
    void manyIndexesHaveWhatFindSelects() throws Exception {
        indexLikeFind(Campaign.cases(1_000), Campaign.seed(10_000));
    }

    private void indexLikeFind(int cases, long seed) throws Exception {
        long count = 0;
        for (int i = 0; i < cases; i++) {
            Random random = new Random(seed + i);
            try (IndexedTree tree = new IndexedTree()) {
                Path root = tree.resolve("tree" + i);
                List<Path> made = FindCondition.makeTree(random, root);
                FindCondition condition = FindCondition.random(random, made);
                if (condition.ours().stream().anyMatch(word -> word.startsWith("newer-than"))) {
                    // The file may be gone in the second run.
                    continue;
                }
                if (i % 2 == 0) {
                    tree.limit(IndexedTree.TINY);
                }
                // With the moments of ages, from which find counts too.
                List<ByteString> given = condition.query(true).conditions().stream().map(ByteString::of).toList();
                IndexOptions options = IndexOptions.defaults().withWhere(given);
                Set<String> before = Set.of();
                for (int run = 0; run < 3; run++) {
                    Set<String> expected = condition.find(root);
                    IndexResult result = tree.update(run == 0 ? options : IndexOptions.defaults(), new Cancellation(),
                            List.of(ByteString.of(root.toString())));
                    assertThat(answers(tree)).as("seed %d, run %d: %s", seed + i, run, condition).isEqualTo(expected);
                    check(tree, expected.size());
                    assertThat(result.entries()).isEqualTo(expected.size());
                    if (run > 0 || !given.isEmpty()) {
                        assertThat(result.added()).isEqualTo(without(expected, before).size());
                        assertThat(result.removed()).isEqualTo(without(before, expected).size());
                    }
                    count += expected.size();
                    before = expected;
                    RandomChanges.make(root, random, 6);
                }
            }
        }
        // Otherwise the cases would compare nothing with nothing.
        assertThat(count).isGreaterThan(cases);
    }

    private static void check(IndexedTree tree, long expected) {
        assertThat(tree.index().count(FileQuery.all())).isEqualTo(expected);
        try (FileGroups groups = tree.index().groupBy(FileQuery.all(), FileField.KIND);
                Stream<FileGroup> all = groups.stream()) {
            assertThat(all.mapToLong(FileGroup::count).sum()).isEqualTo(expected);
        }
        try (Stream<FileTuple> top = tree.index().top(FileQuery.all(), FileField.SIZE, 1000)) {
            assertThat(top.count()).isEqualTo(expected);
        }
    }

    @Test
    void otherConditionsAreRefused() {
        try (IndexedTree tree = new IndexedTree()) {
            tree.make(w -> w.file(IndexedTree.path("d/f"), 5000, 1).file(IndexedTree.path("d/g"), 1, 1));
            IndexOptions large = IndexOptions.defaults().withWhere(words("size>1K", "kind=regular"));
            assertThat(tree.update(large).entries()).isEqualTo(1);
            assertThat(tree.index().condition()).contains("size>1K kind=regular");
            assertThat(tree.paths()).containsExactly("d/f");
            assertThat(
                    tree.update(IndexOptions.defaults().withWhere(words("kind=regular", "and", "size>1024"))).changed())
                    .isZero();
            assertThatThrownBy(() -> tree.update(IndexOptions.defaults().withWhere(words("size>2K"))))
                    .hasMessageContaining(
                            "this index has the entries that meet 'size>1K kind=regular', not those that meet "
                                    + "'size>2K'; leave out --where, use another space, or remove the trees with --forget first");
            assertThat(tree.paths()).containsExactly("d/f");
        }
        try (IndexedTree tree = new IndexedTree()) {
            tree.update();
            assertThatThrownBy(() -> tree.update(IndexOptions.defaults().withWhere(words("size>2K"))))
                    .hasMessageContaining("this index has all entries of its trees");
        }
    }

    @Test
    void conditionsThatOnlyAnIndexKnowsAreRefused() {
        try (IndexedTree tree = new IndexedTree()) {
            assertThatThrownBy(() -> tree.update(IndexOptions.defaults().withWhere(words("generation=1"))))
                    .hasMessageContaining("an entry has no generation before it is indexed");
            assertThatThrownBy(() -> tree.update(IndexOptions.defaults().withWhere(words("path=d/*"))))
                    .hasMessageContaining("paths in an index start with '/'");
        }
    }
}
