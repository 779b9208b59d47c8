// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.condition.FileField;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.files.FileIndex;
import org.treehaul.tuplespace.files.FileTuple;
import org.treehaul.tuplespace.partition.Partitions;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceUri;

/** An index over several directories. */
class PartitionIndexTest {

    private final TestDirectory home = TestDirectory.make();

    @AfterEach
    void delete() {
        home.close();
    }

    /** Returns the address of a new space. */
    private SpaceUri create(int first, int stores) {
        return Partitions.create(home.resolve("list"),
                IntStream.range(0, stores).mapToObj(number -> SpaceUri.of(home.resolve("p" + number))).toList(), first,
                0);
    }

    private static long active(SpaceUri space) {
        return Partitions.status(space)
                .stream()
                .filter(one -> one.isActive() && one.tuples().orElseThrow() > 0)
                .count();
    }

    @Test
    void anIndexOverPartitionsIsThatInMemoryAfterRandomChangesAndSplits() throws IOException {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        SpaceUri space = create(2, 8);
        try (IndexedTree tree = new IndexedTree(TupleSpaces.open(space, FileIndex.SPACE))) {
            for (int i = 0; i < 4; i++) {
                RandomChanges.make(tree.root(), random, 30);
                tree.update();
                tree.assertIsFresh(IndexOptions.defaults());
                Partitions.split(space, i);
            }
            assertThat(active(space)).isGreaterThan(2);
        }
        assertThat(TupleSpaces.check(space).problems()).isEmpty();
    }

    @Test
    void treesAreIndexedQueriedAndForgottenAsInOneDirectory() throws IOException {
        SpaceUri partitions = create(4, 4);
        SpaceUri file = SpaceUri.of(home.resolve("space"));
        try (IndexedTree tree = new IndexedTree()) {
            Random random = new Random(5);
            for (int i = 0; i < 3; i++) {
                RandomChanges.make(tree.root(), random, 40);
                IndexResult result = tree.index(partitions);
                assertThat(result).isEqualTo(tree.index(file));
                assertThat(IndexedTree.tuples(partitions)).isEqualTo(IndexedTree.tuples(file))
                        .hasSize((int) result.entries());
            }
            assertThat(active(partitions)).isEqualTo(4);
            try (FileIndex index = FileIndex.open(partitions)) {
                assertThat(index.sum(FileQuery.all(), FileField.SIZE))
                        .isEqualTo(IndexedTree.tuples(file).stream().mapToLong(FileTuple::size).sum());
            }
            assertThat(Indexer.of(Linux.calls(), IndexOptions.defaults()).forget(partitions, List.of(tree.rootPath())))
                    .hasSize(1);
            assertThat(IndexedTree.tuples(partitions)).isEmpty();
        }
    }

    @Test
    void theFirstRunFillsStoresThatAListNamesInBulk() throws IOException {
        Files.write(home.resolve("list"), List.of("first=3", "p0", "p1", "p2", "p3"));
        SpaceUri space = new SpaceUri(SpaceUri.PARTITIONS, home.resolve("list").toString());
        try (IndexedTree tree = new IndexedTree()) {
            assertThatExceptionOfType(IndexException.class).isThrownBy(
                    () -> Indexer.of(Linux.calls(), IndexOptions.defaults()).run(space, List.of(), failure -> {
                    }, new Progress(), new Cancellation())).withMessageContaining("there is no index in partitions:");
            RandomChanges.make(tree.root(), new Random(5), 40);
            IndexResult result = tree.index(space);
            assertThat(result.added()).isEqualTo(result.entries());
            assertThat(IndexedTree.tuples(space)).hasSize((int) result.entries());
            assertThat(tree.index(space).added()).isZero();
            assertThat(TupleSpaces.check(space).problems()).isEmpty();
        }
    }

    @Test
    void aTreeThatContainsTheStoresIsHashedWithoutThem() throws IOException {
        SpaceUri space = create(2, 3);
        Files.writeString(home.resolve("file"), "content");
        IndexOptions hashing = IndexOptions.defaults().withHash(IndexOptions.Hash.XXH3);
        for (int i = 0; i < 2; i++) {
            Indexer.of(Linux.calls(), hashing)
                    .run(space, List.of(IndexedTree.path(home.path().toString())), failure -> {
                    }, new Progress(), new Cancellation());
        }
        assertThat(IndexedTree.tuples(space)
                .stream()
                .filter(entry -> entry.hash() != null)
                .map(entry -> entry.name().toString())).containsExactlyInAnyOrder("file", "list");
    }

    @Test
    void onlyOneProcessIndexesAtATimeAndAnotherAfterItsLease() throws IOException {
        SpaceUri space = create(2, 2);
        try (IndexedTree tree = new IndexedTree()) {
            tree.index(space);
            try (TupleSpace other = FileIndex.openSpace(space)) {
                String refusal = IndexGuard.leased(other, space, () -> {
                    try {
                        return tree.index(space).toString();
                    } catch (IOException | SpaceException e) {
                        return String.valueOf(e.getMessage());
                    }
                });
                assertThat(refusal).contains("is being indexed by another process", "three minutes if it was killed");
            }
            assertThat(tree.index(space).isComplete()).isTrue();
        }
    }

    @Test
    void aWatchReportsWhatARunFinds() throws Exception {
        SpaceUri space = create(4, 4);
        BlockingQueue<String> heard = new LinkedBlockingQueue<>();
        try (IndexedTree tree = new IndexedTree()) {
            tree.index(space);
            try (FileIndex index = FileIndex.open(space, Duration.ofSeconds(60));
                    FileIndex.Watch watch = index.watch(FileQuery.all(),
                            event -> heard.add(event.kind() + " " + event.tuple().name()))) {
                Files.createDirectories(tree.resolve("a/b"));
                Files.writeString(tree.resolve("a/b/new"), "content");
                tree.index(space);
                List<String> found = new ArrayList<>();
                while (!found.containsAll(List.of("WRITTEN new", "WRITTEN b", "WRITTEN a"))) {
                    found.add(String.valueOf(heard.poll(60, TimeUnit.SECONDS)));
                    assertThat(found).doesNotContain("null");
                }
                assertThat(watch.lost()).isZero();
            }
        }
    }
}
