// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.options.Preserve;
import org.treehaul.core.copy.outcome.CopyResult;
import org.treehaul.core.copy.store.PosixStore;
import org.treehaul.core.copy.store.StoreCopier;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.ProcessStatus;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.storage.EntryMetadata;
import org.treehaul.core.storage.Location;
import org.treehaul.core.storage.NewFile;
import org.treehaul.core.storage.OffsetContract;
import org.treehaul.core.storage.SourceFile;
import org.treehaul.core.storage.SourceTree;
import org.treehaul.core.storage.TargetFile;
import org.treehaul.core.storage.TargetTree;
import org.treehaul.core.storage.TreeContract;
import org.treehaul.core.testing.TreeAssert;
import org.treehaul.core.testing.TreeListing;
import org.treehaul.core.testing.TreeWriter;
import org.treehaul.core.walk.options.Root;
import org.treehaul.schedulers.stage.Catalogue;
import org.treehaul.schedulers.stage.LocalServers;
import org.treehaul.schedulers.stage.ParallelFile;
import org.treehaul.schedulers.stage.SegmentPart;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StageFixture;
import org.treehaul.schedulers.stage.StageServer;
import org.treehaul.schedulers.stage.StagedFile;
import org.treehaul.schedulers.stage.StagedState;
import org.treehaul.schedulers.stage.StripeLayout;
import org.treehaul.schedulers.stage.tree.StageCheck;
import org.treehaul.schedulers.stage.tree.StageReports;
import org.treehaul.schedulers.stage.tree.StageVerify;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceUri;

/** A stage as a store: the contracts of trees and files, and what a stage has of its own. */
class StageStoreTest {

    private static final ProcessStatus PROCESS = new ProcessStatus(022, 7, 8, 0);

    private StageFixture fixture;
    private Stage stage;
    private StageStore store;
    private final List<String> events = Collections.synchronizedList(new ArrayList<>());

