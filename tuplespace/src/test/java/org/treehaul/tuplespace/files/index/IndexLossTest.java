// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.tuplespace.files.index.IndexedTree.path;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.tuplespace.files.FileTuple;

/** A run that finds much less of a tree than the index contains: a part of the file system may be down. */
class IndexLossTest {
    private static final int FILES = 500;

    final IndexedTree tree = new IndexedTree();

    @AfterEach
    void close() {
        tree.close();
    }

    /** Creates two directories of {@link #FILES} files: 1,003 entries with the directories and the root. */
    private void make() {
        tree.make(writer -> {
            for (int i = 0; i < FILES; i++) {
                writer.file(path("a/" + i), 1, i).file(path("b/" + i), 1, i);
            }
        });
        assertThat(tree.update().losses()).isEmpty();
    }

    private void delete(String directory, int count) throws IOException {
        try (Stream<Path> files = Files.list(tree.resolve(directory))) {
            for (Path file : files.limit(count).toList()) {
                Files.delete(file);
            }
        }
    }

    private IndexResult accepting() {
        return tree.update(IndexOptions.defaults().withLossAccepted(true));
    }

    @Test
    void aLossOfMoreThanATenthIsKeptAndReportedUntilItIsAccepted() throws Exception {
        make();
        List<FileTuple> before = tree.tuples();
        delete("a", 101);
        tree.make(writer -> writer.file(path("b/new"), 1, 1));
        for (int run = 0; run < 2; run++) {
            IndexResult refused = tree.update();
            assertThat(refused.losses()).containsExactly(new TreeLoss(tree.rootPath(), 2 * FILES + 3, 101));
            assertThat(refused.removed()).isZero();
            assertThat(tree.tuples()).isEqualTo(before);
        }
        IndexResult accepted = accepting();
        assertThat(accepted.removed()).isEqualTo(101);
        assertThat(accepted.added()).isEqualTo(1);
        assertThat(accepted.losses()).hasSize(1);
        tree.assertIsFresh(IndexOptions.defaults());
        assertThat(tree.update().losses()).isEmpty();
    }

    @Test
    void returnedEntriesAreNoLoss() throws Exception {
        make();
        Files.move(tree.resolve("b"), tree.root().resolveSibling("down"));
        assertThat(tree.update().losses()).hasSize(1);
        Files.move(tree.root().resolveSibling("down"), tree.resolve("b"));
        IndexResult again = tree.update();
        assertThat(again.losses()).isEmpty();
        assertThat(again.removed()).isZero();
        tree.assertIsFresh(IndexOptions.defaults());
    }

    @Test
    void aTenthOfALargeTreeAndAllOfASmallOneMayGo() throws Exception {
        make();
        delete("a", 100);
        IndexResult tenth = tree.update();
        assertThat(tenth.losses()).isEmpty();
        assertThat(tenth.removed()).isEqualTo(100);
        // The index now has fewer than 1,000 entries.
        delete("b", FILES);
        assertThat(tree.update().removed()).isEqualTo(FILES);
        tree.assertIsFresh(IndexOptions.defaults());
    }

    @Test
    void eachOfSeveralTreesIsJudgedByItself() throws Exception {
        make();
        ByteString a = ByteString.of(tree.resolve("a").toString());
        ByteString b = ByteString.of(tree.resolve("b").toString());
        delete("a", 150);
        IndexResult small = tree.update(IndexOptions.defaults(), new Cancellation(), List.of(a, b));
        assertThat(small.losses()).isEmpty();
        assertThat(small.removed()).isEqualTo(150);
    }

    @Test
    void aDirectoryThatBecameAFileCountsWithAllThatWasInIt() throws Exception {
        make();
        delete("a", FILES);
        Files.delete(tree.resolve("a"));
        tree.make(writer -> writer.file(path("a"), 1, 1));
        assertThat(tree.update().losses()).containsExactly(new TreeLoss(tree.rootPath(), 2 * FILES + 3, FILES));
        assertThat(accepting().removed()).isEqualTo(FILES);
        tree.assertIsFresh(IndexOptions.defaults());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRootThatBecameAFileLosesAllThatWasInIt(boolean isInParts) throws Exception {
        make();
        if (isInParts) {
            tree.limit(IndexedTree.TINY);
        }
        List<FileTuple> before = tree.tuples();
        Files.move(tree.root(), tree.root().resolveSibling("down"));
        Files.createFile(tree.root());
        assertThat(tree.update().losses()).containsExactly(new TreeLoss(tree.rootPath(), 2 * FILES + 3, 2 * FILES + 2));
        assertThat(tree.tuples()).isEqualTo(before);
        assertThat(accepting().removed()).isEqualTo(2 * FILES + 2);
        tree.assertIsFresh(IndexOptions.defaults());
    }
}
