// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.treehaul.core.condition.FileField;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.tuplespace.PostgresServer;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.files.FileIndex;
import org.treehaul.tuplespace.files.FileTuple;
import org.treehaul.tuplespace.files.IndexedRoot;
import org.treehaul.tuplespace.store.BulkLoad;
import org.treehaul.tuplespace.store.Member;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceMembers;
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

    @Test
    void treesAreIndexedQueriedAndForgottenAtAnAddress() throws IOException {
        SpaceUri server = PostgresServer.shared().fresh();
        try (IndexedTree tree = new IndexedTree(); TestDirectory home = TestDirectory.make()) {
            SpaceUri file = SpaceUri.of(home.resolve("space"));
            Random random = new Random(5);
            for (int i = 0; i < 3; i++) {
                RandomChanges.make(tree.root(), random, 40);
                IndexResult result = tree.index(server);
                assertThat(result).isEqualTo(tree.index(file));
                assertThat(IndexedTree.tuples(server)).isEqualTo(IndexedTree.tuples(file))
                        .hasSize((int) result.entries());
            }
            try (FileIndex index = FileIndex.open(server)) {
                assertThat(index.roots()).extracting(IndexedRoot::root).containsExactly(tree.rootPath());
                assertThat(index.sum(FileQuery.all(), FileField.SIZE))
                        .isEqualTo(IndexedTree.tuples(file).stream().mapToLong(FileTuple::size).sum());
            }
            assertThat(Indexer.of(Linux.calls(), IndexOptions.defaults()).forget(server, List.of(tree.rootPath())))
                    .hasSize(1);
            assertThat(IndexedTree.tuples(server)).isEmpty();
        }
    }

    private static String refusal(SpaceUri server, IndexedTree tree) {
        try {
            return tree.index(server).toString();
        } catch (IOException | SpaceException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @Test
    void onlyOneProcessIndexesIntoASpaceAtATime() throws IOException {
        SpaceUri server = PostgresServer.shared().fresh();
        try (IndexedTree tree = new IndexedTree()) {
            tree.index(server);
            try (TupleSpace other = FileIndex.openSpace(server)) {
                String refusal = IndexGuard.holding(other, server, () -> refusal(server, tree));
                assertThat(refusal).contains("is being indexed by another process");
            }
            assertThat(tree.index(server).isComplete()).isTrue();
            SpaceUri absent = PostgresServer.shared().fresh();
            assertThatExceptionOfType(IndexException.class).isThrownBy(
                    () -> Indexer.of(Linux.calls(), IndexOptions.defaults()).run(absent, List.of(), failure -> {
                    }, new Progress(), new Cancellation())).withMessageContaining("there is no index in postgresql://");
            assertThat(TupleSpaces.exists(absent)).isFalse();
        }
    }

    @Test
    void membersWhoMayOnlyReadQueryAndWatchASharedIndex() throws Exception {
        PostgresServer running = PostgresServer.shared();
        SpaceUri server = running.fresh();
        running.role("alice", "LOGIN");
        running.role("bob", "LOGIN");
        SpaceMembers members = TupleSpaces.members(server);
        members.create(SpaceMembers.Visibility.ALL);
        members.grant(new Member("alice", Member.Right.WRITE, false, OptionalLong.empty()));
        members.grant(new Member("bob", Member.Right.READ, false, OptionalLong.empty()));
        SpaceUri alice = SpaceUri.parse(server.toString().replace("owner@", "alice@"));
        SpaceUri bob = SpaceUri.parse(server.toString().replace("owner@", "bob@"));
        BlockingQueue<String> heard = new LinkedBlockingQueue<>();
        try (IndexedTree tree = new IndexedTree(); TestDirectory home = TestDirectory.make()) {
            RandomChanges.make(tree.root(), new Random(5), 40);
            assertThat(tree.index(alice)).isEqualTo(tree.index(SpaceUri.of(home.resolve("space"))));
            assertThat(IndexedTree.tuples(bob)).isEqualTo(IndexedTree.tuples(SpaceUri.of(home.resolve("space"))))
                    .isNotEmpty();
            assertThat(refusal(bob, tree)).contains("role bob may only read this space");
            try (FileIndex index = FileIndex.open(bob, Duration.ofSeconds(60));
                    FileIndex.Watch watch = index.watch(FileQuery.all(),
                            event -> heard.add(event.tuple().name().toString()))) {
                Files.writeString(tree.resolve("new"), "content");
                tree.index(alice);
                List<String> found = new ArrayList<>();
                while (!found.contains("new")) {
                    found.add(String.valueOf(heard.poll(60, TimeUnit.SECONDS)));
                    assertThat(found).doesNotContain("null");
                }
                assertThat(watch.lost()).isZero();
            }
        }
    }

    @Test
    void aWatchReportsWhatARunOfAnotherProcessFinds() throws Exception {
        SpaceUri server = PostgresServer.shared().fresh();
        BlockingQueue<String> heard = new LinkedBlockingQueue<>();
        try (IndexedTree tree = new IndexedTree()) {
            tree.index(server);
            try (FileIndex index = FileIndex.open(server, Duration.ofSeconds(60));
                    FileIndex.Watch watch = index.watch(FileQuery.all(),
                            event -> heard.add(event.kind() + " " + event.tuple().name()))) {
                Files.writeString(tree.resolve("new"), "content");
                tree.index(server);
                List<String> found = new ArrayList<>();
                while (!found.contains("WRITTEN new")) {
                    found.add(String.valueOf(heard.poll(60, TimeUnit.SECONDS)));
                    assertThat(found).doesNotContain("null");
                }
                assertThat(watch.lost()).isZero();
            }
        }
    }
}
