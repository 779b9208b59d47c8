// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.treehaul.tuplespace.files.index.IndexedTree.path;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.walk.options.WalkOptions;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.files.FileIndex;
import org.treehaul.tuplespace.files.FileTuple;
import org.treehaul.tuplespace.files.Queries;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.tuple.Template;

/** Indexes that others read, write or lock during a run. */
class IndexerLocksTest {

    private static final IndexOptions DEFAULTS = IndexOptions.defaults();

    @AutoClose
    private final IndexedTree tree = new IndexedTree();

    @Test
    void noFileOfTheSpaceIsOpenedForAHashSinceThatWouldGiveUpItsLocks() throws IOException {
        tree.make(w -> w.file(path("f"), 1, 1));
        Path home = tree.resolve("in/space");
        IndexOptions options = DEFAULTS.withHash(IndexOptions.Hash.XXH3);
        for (int run = 0; run < 2; run++) {
            List<String> failed = new ArrayList<>();
            // Opening any of these files would fail.
            Indexer.of(FaultInjectingCalls.over(Linux.calls(),
                    Stream.of("index.lock", "space.db", "space.db-wal", "space.db-shm")
                            .map(name -> Fault.on(Call.OPENAT).named(name).fails(Errno.EIO))
                            .toArray(Fault[]::new)),
                    options)
                    .run(home, List.of(tree.rootPath()), failure -> failed.add(failure.kind() + " " + failure.path()),
                            new Progress(), new Cancellation());
            assertThat(failed).noneMatch(failure -> failure.startsWith("ERROR"));
        }
        try (FileIndex index = FileIndex.open(home)) {
            assertThat(index.count(Queries.parse("hash!="))).isEqualTo(1);
            assertThat(index.count(Queries.parse("name=index.lock"))).isEqualTo(1);
        }
    }

    @Test
    void whileATreeThatHoldsItsIndexIsReadTheIndexStaysLockedForOtherProcesses() throws IOException {
        tree.make(w -> w.directory(path("y")).directory(path("in")).directory(path("z")));
        Path home = tree.resolve("in/space");
        // One of the two is read after the space, in either order.
        List<ByteString> roots = Stream.of("y", "in", "z")
                .map(name -> ByteString.of(tree.resolve(name).toString()))
                .toList();
        IndexOptions options = DEFAULTS.withHash(IndexOptions.Hash.XXH3)
                .withWalk(WalkOptions.defaults().withThreads(1));
        for (int run = 0; run < 2; run++) {
            Files.writeString(tree.resolve("y/f"), "run " + run);
            Files.writeString(tree.resolve("z/f"), "run " + run);
            List<String> free = new ArrayList<>();
            Indexer.of(
                    FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.OPENAT)
                            .named("f")
                            .runs(i -> free.add(LockProbe.free(home.resolve("index.lock"), home.resolve("space.db"))))),
                    options).run(home, roots, failure -> {
                    }, new Progress(), new Cancellation());
            assertThat(free).containsExactly("", "");
        }
        assertThat(LockProbe.free(home.resolve("index.lock"), home.resolve("space.db")))
                .isEqualTo("index.lock\nspace.db\n");
    }

    @Test
    void aSecondRunInTheSameProcessIsRefusedAndTheFirstStaysLockedForOthers() throws IOException {
        Path home = tree.root().resolveSibling("space");
        List<String> seen = new ArrayList<>();
        index(FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.GETDENTS64).nth(1).runs(i -> {
            assertThatThrownBy(() -> index(Linux.calls(), home)).isInstanceOf(IndexException.class)
                    .hasMessageContaining("is being indexed by ");
            seen.add(LockProbe.free(home.resolve("index.lock")));
        })), home);
        assertThat(seen).containsExactly("");
        index(Linux.calls(), home);
    }

    @Test
    void aLockNeedsNoRoomOnTheDisk() throws IOException {
        Path home = Files.createDirectory(tree.root().resolveSibling("space"));
        // Each write to it finds the disk full.
        Files.createSymbolicLink(home.resolve("index.lock"), Path.of("/dev/full"));
        assertThat(index(Linux.calls(), home).isComplete()).isTrue();
    }

    @Test
    void anInterruptBeforeTheRunIsReportedAsSuch() throws IOException {
        Path home = tree.root().resolveSibling("space");
        Thread.currentThread().interrupt();
        try {
            assertThatThrownBy(() -> index(Linux.calls(), home)).isInstanceOf(IndexException.class)
                    .hasMessage("interrupted before the index was locked");
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
        index(Linux.calls(), home);
    }

    private IndexResult index(FileSystemCalls calls, Path home) throws IOException {
        return Indexer.of(calls, DEFAULTS).run(home, List.of(tree.rootPath()), failure -> {
        }, new Progress(), new Cancellation());
    }

    @Test
    void whereReadersAreKeptOutFilesAreHashedAgain() throws IOException {
        Files.writeString(tree.resolve("f"), "abc");
        IndexOptions options = DEFAULTS.withHash(IndexOptions.Hash.XXH3);
        tree.update(options);
        // As if SQLite had no write-ahead log and wrote a large transaction before its end.
        TupleSpace busy = (TupleSpace) Proxy.newProxyInstance(TupleSpace.class.getClassLoader(),
                new Class<?>[]{TupleSpace.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("contents") && arguments[0] instanceof Template<?> template
                            && template.type() == FileTuple.class) {
                        throw new SpaceException(SpaceException.Reason.BUSY, "as if");
                    }
                    return method.invoke(tree.space(), arguments);
                });
        IndexResult result;
        try (ListedParts parts = tree.parts()) {
            result = Indexer.of(Linux.calls(), options).run(busy, parts, List.of(tree.rootPath()), failure -> {
            }, new Progress(), new Cancellation());
        }
        assertThat(List.of(result.entries(), result.changed())).containsExactly(2L, 0L);
        assertThat(tree.paths("hash!=")).containsExactly("f");
    }
}
