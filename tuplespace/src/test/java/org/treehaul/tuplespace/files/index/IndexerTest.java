// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.treehaul.tuplespace.files.index.IndexedTree.path;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.condition.FileField;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.HostileTree;
import org.treehaul.core.testing.RandomTree;
import org.treehaul.core.walk.Step;
import org.treehaul.core.walk.TreeVisitor;
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.core.walk.options.Patterns;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;
import org.treehaul.tuplespace.TupleEvent;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.files.AbsolutePath;
import org.treehaul.tuplespace.files.EntrySum;
import org.treehaul.tuplespace.files.FileGroups;
import org.treehaul.tuplespace.files.FileIndex;
import org.treehaul.tuplespace.files.FileTuple;
import org.treehaul.tuplespace.files.IndexedRoot;
import org.treehaul.tuplespace.files.ListingSums;
import org.treehaul.tuplespace.files.Queries;
import org.treehaul.tuplespace.store.BulkLoad;
import org.treehaul.tuplespace.tuple.Template;

class IndexerTest {

    private static final IndexOptions DEFAULTS = IndexOptions.defaults();

    @AutoClose
    final IndexedTree tree = new IndexedTree();

    @Test
    void everythingThatAWalkFindsIsInTheIndex() {
        RandomTree.make(Linux.calls(), tree.root(), 7, 400);
        List<String> walked = new WalkedPaths().walk(tree);
        IndexResult result = tree.update();
        assertThat(tree.paths()).containsExactlyInAnyOrderElementsOf(walked);
        assertThat(result.entries()).isEqualTo(walked.size());
        assertThat(result.added()).isEqualTo(walked.size());
        assertThat(result.isComplete()).isTrue();
        assertThat(tree.index().roots()).singleElement().satisfies(root -> {
            assertThat(root.root()).isEqualTo(tree.rootPath());
            assertThat(root.generation()).isEqualTo(1);
            assertThat(root.entries()).isEqualTo(walked.size());
        });
    }

    @Test
    void filesThatAreHandledTogetherHaveTheTuplesOfThoseHandledOneByOne() throws IOException {
        RandomTree.make(Linux.calls(), tree.root(), 11, 400);
        Files.createLink(tree.resolve("second"), Files.writeString(tree.resolve("first"), "data"));
        IndexResult together = tree.update();
        List<FileTuple> tuples = tree.tuples();
        tree.space().remove(Template.of(FileTuple.class));
        tree.space().remove(Template.of(IndexedRoot.class));
        // With conditions, each entry is examined by itself.
        IndexResult alone = tree.update(DEFAULTS.withWhere(List.of(path("size>=0"))));
        assertThat(tree.tuples()).isEqualTo(tuples);
        assertThat(alone.entries()).isEqualTo(together.entries());
        assertThat(tuples.stream().filter(tuple -> tuple.kind() == EntryKind.REGULAR)).hasSizeGreaterThan(100);
    }

    @Test
    void aMountPointThatIsNotEnteredIsUnreadAndNotEmpty() throws IOException {
        Path mounted = Path.of("/dev/shm");
        Assumptions.assumeFalse(
                Files.getAttribute(mounted, "unix:dev").equals(Files.getAttribute(mounted.getParent(), "unix:dev")),
                mounted + " is no mount point here");
        List<ByteString> roots = List.of(path("/dev"));
        tree.update(DEFAULTS.withWalk(WalkOptions.defaults().withOneFileSystem(true)), new Cancellation(), roots);
        FileTuple found = tree.index().find(path("/dev/shm")).orElseThrow();
        assertThat(found.unread()).isTrue();
        assertThat(tree.index().isEmpty(found)).isFalse();
        try (Stream<FileTuple> empty = tree.index().entries(Queries.parse("empty=yes", "path=/dev/shm"))) {
            assertThat(empty).isEmpty();
        }
        assertThat(tree.index().find(path("/dev")).orElseThrow().unread()).isFalse();
    }

    private static final class WalkedPaths {
        private final BlockingQueue<String> paths = new LinkedBlockingQueue<>();

        List<String> walk(IndexedTree tree) {
            TreeWalker.of(Linux.calls(), WalkOptions.defaults())
                    .walk(List.of(Root.of(tree.rootPath())), () -> (TreeVisitor) entry -> {
                        paths.add(entry.path().toString());
                        return Step.CONTINUE;
                    }, new Cancellation());
            return List.copyOf(paths);
        }
    }