    @BeforeEach
    void open() throws Exception {
        fixture = new StageFixture(3);
        stage = fixture.open();
        store = StageStore.of(stage);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private TargetTree target(String base) {
        return store.target(ByteString.of(base), CopyOptions.archive().build(), PROCESS, events::add);
    }

    private static TreePath path(String text) {
        return TreePath.of(ByteString.of(text).toBytes());
    }

    @Nested
    class Trees extends TreeContract {

        @Override
        protected TargetTree target() {
            return StageStoreTest.this.target("base/of/it");
        }

        @Override
        protected SourceTree source() {
            return store.source(ByteString.of("base/of/it"));
        }

        @Override
        protected boolean hasNodes() {
            return false;
        }

        @Override
        protected boolean keepsReplaced() {
            return false;
        }
    }

    /** Files that are cut into the given stripes. */
    abstract class CutInto extends OffsetContract {
        private final List<NewFile> begun = new ArrayList<>();
        private TargetTree tree;
        private final long sizeOfSource;
        private int number;

        CutInto(long sizeOfSource) {
            this.sizeOfSource = sizeOfSource;
        }

        @BeforeEach
        void openTree() {
            tree = StageStoreTest.this.target("");
        }

        @Override
        protected TargetFile target() throws SystemCallException {
            FileStatus status = StageStoreTest.status(EntryKind.REGULAR, 0600, sizeOfSource);
            NewFile file = tree.create(path("f" + number++), new EntryMetadata(status, Collections.emptySortedMap()));
            begun.add(file);
            return file.data();
        }

        @Override
        protected SourceFile source(TargetFile written) throws SystemCallException {
            return new StageSourceFile(store, ((StageTargetFile) written).file(), written.status());
        }

        @Override
        protected TargetFile forOtherThread(TargetFile file) {
            return file;
        }

        @Override
        protected boolean clones() {
            return false;
        }

        @Override
        protected boolean findsHoles() {
            return false;
        }

        @Override
        protected boolean offloads() {
            return false;
        }

        @AfterEach
        void discard() {
            begun.forEach(NewFile::discard);
            tree.close();
        }
    }

    @Nested
    class WholeFiles extends CutInto {
        WholeFiles() {
            super(10);
        }
    }

    @Nested
    class CutFiles extends CutInto {
        CutFiles() {
            super(5L << 20);
        }
    }

    private CopyResult copy(StoreCopier.Opening<SourceTree> from, StoreCopier.Opening<TargetTree> to, boolean isOut) {
        CopyOptions options = CopyOptions.archive()
                .threads(4)
                .sparse(isOut ? CopyOptions.When.ALWAYS : CopyOptions.When.AUTO)
                .verify(CopyOptions.Verify.XXH3)
                .fsync(true)
                .build();
        return StoreCopier.of(new CopyPair(Root.of(ByteString.of("from")), ByteString.of("to")), from, to, options)
                .copy(event -> events.add(event.toString()), new Progress(), new Cancellation());
    }

    private PosixStore directory(Path path) throws Exception {
        return PosixStore.open(Linux.calls(), ByteString.of(path.toString()),
                new CopyPair(Root.of(ByteString.of("from")), ByteString.of(path.toString())),
                CopyOptions.archive().fsync(true).build(), events::add);
    }

    @Test
    void aFileHasTheCopiesThatAreAskedForOrThoseOfTheFileThatItReplaces() throws Exception {
        Path source = Files.createDirectory(fixture.path().resolve("copies"));
        Files.write(source.resolve("large"), StageFixture.content(1, 3_000_000));
        Files.write(source.resolve("small"), StageFixture.content(2, 100));
        for (int copies : new int[]{2, 0, 3, 1}) {
            CopyPair names = new CopyPair(Root.of(source), ByteString.of("stage:job/c"));
            PosixStore from = PosixStore.open(Linux.calls(), ByteString.of(source), names,
                    CopyOptions.archive().build(), notice -> {});
            StageStore into = StageStore.of(stage, copies);
            into.checkCopies();
            assertThat(
                    StoreCopier
                            .of(names, from::source,
                                    () -> into.target(ByteString.of("c"), CopyOptions.archive().build(), PROCESS,
                                            events::add),
                                    CopyOptions.archive().build())
                            .copy(event -> {}, new Progress(), new Cancellation())
                            .failures())
                    .isEmpty();
            from.close();
            for (String name : new String[]{"large", "small"}) {
                StagedFile file = stage.catalogue().find(ByteString.of("c/" + name)).orElseThrow();
                assertThat(file.copies()).isEqualTo(copies == 0 ? 2 : copies);
                assertThat(file.layout().serversOf(0)).hasSize(file.copies()).doesNotHaveDuplicates();
            }
        }
        assertThat(events).isEmpty();
        Stage full = fixture
                .open(FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.PWRITE).nth(1).fails(Errno.ENOSPC)));
        try (TargetTree tree = StageStore.of(full, 2)
                .target(ByteString.empty(), CopyOptions.archive().build(), PROCESS, events::add)) {
            NewFile file = tree.create(path("f"),
                    new EntryMetadata(status(EntryKind.REGULAR, 0600, 100), Collections.emptySortedMap()));
            file.data().write(Arena.ofAuto().allocate(100));
            file.commit();
        }
        assertThat(events).singleElement().asString().contains("copies of some files could not be written", "job:f (");
        assertThatThrownBy(() -> StageStore.of(stage, 4).checkCopies()).hasMessageContaining("4 copies need 4 servers")
                .hasMessageContaining("d1, d2, d3");
    }

    private EntryMetadata metadata(long size) {
        return new EntryMetadata(status(EntryKind.REGULAR, 0600, size), Collections.emptySortedMap());
    }

    private void assertNothingIsLeft() throws StageException {
        assertThat(stage.catalogue().intents(ByteString.empty())).isEmpty();
        for (String server : StageFixture.servers(3)) {
            stage.segments(server).list(segment -> fail("left: " + segment));
        }
    }

    @Test
    void aFileIsNotReplacedByOneOfFewerCopies() throws Exception {
        StripeLayout two = new StripeLayout(StageFixture.servers(3), 1, 4096, 2);
        StageFixture.make(stage, ByteString.of("f"), two, StageFixture.content(1, 100));
        for (StageServer server : stage.catalogue().servers().subList(1, 3)) {
            stage.catalogue().change(server, StageServer.State.DRAINING);
        }
        try (TargetTree tree = StageStore.of(stage)
                .target(ByteString.empty(), CopyOptions.archive().build(), PROCESS, events::add)) {
            assertThatThrownBy(() -> tree.create(path("f"), metadata(5)))
                    .hasMessageContaining("as those of the file that is replaced, 2 copies need 2 servers")
                    .hasMessageContaining("there is only 1 (d1)")
                    .hasMessageContaining("'treehaul stage servers'");
            tree.create(path("g"), metadata(5)).discard();
        }
        try (TargetTree tree = StageStore.of(stage, 1)
                .target(ByteString.empty(), CopyOptions.archive().build(), PROCESS, events::add)) {
            tree.create(path("f"), metadata(5)).discard();
        }
        assertThat(stage.catalogue().find(ByteString.of("f")).orElseThrow().copies()).isEqualTo(2);
    }

    @Test
    void aFileDoesNotReplaceADirectoryThatAppearsBeforeItsCommit() throws Exception {
        try (TargetTree tree = target("")) {
            NewFile whole = tree.create(path("small"), metadata(5));
            NewFile cut = tree.create(path("large"), metadata(3_000_000));
            for (String name : List.of("small", "large")) {
                stage.catalogue().commit(List.of(entry(name, EntryKind.DIRECTORY)));
            }
            for (NewFile file : List.of(whole, cut)) {
                assertThatThrownBy(file::commit).isInstanceOfSatisfying(SystemCallException.class,
                        e -> assertThat(e.errno()).isEqualTo(Errno.EISDIR));
            }
            assertThatThrownBy(() -> tree.makeLink(path("small"), ByteString.of("x"), metadata(0)))
                    .isInstanceOfSatisfying(SystemCallException.class,
                            e -> assertThat(e.errno()).isEqualTo(Errno.EISDIR));
        }
        assertThat(stage.catalogue().below(ByteString.empty(), false)).extracting(StagedFile::kind)
                .containsExactly(EntryKind.DIRECTORY, EntryKind.DIRECTORY);
        assertNothingIsLeft();
    }

    @Test
    void aTreeComesBackAsItWasWithChecksumsAndHoles() throws Exception {
        Path from = Files.createDirectory(fixture.path().resolve("from"));
        Path to = Files.createDirectory(fixture.path().resolve("to"));
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), from)) {
            writer.file(ByteString.of("large"), 5_000_000, 1)
                    .sparse(ByteString.of("sparse"), 9_000_000, 8192, 4 << 20)
                    .directory(ByteString.of("d"))
                    .directory(ByteString.of("d/empty"))
                    .symlink(ByteString.of("d/link"), ByteString.of("small"));
            for (int i = 0; i < 40; i++) {
                writer.file(ByteString.of("d/small" + i), 1000L * i, i);
            }
            writer.mode(ByteString.of("d/small1"), 0604).mode(ByteString.of("d"), 0751);
        }
        try (PosixStore source = directory(from); PosixStore target = directory(to)) {
            assertThat(copy(source::source, () -> target("x/y"), false).isSuccess()).as("%s", events).isTrue();
            assertThat(copy(() -> store.source(ByteString.of("x/y")), target::target, true).isSuccess())
                    .as("%s", events)
                    .isTrue();
        }
        TreeAssert.assertThat(TreeListing.of(Linux.calls(), to)).isCopyOf(TreeListing.of(Linux.calls(), from));
        List<String> left = new ArrayList<>();
        StageReports reports = new StageReports(ByteString.of("x"), event -> events.add(event.toString()),
                new Progress(), new Cancellation());
        new StageCheck(stage, 2, finding -> left.add(finding.toString()), false, reports).run();
        assertThat(left).isEmpty();
        // The holes, and the stripe that begins with one.
        assertThat(new StageVerify(Linux.calls(), stage, 2).run(ByteString.empty(), reports)).isLessThan(9_000_000);
        assertThat(new StageVerify(Linux.calls(), stage, 2).run(ByteString.of("x/y/large"), reports)).isZero();
        assertThat(reports.failures()).isEmpty();
    }

    @Test
    void aStripeThatWasDamagedIsNotCopied() throws Exception {
        Path from = Files.createDirectory(fixture.path().resolve("from"));
        Path to = Files.createDirectory(fixture.path().resolve("to"));
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), from)) {
            writer.file(ByteString.of("large"), 5_000_000, 1).file(ByteString.of("small"), 1000, 2);
        }
        try (PosixStore source = directory(from); PosixStore target = directory(to)) {
            assertThat(copy(source::source, () -> target(""), false).isSuccess()).isTrue();
            StagedFile small = stage.catalogue().find(ByteString.of("small")).orElseThrow();
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment other = arena.allocate(1);
                stage.segments(small.servers())
                        .write(small.key(0), List.of(new SegmentPart(500, other.fill((byte) 1))));
                stage.segments(small.servers())
                        .write(small.key(0), List.of(new SegmentPart(501, other.fill((byte) 2))));
            }
            CopyResult result = copy(() -> store.source(ByteString.empty()), target::target, true);
            assertThat(result.failures()).containsOnlyKeys(EntryFailure.Kind.ERROR);
        }
        assertThat(events).singleElement().asString().contains("small", "checksum of stripe 0", "EIO");
        assertThat(to.resolve("small")).doesNotExist();
        assertThat(to.resolve("large")).hasSize(5_000_000);
    }

    @Test
    void setIdBitsAreKeptOnlyWithTheOwnerForWhomTheyAre() throws Exception {
        for (boolean keepsOwner : new boolean[]{false, true}) {
            CopyOptions options = CopyOptions.builder()
                    .preserve(keepsOwner ? EnumSet.of(Preserve.MODE, Preserve.OWNERSHIP) : EnumSet.of(Preserve.MODE))
                    .build();
            String name = keepsOwner ? "owned" : "foreign";
            try (TargetTree tree = store.target(ByteString.empty(), options, PROCESS, events::add)) {
                FileStatus directory = status(EntryKind.DIRECTORY, 02755, 0);
                tree.makeDirectory(path("d-" + name), directory);
                tree.finishDirectory(path("d-" + name), new EntryMetadata(directory, Collections.emptySortedMap()));
                tree.create(path(name),
                        new EntryMetadata(status(EntryKind.REGULAR, 06755, 0), Collections.emptySortedMap())).commit();
            }
        }
        assertThat(stage.catalogue().find(ByteString.of("foreign")).orElseThrow().mode()).isEqualTo(0755);
        assertThat(stage.catalogue().find(ByteString.of("owned")).orElseThrow().mode()).isEqualTo(06755);
        assertThat(stage.catalogue().find(ByteString.of("d-foreign")).orElseThrow().mode()).isEqualTo(02755);
    }

    private String merged(String name, EnumSet<Preserve> preserved) throws Exception {
        FileStatus source = status(EntryKind.DIRECTORY, 0711, 0);
        CopyOptions options = CopyOptions.builder().preserve(preserved).build();
        try (TargetTree tree = store.target(ByteString.empty(), options, PROCESS, events::add)) {
            tree.makeDirectory(path(name), source);
            tree.finishDirectory(path(name), new EntryMetadata(source, Collections.emptySortedMap()));
        }
        StagedFile now = stage.catalogue().find(ByteString.of(name)).orElseThrow();
        return Integer.toOctalString(now.mode()) + " of " + now.owner();
    }

    @Test
    void aDirectoryThatWasThereKeepsItsModeAndOwnerUnlessThoseOfTheSourceArePreserved() throws Exception {
        stage.catalogue().commit(List.of(entry("there", EntryKind.DIRECTORY)));
        assertThat(merged("there", EnumSet.noneOf(Preserve.class))).isEqualTo("700 of 0");
        assertThat(merged("new", EnumSet.noneOf(Preserve.class))).isEqualTo("711 of 7");
        assertThat(merged("there", EnumSet.of(Preserve.MODE))).isEqualTo("711 of 0");
        assertThat(merged("there", EnumSet.of(Preserve.MODE, Preserve.OWNERSHIP))).isEqualTo("711 of 1");
    }

    @Test
    void aFileWithASegmentThatIsShortIsNotReadAsIfItHadZeros() throws Exception {
        Path to = Files.createDirectory(fixture.path().resolve("to"));
        // The second server has the second, the fifth and the eighth of eight stripes.
        byte[] bytes = StageFixture.content(1, (7 << 20) + 1000);
        for (int left : new int[]{0, 1 << 20}) {
            ByteString name = ByteString.of("f" + left);
            StageFixture.make(stage, name, new StripeLayout(List.of("d1", "d2", "d3"), 3, 1 << 20), bytes);
            StagedFile file = stage.catalogue().find(name).orElseThrow();
            Path segment = fixture.server(2).resolve(file.key(1).name());
            // As a crash leaves it that comes before the data are on disk.
            Files.write(segment, Arrays.copyOf(Files.readAllBytes(segment), left));
            Files.delete(segment.resolveSibling(segment.getFileName() + ".sums"));
            try (ParallelFile open = fixture.open().open(name, false)) {
                ByteBuffer into = ByteBuffer.allocate(bytes.length);
                assertThatThrownBy(() -> open.read(into, 0)).isInstanceOf(StageException.class)
                        .hasMessageContaining("job:" + name + ": segment 1 on server d2 ends at byte " + left)
                        .hasMessageContaining("EIO");
                assertThatThrownBy(open::size).hasMessageContaining("segment 1 on server d2 ends at byte " + left);
                assertThat(open.read(into.clear().limit(1 << 20), 0)).isEqualTo(1 << 20);
            }
        }
        try (PosixStore target = directory(to)) {
            assertThat(copy(() -> store.source(ByteString.empty()), target::target, true).failures())
                    .containsExactly(Map.entry(EntryFailure.Kind.ERROR, 2L));
        }
        assertThat(events).hasSize(2).allSatisfy(event -> assertThat(event).contains("segment 1 on server d2"));
        assertThat(to).isEmptyDirectory();
    }

    @Test
    void aStripeThatAnotherClientWritesAfterItsChecksumWasReadIsNotDamaged() throws Exception {
        int stripe = 1 << 16;
        ByteString name = ByteString.of("f");
        StageFixture.make(stage, name, new StripeLayout(List.of("d1"), 1, stripe), StageFixture.content(1, 3 * stripe));
        byte[] other = StageFixture.content(2, stripe);
        try (Arena arena = Arena.ofConfined();
                SourceTree tree = store.source(ByteString.empty());
                SourceFile file = tree.open(path("f"))) {
            MemorySegment into = arena.allocate(stripe);
            file.read(into, 0);
            try (ParallelFile written = fixture.open().open(name, true)) {
                written.write(ByteBuffer.wrap(other), stripe);
            }
            assertThat(file.read(into, stripe)).isEqualTo(stripe);
            assertThat(into.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(other);
        }
    }

    @Test
    void onlyACopyFromOutsideOfStagesCountsAsSaved() throws Exception {
        Path from = Files.createDirectory(fixture.path().resolve("from"));
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), from)) {
            writer.file(ByteString.of("large"), 3_000_000, 1)
                    .file(ByteString.of("small"), 10, 2)
                    .symlink(ByteString.of("link"), ByteString.of("small"));
        }
        try (PosixStore source = directory(from)) {
            assertThat(copy(source::source, () -> target("x"), false).isSuccess()).isTrue();
        }
        assertThat(copy(() -> store.source(ByteString.of("x")), () -> target("y"), false).isSuccess()).isTrue();
        try (Stream<StagedFile> unsaved = stage.catalogue().unsaved(ByteString.empty())) {
            assertThat(unsaved.map(one -> one.path().toString())).containsExactly("y/large", "y/link", "y/small");
        }
    }

    @Test
    void bytesOfAnOpenFileBehindTheSizeOfTheCatalogueAreNotCopiedAndAreNoFailure() throws Exception {
        Path to = Files.createDirectory(fixture.path().resolve("to"));
        for (int size : new int[]{1000, 3_000_000}) {
            ByteString name = ByteString.of("f" + size);
            try (ParallelFile file = stage.create(name, new StripeLayout(List.of("d1", "d2"), 2, 1 << 20), 0600)) {
                file.write(ByteBuffer.allocate(size), 0);
            }
            ParallelFile open = fixture.open().open(name, true);
            open.write(ByteBuffer.allocate(500), size);
        }
        try (PosixStore target = directory(to)) {
            assertThat(copy(() -> store.source(ByteString.empty()), target::target, true).isSuccess()).as("%s", events)
                    .isTrue();
        }
        assertThat(to.resolve("f1000")).hasSize(1000);
        assertThat(to.resolve("f3000000")).hasSize(3_000_000);
    }

    @Test
    void theHostsOfAFileAreThoseOfCopiesThatMissedNoWrite() throws Exception {
        for (StageServer server : stage.catalogue().servers()) {
            stage.catalogue()
                    .add(new StageServer("job", server.name(), "host-" + server.name(), server.id(), server.directory(),
                            ""));
        }
        ByteString name = ByteString.of("f");
        try (ParallelFile file = stage.create(name, new StripeLayout(List.of("d1", "d2", "d3"), 2, 10, 2), 0600)) {
            file.write(ByteBuffer.allocate(15), 0);
        }
        stage.markStale(stage.catalogue().find(name).orElseThrow(), 0, "d1");
        try (SourceTree tree = StageStore.of(stage).source(ByteString.empty());
                SourceFile file = tree.open(path("f"))) {
            assertThat(file.locations(0, 100)).extracting(Location::hosts)
                    .containsExactly(List.of("host-d2"), List.of("host-d2", "host-d3"));
        }
    }

    private void put(String path) throws Exception {
        stage.create(ByteString.of(path), new StripeLayout(List.of("d1"), 1, 1 << 20), 0600).close();
    }

    @Test
    void aDirectoryExistsIfSomethingIsBelowItAndIsListedOnce() throws Exception {
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            put("a/b" + i + "/c/d");
        }
        put("a/b0-x");
        put("a/b0.y/z");
        put("a/b00");
        SourceTree tree = store.source(ByteString.of("a"));
        tree.list(TreePath.root(), (name, kind) -> expected.add(ByteString.of(name) + " " + kind));
        assertThat(expected).containsExactlyInAnyOrder("b0-x REGULAR", "b0.y DIRECTORY", "b0 DIRECTORY", "b00 REGULAR",
                "b1 DIRECTORY", "b2 DIRECTORY");
        assertThat(tree.status(path("b1/c")).kind()).isEqualTo(EntryKind.DIRECTORY);
        assertThatThrownBy(() -> tree.status(path("b1/d"))).hasMessageContaining("ENOENT");
        assertThatThrownBy(() -> tree.open(path("b1/c"))).hasMessageContaining("EISDIR");
    }

    @Test
    void aDirectoryOfManyEntriesIsListedInPages() throws Exception {
        List<StagedFile> all = new ArrayList<>();
        for (int i = 0; i < 1200; i++) {
            all.add(entry("top/" + (i < 600 ? "big/" : "") + "f" + i, EntryKind.SYMLINK));
            if (i % 100 == 0) {
                all.add(entry("top/d" + i, EntryKind.DIRECTORY));
            }
        }
        stage.catalogue().commit(all);
        List<String> names = new ArrayList<>();
        store.source(ByteString.empty()).list(path("top"), (name, kind) -> names.add(ByteString.of(name).toString()));
        assertThat(names).hasSize(600 + 12 + 1).doesNotHaveDuplicates().contains("big", "f1199", "d0");
    }

    private StagedFile entry(String path, EntryKind kind) {
        return new StagedFile("job", ByteString.of(path), UUID.randomUUID(), 1, StagedState.COMMITTED, kind, 0, 0700, 0,
                0, 0, 0, kind == EntryKind.SYMLINK ? ByteString.of("x") : null, "", 0, 0);
    }

    @Test
    void severalThreadsCommitTogetherAndARefusalIsThatOfItsOwnEntry() throws Exception {
        put("file");
        int threads = 8;
        try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
            List<Future<@Nullable Void>> done = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int own = i;
                done.add(pool.submit(() -> {
                    for (int j = 0; j < 50; j++) {
                        store.commits().commit(entry("t" + own + "/l" + j, EntryKind.SYMLINK));
                        StagedFile below = entry("file/" + own + "-" + j, EntryKind.SYMLINK);
                        assertThatThrownBy(() -> store.commits().commit(below)).hasMessageContaining("ENOTDIR");
                    }
                    return null;
                }));
            }
            for (Future<?> one : done) {
                one.get();
            }
        }
        try (Stream<StagedFile> all = stage.catalogue().below(ByteString.empty(), false)) {
            assertThat(all).hasSize(threads * 50 + 1);
        }
    }

    @Test
    void noThreadTakesTheFailureOfTheOneThatCommitsForItsSuccess() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch othersWait = new CountDownLatch(1);
        AtomicInteger calls = new AtomicInteger();
        // The first commit waits for the others, which come together then; theirs ends without memory.
        TupleSpace failing = (TupleSpace) Proxy.newProxyInstance(TupleSpace.class.getClassLoader(),
                new Class<?>[]{TupleSpace.class}, (proxy, method, values) -> {
                    if (method.getName().equals("atomically")) {
                        if (calls.incrementAndGet() > 1) {
                            throw new OutOfMemoryError("as if");
                        }
                        begun.countDown();
                        othersWait.await();
                    }
                    return null;
                });
        try (Stage stage = Stage.open(Catalogue.of(failing, "job"), LocalServers.opener(Linux.calls()), 1)) {
            Commits commits = new Commits(stage);
            List<Thread> threads = new ArrayList<>();
            AtomicInteger failed = new AtomicInteger();
            for (String name : List.of("first", "second", "third")) {
                threads.add(Thread.ofPlatform().unstarted(() -> {
                    try {
                        commits.commit(entry(name, EntryKind.SYMLINK));
                    } catch (StageException | IllegalStateException | OutOfMemoryError e) {
                        failed.incrementAndGet();
                    }
                }));
            }
            threads.getFirst().start();
            begun.await();
            for (Thread other : threads.subList(1, 3)) {
                other.start();
                while (other.getState() != Thread.State.WAITING) {
                    Thread.onSpinWait();
                }
            }
            othersWait.countDown();
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(failed).hasValue(2);
        }
    }

    @Test
    void aFileWhoseCommitWasNotAnsweredKeepsItsPath() throws Exception {
        TupleSpace space = TupleSpaces.open(new SpaceUri(SpaceUri.MEMORY, "lost" + System.nanoTime()),
                Catalogue.options());
        AtomicBoolean isLost = new AtomicBoolean();
        TupleSpace losing = (TupleSpace) Proxy.newProxyInstance(TupleSpace.class.getClassLoader(),
                new Class<?>[]{TupleSpace.class}, (proxy, method, values) -> {
                    Object answer;
                    try {
                        answer = method.invoke(space, values);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                    if (method.getName().equals("atomically") && isLost.getAndSet(false)) {
                        throw new SpaceException(SpaceException.Reason.BUSY, "the answer was lost");
                    }
                    return answer;
                });
        Path disk = Files.createDirectory(fixture.path().resolve("other"));
        try (Stage stage = Stage.open(Catalogue.of(losing, "other"), LocalServers.opener(Linux.calls()), 1)) {
            LocalServers.add(Linux.calls(), stage.catalogue(), List.of(ByteString.of(disk)));
            try (TargetTree tree = StageStore.of(stage)
                    .target(ByteString.empty(), CopyOptions.archive().build(), PROCESS, events::add)) {
                NewFile file = tree.create(path("f"),
                        new EntryMetadata(status(EntryKind.REGULAR, 0600, 1), Collections.emptySortedMap()));
                isLost.set(true);
                assertThatThrownBy(file::commit).hasMessage("the answer was lost");
            }
            StagedFile kept = stage.catalogue().find(ByteString.of("f")).orElseThrow();
            assertThat(stage.segments("d1").size(kept.key(0))).isZero();
        }
    }

    private static FileStatus status(EntryKind kind, int permissions, long size) {
        return new FileStatus(kind.typeBits() | permissions, 1, 2, 1, 3, 1, 0, size, 0, 0, 0, 7, 5, 0, 0, false, 0, 0);
    }
}
