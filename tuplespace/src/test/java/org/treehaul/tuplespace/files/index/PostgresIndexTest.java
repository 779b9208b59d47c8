// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.treehaul.tuplespace.PostgresServer;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.files.FileIndex;
import org.treehaul.tuplespace.files.FileTuple;
import org.treehaul.tuplespace.store.BulkLoad;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.tuple.Template;

/** An index in PostgreSQL. */
class PostgresIndexTest {

    @Test
    void anIndexInPostgresIsThatInMemoryAfterRandomChanges() throws IOException {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        SpaceUri uri = PostgresServer.shared().fresh();
        try (IndexedTree tree = new IndexedTree(TupleSpaces.open(uri, FileIndex.SPACE))) {
            for (int i = 0; i < 6; i++) {
                RandomChanges.make(tree.root(), random, 30);
                tree.update();
                tree.assertIsFresh(IndexOptions.defaults());
            }
        }
    }

    @Test
    void aLoadIsVisibleWhenItIsFinishedAndNothingOfItBefore() throws IOException {
        SpaceUri uri = PostgresServer.shared().fresh();
        try (IndexedTree tree = new IndexedTree()) {
            RandomChanges.make(tree.root(), new Random(7), 60);
            tree.update();
            List<FileTuple> files;
            try (Stream<FileTuple> all = tree.space().contents(Template.of(FileTuple.class))) {
                files = all.toList();
            }
            try (BulkLoad discarded = TupleSpaces.bulkLoad(uri, FileIndex.SPACE)) {
                discarded.addAll(files);
            }
            assertThat(TupleSpaces.exists(uri)).isFalse();
            try (BulkLoad load = TupleSpaces.bulkLoad(uri, FileIndex.SPACE)) {
                load.addAll(files);
                assertThat(TupleSpaces.exists(uri)).isFalse();
                assertThat(load.finish()).isEqualTo(files.size());
            }
            try (TupleSpace space = TupleSpaces.open(uri, FileIndex.SPACE)) {
                assertThat(IndexedTree.tuples(space)).isEqualTo(tree.tuples());
                space.write(files.getFirst());
                assertThat(space.count(Template.of(FileTuple.class))).isEqualTo(files.size() + 1);
            }
        }
    }
}