    @Test
    void aTupleHoldsTheStatusOfTheFile() throws IOException {
        tree.make(w -> w.file(path("d/f"), 5000, 1).symlink(path("d/l"), path("../caf\u00e9")));
        Files.setPosixFilePermissions(tree.resolve("d/f"),
                java.nio.file.attribute.PosixFilePermissions.fromString("rw-r-----"));
        tree.update();
        FileTuple file = tree.tuples()
                .stream()
                .filter(tuple -> tuple.name().equals(path("f")))
                .findFirst()
                .orElseThrow();
        assertThat(file.kind()).isEqualTo(EntryKind.REGULAR);
        assertThat(file.size()).isEqualTo(5000);
        assertThat(file.mode()).isEqualTo(0640);
        assertThat(file.owner()).isEqualTo(((Integer) Files.getAttribute(tree.resolve("d/f"), "unix:uid")).longValue());
        assertThat(file.inode()).isEqualTo(Files.getAttribute(tree.resolve("d/f"), "unix:ino"));
        assertThat(file.mtime()).isEqualTo(Files.getLastModifiedTime(tree.resolve("d/f")).to(TimeUnit.NANOSECONDS));
        assertThat(tree.paths("target=*caf\\xe9")).containsExactly("d/l");
    }

    @Test
    void aRunWithoutChangesChangesNothing() {
        RandomTree.make(Linux.calls(), tree.root(), 8, 300);
        tree.update();
        List<FileTuple> before = tree.tuples();
        IndexResult again = tree.update();
        assertThat(again.generation()).isEqualTo(2);
        assertThat(List.of(again.added(), again.changed(), again.removed())).containsExactly(0L, 0L, 0L);
        assertThat(tree.tuples()).isEqualTo(before);
        assertThat(tree.paths("generation=2")).isEmpty();
    }

