// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.treehaul.tuplespace.files.index.IndexedTree.path;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.walk.options.Patterns;
import org.treehaul.core.walk.options.WalkOptions;
import org.treehaul.tuplespace.Lease;
import org.treehaul.tuplespace.files.FileGroup;
import org.treehaul.tuplespace.files.FileIndex;
import org.treehaul.tuplespace.files.FileTuple;
import org.treehaul.tuplespace.files.IndexedRoot;
import org.treehaul.tuplespace.files.Queries;

/** Several roots of one index, beside and inside each other. */
class IndexedRootsTest {

    private static final IndexOptions DEFAULTS = IndexOptions.defaults();

    @AutoClose
    final IndexedTree tree = new IndexedTree();

    @Test
    void aMissingRootKeepsItsKnownEntries() throws IOException {
        tree.make(w -> w.file(path("d/f"), 1, 1));
        tree.update();
        List<FileTuple> before = tree.tuples();
        Files.move(tree.root(), tree.root().resolveSibling("away"));
        IndexResult result = tree.update();
        assertThat(tree.failures()).containsExactly("ERROR .");
        assertThat(result.entries()).isZero();
        assertThat(tree.tuples()).isEqualTo(before);
        Files.move(tree.root().resolveSibling("away"), tree.root());
    }

    @Test
    void rootsAreIndexedOneAfterTheOtherAndReadAgainTogether() throws IOException {
        tree.make(w -> w.file(path("a/f"), 1, 1).file(path("b/f"), 1, 1).file(path("c/f"), 1, 1));
        ByteString a = ByteString.of(tree.resolve("a").toString());
        ByteString b = ByteString.of(tree.resolve("b").toString());
        tree.update(DEFAULTS, new Cancellation(), List.of(a));
        tree.update(DEFAULTS, new Cancellation(), List.of(b));
        assertThat(tree.paths()).containsExactly("a", "a/f", "b", "b/f");
        Files.createFile(tree.resolve("a/g"));
        Files.delete(tree.resolve("b/f"));
        IndexResult both = tree.update(DEFAULTS, new Cancellation(), List.of());
        assertThat(both.roots()).containsExactly(a, b);
        assertThat(tree.paths()).containsExactly("a", "a/f", "a/g", "b");
        tree.update();
        tree.assertIsFresh(DEFAULTS);
        Files.createFile(tree.resolve("c/g"));
        tree.update(DEFAULTS, new Cancellation(), List.of(a));
        assertThat(tree.paths()).doesNotContain("c/g").contains("c/f");
    }

    @Test
    void entriesOfTwoRootsAreInTheIndexOnce() throws IOException {
        tree.make(w -> w.file(path("a/b/f"), 1, 1).file(path("a/b/c/g"), 1, 1).file(path("h"), 1, 1));
        ByteString inner = ByteString.of(tree.resolve("a/b").toString());
        tree.update(DEFAULTS, new Cancellation(), List.of(inner));
        tree.update();
        Files.writeString(tree.resolve("a/b/f"), "more");
        Files.createFile(tree.resolve("a/b/new"));
        Files.createDirectory(tree.resolve("a/b/c/new"));
        IndexResult both = tree.update(DEFAULTS, new Cancellation(), List.of());
        assertThat(both.roots()).containsExactly(tree.rootPath(), inner);
        assertThat(both.added()).isEqualTo(2);
        assertThat(both.entries()).isEqualTo(9);
        tree.assertIsFresh(DEFAULTS);
        assertThat(tree.index().roots()).extracting(IndexedRoot::entries).containsExactly(9L, 6L);
    }

    @Test
    void theNextRunRemovesDuplicates() throws IOException {
        tree.make(w -> w.file(path("a/f"), 1, 1).file(path("a/g"), 1, 1));
        tree.update();
        try (Stream<FileTuple> all = tree.index().entries(Queries.parse("kind=regular"))) {
            tree.space().writeAll(all.toList(), Lease.FOREVER);
        }
        Files.delete(tree.resolve("a/g"));
        tree.update();
        tree.assertIsFresh(DEFAULTS);
    }

    @Test
    void entriesOfTwoRootsAreCountedOnce() throws IOException {
        tree.make(w -> w.file(path("a/tmp/f"), 1, 1).file(path("a/g"), 1, 1));
        ByteString inner = ByteString.of(tree.resolve("a/tmp").toString());
        ByteString file = ByteString.of(tree.resolve("a/g").toString());
        List<ByteString> roots = List.of(tree.rootPath(), inner, file);
        assertThat(tree.update(DEFAULTS, new Cancellation(), roots).entries()).isEqualTo(5);
        Patterns.Builder patterns = Patterns.builder();
        patterns.exclude(path("tmp/"));
        IndexOptions without = DEFAULTS.withWalk(WalkOptions.defaults().withFilter(patterns.build()));
        assertThat(tree.update(without, new Cancellation(), roots).entries()).isEqualTo(5);
    }

