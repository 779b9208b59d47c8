// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.treehaul.tuplespace.files.index.IndexedTree.path;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.RandomTree;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.files.FileIndex;
import org.treehaul.tuplespace.files.Queries;
import org.treehaul.tuplespace.store.SpaceUri;

/** Repeats the tests of index runs with hardly any memory. */
@Tag("rig")
class IndexerInPartsTest extends IndexerTest {

    @BeforeEach
    void holdAlmostNothing() {
        tree.limit(IndexedTree.TINY);
    }

    @Test
    @Tag("happy-path")
    void aNewSpaceHasTheSameTuplesAsOneReadInLargerParts() throws IOException {
        RandomTree.make(Linux.calls(), tree.root(), 17, 300);
        tree.make(w -> w.file(path("unread/f"), 1, 1).file(path("gone/g"), 1, 1).file(path("cut/h"), 1, 1));
        Path home = tree.root().resolveSibling("space");
        Fault[] faults = {Fault.on(Call.OPENAT).named("unread").fails(Errno.EACCES),
                Fault.on(Call.OPENAT).named("gone").fails(Errno.ENOENT),
                Fault.on(Call.GETDENTS64).named("cut").endsListing(0, Errno.EIO)};
        Indexer.of(FaultInjectingCalls.over(Linux.calls(), faults), IndexOptions.defaults(), IndexedTree.TINY)
                .run(home, List.of(tree.rootPath()), failure -> {
                }, new Progress(), new Cancellation());
        tree.limit(IndexLimits.DEFAULTS);
        tree.update(faults);
        assertThat(tree.paths("unread=yes")).containsExactly("cut", "unread");
        try (TupleSpace made = FileIndex.openSpace(SpaceUri.of(home))) {
            assertThat(IndexedTree.tuples(made)).isEqualTo(tree.tuples());
        }
        assertThat(home.resolve("index.listings")).doesNotExist();
    }

    @Test
    @Tag("happy-path")
    void filesOfAKilledRunAreRemoved() throws IOException {
        Path home = tree.root().resolveSibling("space");
        Path left = Files.createDirectories(home.resolve("index.listings"));
        Files.createFile(left.resolve("listing-0.0"));
        Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwx------"));
        Indexer.of(Linux.calls(), IndexOptions.defaults()).run(home, List.of(tree.rootPath()), failure -> {
        }, new Progress(), new Cancellation());
        assertThat(left).doesNotExist();
    }

    @Test
    @Tag("happy-path")
    void eventsAreThoseOfChangedEntries() throws Exception {
        tree.make(w -> {
            for (int i = 0; i < 100; i++) {
                w.file(path("d/f" + i), 1, 1);
            }
        });
        tree.update();
        BlockingQueue<String> heard = new LinkedBlockingQueue<>();
        try (FileIndex.Watch watch = tree.index()
                .watch(Queries.parse("kind=regular"), event -> heard.add(event.kind() + " " + event.tuple().name()))) {
            Set<String> expected = new HashSet<>();
            for (int i = 0; i < 100; i += 2) {
                Files.delete(tree.resolve("d/f" + i));
                Files.createFile(tree.resolve("d/n" + i));
                expected.addAll(List.of("TAKEN f" + i, "WRITTEN n" + i));
            }
            tree.update(IndexOptions.defaults().withLossAccepted(true));
            Set<String> events = new HashSet<>();
            for (int i = 0; i < expected.size(); i++) {
                events.add(String.valueOf(heard.poll(60, TimeUnit.SECONDS)));
            }
            assertThat(events).isEqualTo(expected);
            assertThat(heard).isEmpty();
            assertThat(watch.lost()).isZero();
        }
    }
}