    @Test
    void hostileNamesAndDepthsAreIndexed() {
        HostileTree.make(Linux.calls(), tree.root());
        tree.update();
        tree.assertIsFresh(DEFAULTS);
        assertThat(tree.update().changed()).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void afterRandomChangesTheIndexIsThatOfANewRun(long seed) throws IOException {
        RandomTree.make(Linux.calls(), tree.root(), seed, 200);
        IndexOptions options = seed % 2 == 0 ? DEFAULTS : DEFAULTS.withHash(IndexOptions.Hash.XXH3);
        tree.update(options);
        Random random = new Random(seed);
        for (int round = 0; round < 4; round++) {
            RandomChanges.make(tree.root(), random, 30);
            tree.update(options);
            tree.assertIsFresh(options);
        }
    }

    @Test
    void aDirectoryOfThousandsIsHandedOnInParts() throws IOException {
        Path many = Files.createDirectory(tree.resolve("many"));
        for (int i = 0; i < 9000; i++) {
            Files.createFile(many.resolve("f" + i));
        }
        tree.update();
        assertThat(tree.index().count(Queries.parse("kind=regular"))).isEqualTo(9000);
        Files.delete(many.resolve("f17"));
        Files.delete(many.resolve("f8888"));
        Files.createFile(many.resolve("new"));
        IndexResult result = tree.update();
        assertThat(List.of(result.added(), result.changed(), result.removed())).containsExactly(1L, 1L, 2L);
        tree.assertIsFresh(DEFAULTS);
    }

    @Test
    void aDirectoryThatCannotBeReadKeepsItsKnownEntries() throws IOException {
        tree.make(w -> w.file(path("d/e/f"), 1, 1).file(path("d/g"), 1, 1).file(path("x"), 1, 1));
        tree.update();
        Files.delete(tree.resolve("x"));
        IndexResult result = tree.update(Fault.on(Call.OPENAT).named("d").fails(Errno.EACCES));
        assertThat(tree.failures()).containsExactly("ERROR d");
        assertThat(tree.paths()).containsExactly(".", "d", "d/e", "d/e/f", "d/g");
        assertThat(tree.paths("unread=yes")).containsExactly("d");
        assertThat(result.removed()).isEqualTo(1);
        assertThat(tree.index().roots().getFirst().failures()).isEqualTo(1);
        tree.update();
        assertThat(tree.paths("unread=yes")).isEmpty();
        tree.assertIsFresh(DEFAULTS);
    }

    @Test
    void aListingThatBreaksOffRemovesNothing() throws IOException {
        tree.make(w -> {
            for (int i = 0; i < 30; i++) {
                w.file(path("d/f" + i), 1, 1);
            }
        });
        tree.update();
        Files.delete(tree.resolve("d/f7"));
        tree.update(Fault.on(Call.GETDENTS64).named("d").endsListing(10, Errno.EIO));
        assertThat(tree.index().count(Queries.parse("kind=regular"))).isEqualTo(30);
        assertThat(tree.paths("unread=yes")).containsExactly("d");
    }

    @Test
    void anEntryThatCannotBeLookedAtStays() {
        tree.make(w -> w.file(path("d/f"), 1, 1).file(path("d/e/g"), 1, 1));
        tree.update();
        tree.update(Fault.on(Call.STATX).named("f").fails(Errno.EIO));
        assertThat(tree.paths()).contains("d/f");
        tree.update(Fault.on(Call.STATX).named("e").fails(Errno.EIO));
        assertThat(tree.paths()).contains("d/e", "d/e/g");
    }

    @Test
    void vanishedEntriesAreNotInTheIndex() {
        tree.make(w -> w.file(path("d/e/f"), 1, 1).file(path("g"), 1, 1));
        tree.update();
        tree.update(Fault.on(Call.OPENAT).named("d").fails(Errno.ENOENT),
                Fault.on(Call.STATX).named("g").fails(Errno.ENOENT));
        assertThat(tree.failures()).containsExactlyInAnyOrder("VANISHED d", "VANISHED g");
        assertThat(tree.paths()).containsExactly(".");
    }

    @Test
    void aDirectoryThatIsRemovedWhileItIsListedLeavesNothingWithoutADirectory() throws IOException {
        tree.make(w -> w.file(path("d/f"), 1, 1).file(path("d/g"), 1, 1).file(path("h"), 1, 1));
        tree.update(Fault.on(Call.GETDENTS64).named("d").endsListing(1, Errno.ENOENT));
        assertThat(tree.failures()).containsExactly("VANISHED d");
        assertThat(tree.paths()).hasSize(4).contains(".", "d", "h");
        assertThat(tree.paths("unread=yes")).containsExactly("d");
        Files.delete(tree.resolve("d/f"));
        Files.delete(tree.resolve("d/g"));
        Files.delete(tree.resolve("d"));
        tree.update();
        assertThat(tree.paths()).containsExactly(".", "h");
    }

    @Test
    void aDirectoryThatIsRenamedMovesWithAllBelowIt() throws IOException {
        tree.make(w -> w.file(path("a/b/c/f"), 1, 1).file(path("ab/f"), 1, 1));
        tree.update();
        Files.move(tree.resolve("a"), tree.resolve("z"));
        tree.update();
        assertThat(tree.paths()).containsExactly(".", "ab", "ab/f", "z", "z/b", "z/b/c", "z/b/c/f");
        tree.assertIsFresh(DEFAULTS);
    }

    @Test
    void aDirectoryThatBecameAnotherKindLosesItsEntries() throws IOException {
        tree.make(w -> w.file(path("a/b/f"), 1, 1).file(path("c"), 1, 1));
        tree.update();
        Files.move(tree.resolve("a"), tree.resolve("old"));
        Files.createSymbolicLink(tree.resolve("a"), Path.of("old"));
        Files.delete(tree.resolve("c"));
        Files.createDirectory(tree.resolve("c"));
        tree.update();
        tree.assertIsFresh(DEFAULTS);
    }

    @Test
    @Tag("campaign")
    void moreEntriesOfOneDirectoryMayGoAtOnceThanAStatementTakes() throws IOException {
        int count = 250_001;
        Path home = tree.root().resolveSibling("space");
        try (BulkLoad load = TupleSpaces.bulkLoad(home, FileIndex.SPACE)) {
            for (int i = 0; i < count; i++) {
                load.add(new FileTuple(path("/d"), path("f" + i), EntryKind.REGULAR, 0, 0, 0, 0, 0, null, 0644, 0, 0, 1,
                        i, 1, null, null, false, 1));
            }
            load.finish();
        }
        try (TupleSpace space = TupleSpaces.open(home, FileIndex.SPACE); ListedParts parts = tree.parts()) {
            NextSink sink = new NextSink(space, List.of(), parts, 1, false, false, EntrySum.random(),
                    ListingSums.none());
            sink.put(List.of(new Listing(new Place(0, TreePath.root()), path("/d"), List.of(), Map.of(),
                    Listing.Extent.WHOLE, 0, null)));
            assertThat(sink.changes().removed()).isEqualTo(count);
            assertThat(space.count(Template.of(FileTuple.class))).isZero();
        }
    }

    @Test
    void aCancelledRunLeavesTheIndexUnchanged() throws IOException {
        RandomTree.make(Linux.calls(), tree.root(), 9, 300);
        tree.update();
        List<FileTuple> before = tree.tuples();
        Files.createFile(tree.resolve("new"));
        Cancellation cancellation = new Cancellation();
        IndexResult result = tree.update(DEFAULTS, cancellation, List.of(tree.rootPath()),
                Fault.on(Call.GETDENTS64).nth(4).runs(i -> cancellation.cancel()));
        assertThat(result.isComplete()).isFalse();
        assertThat(tree.tuples()).isEqualTo(before);
        assertThat(tree.index().roots().getFirst().generation()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {6, 5000})
    @Timeout(300)
    void anErrorInTheThreadOfTheStoreIsThrownAndNoWalkerWaitsForIt(int directories) throws IOException {
        tree.update();
        // Empty directories, too many for the queue between the walk and the store.
        for (int i = 0; i < directories; i++) {
            Files.createDirectory(tree.resolve("d" + i));
        }
        TupleSpace failing = (TupleSpace) Proxy.newProxyInstance(TupleSpace.class.getClassLoader(),
                new Class<?>[]{TupleSpace.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("atomically")) {
                        throw new OutOfMemoryError("as if");
                    }
                    return method.invoke(tree.space(), arguments);
                });
        try (ListedParts parts = tree.parts()) {
            assertThatThrownBy(
                    () -> Indexer.of(Linux.calls(), DEFAULTS).run(failing, parts, List.of(tree.rootPath()), failure -> {
                    }, new Progress(), new Cancellation())).isInstanceOf(OutOfMemoryError.class).hasMessage("as if");
        }
    }

    @Test
    void excludedEntriesAreNotInTheIndex() {
        tree.make(w -> w.file(path("a/tmp/f"), 1, 1).file(path("b/f"), 1, 1));
        tree.update();
        Patterns.Builder patterns = Patterns.builder();
        patterns.exclude(path("tmp/"));
        tree.update(DEFAULTS.withWalk(WalkOptions.defaults().withFilter(patterns.build())));
        assertThat(tree.paths()).containsExactly(".", "a", "b", "b/f");
    }

    @Test
    void hashesAreThoseOfTheDataAndOnlyChangedFilesAreRead() throws IOException {
        Files.writeString(tree.resolve("f"), "abc");
        Files.writeString(tree.resolve("g"), "abc");
        Files.writeString(tree.resolve("empty"), "");
        tree.update();
        assertThat(tree.paths("hash!=")).isEmpty();
        IndexOptions sha = DEFAULTS.withHash(IndexOptions.Hash.SHA256);
        assertThat(tree.update(sha).changed()).isEqualTo(3);
        assertThat(tree.paths("hash=ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"))
                .containsExactly("f", "g");
        try (FileGroups groups = tree.index().groupBy(Queries.parse("kind=regular"), FileField.HASH)) {
            assertThat(groups.stream()).first().satisfies(group -> assertThat(group.count()).isEqualTo(2));
        }
        // A file that is not read again keeps its hash, even if the next run requests none.
        tree.update(sha, Fault.on(Call.READ, Call.PREAD).fails(Errno.EIO));
        assertThat(tree.failures()).isEmpty();
        assertThat(tree.update().changed()).isZero();
        Files.writeString(tree.resolve("f"), "d", StandardOpenOption.APPEND);
        assertThat(tree.update(sha).changed()).isEqualTo(1);
        assertThat(tree.paths("hash=ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"))
                .containsExactly("g");
        // The output of xxh128sum for the same three bytes.
        tree.update(DEFAULTS.withHash(IndexOptions.Hash.XXH3));
        assertThat(tree.paths("hash=06b05ab6733a618578af5f94892f3950")).containsExactly("g");
    }

    @Test
    void aFileThatCannotBeReadIsIndexedWithoutHash() throws IOException {
        Files.writeString(tree.resolve("f"), "abc");
        tree.update(DEFAULTS.withHash(IndexOptions.Hash.XXH3), Fault.on(Call.OPENAT).named("f").fails(Errno.EACCES));
        assertThat(tree.failures()).containsExactly("ERROR f");
        assertThat(tree.paths("hash=", "kind=regular")).containsExactly("f");
    }

    @Test
    void aCancelledRunReadsNoLargeFileToItsEnd() throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(tree.resolve("large").toFile(), "rw")) {
            file.setLength(1L << 26);
        }
        Cancellation cancellation = new Cancellation();
        AtomicInteger reads = new AtomicInteger();
        IndexResult result = tree.update(DEFAULTS.withHash(IndexOptions.Hash.XXH3), cancellation,
                List.of(tree.rootPath()), Fault.on(Call.READ).runs(i -> {
                    reads.incrementAndGet();
                    cancellation.cancel();
                }));
        assertThat(result.isComplete()).isFalse();
        assertThat(reads).hasValue(1);
        assertThat(tree.tuples()).isEmpty();
    }

    @Test
    void watchersAreNotifiedOfChanges() throws Exception {
        tree.make(w -> w.file(path("a.h5"), 1, 1).file(path("b.h5"), 1, 1).file(path("c"), 1, 1));
        tree.update();
        BlockingQueue<String> told = new LinkedBlockingQueue<>();
        try (FileIndex.Watch watch = tree.index()
                .watch(Queries.parse("name=*.h5"),
                        event -> told.add(event.kind() + " " + event.tuple().name() + " " + event.tuple().size()))) {
            Files.delete(tree.resolve("a.h5"));
            Files.writeString(tree.resolve("b.h5"), "more");
            Files.writeString(tree.resolve("c"), "more");
            Files.writeString(tree.resolve("d.h5"), "");
            tree.update();
            Set<String> events = new java.util.HashSet<>();
            for (int i = 0; i < 4; i++) {
                events.add(String.valueOf(told.poll(60, TimeUnit.SECONDS)));
            }
            assertThat(events).containsExactlyInAnyOrder("TAKEN a.h5 1", "TAKEN b.h5 1", "WRITTEN b.h5 4",
                    "WRITTEN d.h5 0");
            assertThat(told).isEmpty();
            assertThat(watch.lost()).isZero();
        }
    }

    @Test
    void changesBelowAPathAreReportedOneAfterAnotherInTheirOrder() throws Exception {
        tree.make(w -> w.directory(path("d")));
        tree.update();
        Queue<String> below = new ConcurrentLinkedQueue<>();
        Queue<String> all = new ConcurrentLinkedQueue<>();
        // A condition on the path becomes a template for the directory itself, and one for those below it.
        try (FileIndex.Watch one = tree.index()
                .watch(Queries.parse("path=" + tree.root() + "/*", "kind=regular"), event -> below.add(said(event)));
                FileIndex.Watch other = tree.index()
                        .watch(Queries.parse("kind=regular"), event -> all.add(said(event)));
                FileIndex.Watch never = tree.index()
                        .watch(Queries.parse("size>5", "size<5"), event -> all.add("never"))) {
            for (int i = 0; i < 50; i++) {
                Files.createFile(tree.resolve("f" + i));
                Files.createFile(tree.resolve("d/g" + i));
            }
            tree.update();
            for (int i = 0; i < 50; i++) {
                Files.writeString(tree.resolve("f" + i), "more");
                Files.writeString(tree.resolve("d/g" + i), "more");
            }
            tree.update();
            Awaitility.await().until(() -> all.size() == 300 && below.size() == 300);
            assertThat(List.copyOf(below)).isEqualTo(List.copyOf(all));
            assertThat(one.lost() + other.lost() + never.lost()).isZero();
        }
    }

    private static String said(TupleEvent<FileTuple> event) {
        return event.kind() + " " + event.tuple().name() + " " + event.tuple().size();
    }

    @Test
    void aGivenPathIsMadeAbsolute() throws IOException {
        ByteString cwd = ByteString.of(Path.of("").toAbsolutePath().toString());
        for (String same : List.of(".", "./", ".//.")) {
            assertThat(AbsolutePath.of(Linux.calls(), ByteString.of(same))).isEqualTo(cwd);
        }
        assertThatThrownBy(() -> AbsolutePath.of(Linux.calls(), ByteString.empty()))
                .hasMessageContaining("No such file or directory");
        assertThat(AbsolutePath.of(Linux.calls(), path("/a//b/./c/"))).isEqualTo(path("/a/b/c"));
        assertThat(AbsolutePath.of(Linux.calls(), path("/"))).isEqualTo(path("/"));
        assertThat(AbsolutePath.of(Linux.calls(), path("x\u00ff"))).isEqualTo(FileTuple.join(cwd, path("x\u00ff")));
        tree.make(w -> w.directory(path("a/b")).symlink(path("l"), path("a/b")));
        assertThat(AbsolutePath.of(Linux.calls(), ByteString.of(tree.root() + "/l/..")))
                .isEqualTo(ByteString.of(tree.root().toRealPath() + "/a"));
        try (Stream<Path> found = Files.list(tree.root())) {
            assertThat(found).hasSize(2);
        }
    }
}