    @Test
    void rootsInEachOtherAreRefused() {
        tree.make(w -> w.directory(path("a/b")));
        assertThatThrownBy(() -> Indexer.of(Linux.calls(), DEFAULTS)
                .run(tree.root().resolveSibling("space"),
                        List.of(tree.rootPath(), ByteString.of(tree.root() + "/./a//b/")), failure -> {
                        }, new Progress(), new Cancellation()))
                .isInstanceOf(IndexException.class)
                .hasMessage(tree.root() + "/a/b is inside " + tree.root()
                        + ", which is indexed as well; index one of them, or one after the other");
    }

    @Test
    @Tag("rig")
    void aTreeIsNotForgottenWhereTotalsCannotBeSorted() throws IOException {
        // So deep that the paths of its directories are sorted in files with any heap.
        String deep = "a" + ("/" + "n".repeat(200)).repeat(450);
        tree.make(w -> w.directory(path(deep)));
        Path space = tree.root().resolveSibling("space");
        ByteString inner = ByteString.of(tree.resolve("a").toString());
        Indexer indexer = Indexer.of(Linux.calls(), DEFAULTS);
        for (ByteString root : List.of(tree.rootPath(), inner)) {
            indexer.run(space, List.of(root), failure -> {
            }, new Progress(), new Cancellation());
        }
        Files.createFile(space.resolve("index.listings"));
        assertThatThrownBy(() -> indexer.forget(space, List.of(inner))).isInstanceOf(IndexException.class)
                .hasMessageStartingWith("cannot sort names of directories in " + space.resolve("index.listings") + ": ")
                .hasMessageEndingWith(": File exists (EEXIST); the index is unchanged");
        try (FileIndex index = FileIndex.open(space)) {
            assertThat(index.roots()).hasSize(2);
        }
    }

    private List<ForgottenTree> forget(String... names) throws IndexException {
        try (ListedParts parts = tree.parts()) {
            return TreeRemoval.remove(tree.space(),
                    Stream.of(names).map(name -> ByteString.of(tree.resolve(name).toString())).toList(), parts);
        }
    }

    @Test
    void aForgottenTreeLeavesTheOthers() throws IOException {
        tree.make(w -> w.file(path("a/d/f"), 5, 1).file(path("a-b/f"), 7, 1).file(path("b/f"), 1, 1));
        for (String name : List.of("a", "a-b", "b")) {
            tree.update(DEFAULTS, new Cancellation(), List.of(ByteString.of(tree.resolve(name).toString())));
        }
        FileGroup whole = tree.index().tree(ByteString.of(tree.resolve("a-b").toString()));
        assertThat(whole.count()).isEqualTo(2);
        assertThat(whole.size()).isEqualTo(7 + Files.size(tree.resolve("a-b")));
        assertThat(forget("a", "b")).extracting(ForgottenTree::entries).containsExactly(4L - 1, 2L);
        assertThat(tree.paths()).containsExactly("a-b", "a-b/f");
        assertThat(tree.index().roots()).extracting(root -> root.root().toString())
                .containsExactly(tree.resolve("a-b").toString());
    }

    @Test
    void aForgottenTreeKeepsTheEntriesOfTreesInsideAndAroundIt() throws IOException {
        tree.make(w -> w.file(path("a/b/c/f"), 1, 1).file(path("a/b/g"), 1, 1).file(path("a/b-c/h"), 1, 1));
        for (String name : List.of("a/b/c", "a/b", "a")) {
            tree.update(DEFAULTS, new Cancellation(), List.of(ByteString.of(tree.resolve(name).toString())));
        }
        List<FileTuple> all = tree.tuples();
        assertThat(forget("a/b")).extracting(ForgottenTree::entries).containsExactly(0L);
        assertThat(tree.tuples()).isEqualTo(all);
        assertThat(forget("a")).extracting(ForgottenTree::entries).containsExactly(5L);
        assertThat(tree.paths()).containsExactly("a/b/c", "a/b/c/f");
        assertThat(forget("a/b/c")).extracting(ForgottenTree::entries).containsExactly(2L);
        assertThat(tree.tuples()).isEmpty();
    }

    @Test
    void anUnknownTreeIsAnErrorThatListsTheKnownOnes() throws IOException {
        assertThatThrownBy(() -> forget("a")).isInstanceOf(IndexException.class)
                .hasMessage(tree.root() + "/a is not an indexed tree; the index has none");
        tree.make(w -> w.file(path("f"), 1, 1));
        tree.update();
        assertThatThrownBy(() -> forget("a"))
                .hasMessage(tree.root() + "/a is not an indexed tree; those of this index are " + tree.root());
        assertThat(tree.tuples()).hasSize(2);
    }
}
