// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LinuxConstants;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TreeAssert;
import org.treehaul.core.testing.TreeAssert.Aspect;
import org.treehaul.core.testing.TreeListing;
import org.treehaul.core.testing.TreeWriter;
import org.treehaul.core.walk.options.Root;
import org.treehaul.schedulers.stage.Catalogue;
import org.treehaul.schedulers.stage.LocalServers;
import org.treehaul.schedulers.stage.ParallelFile;
import org.treehaul.schedulers.stage.SegmentKey;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StageFixture;
import org.treehaul.schedulers.stage.StagedFile;
import org.treehaul.schedulers.stage.StripeLayout;
import org.treehaul.tuplespace.store.SpaceUri;

/** Trees that go into a stage and come back; and the segments that failures leave. */
class StageTreesTest {

    private static final int STRIPE = 4096;
    private static final ByteString TOP = ByteString.empty();

    private final Progress progress = new Progress();
    private final List<EntryFailure> failures = Collections.synchronizedList(new ArrayList<>());
    private Cancellation cancellation = new Cancellation();
    private StageFixture fixture;
    private Stage stage;
    private Path source;
    private Path target;

    @BeforeEach
    void open() throws Exception {
        fixture = new StageFixture(3);
        stage = fixture.open();
        source = Files.createDirectory(fixture.path().resolve("source"));
        target = fixture.path().resolve("target");
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private static ByteString bytes(String text) {
        return ByteString.of(text);
    }

    private StageReports reports() {
        return new StageReports(bytes("tree"), event -> {
            if (event instanceof Event.Failed failed) {
                failures.add(failed.failure());
            }
        }, progress, cancellation);
    }

    private Map<EntryFailure.Kind, Long> in(FileSystemCalls calls, Stage into, String path) throws StageException {
        StageReports reports = reports();
        new StageIn(calls, into, new StageInOptions(StageFixture.servers(3), 0, STRIPE, 3, false)).run(Root.of(source),
                bytes(path), reports);
        return reports.failures();
    }

    private void stageIn() throws StageException {
        assertThat(in(Linux.calls(), stage, "run")).isEmpty();
    }

    private Map<EntryFailure.Kind, Long> out(String path) throws IOException {
        StageReports reports = reports();
        new StageOut(Linux.calls(), stage, 3, true).run(bytes(path), ByteString.of(target), reports);
        return reports.failures();
    }

    private List<StageFinding> check(boolean isCleaned) throws StageException {
        List<StageFinding> findings = new ArrayList<>();
        new StageCheck(stage, 2, findings::add, isCleaned, reports()).run();
        return findings;
    }

    private Map<EntryFailure.Kind, Long> verify() throws StageException {
        StageReports reports = reports();
        new StageVerify(Linux.calls(), stage, 3).run(TOP, reports);
        return reports.failures();
    }

    private void makeTree() {
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), source)) {
            writer.directory(bytes("a")).directory(bytes("a/b")).directory(bytes("empty"));
            for (int i = 0; i < 40; i++) {
                writer.file(bytes("a/f" + i), i * 17L, i);
            }
            writer.file(bytes("a/b/none"), 0, 1)
                    .file(bytes("a/b/stripe"), STRIPE, 2)
                    .file(bytes("a/b/more"), STRIPE + 1, 3)
                    .file(bytes("large"), 60L * STRIPE + 123, 4)
                    .sparse(bytes("sparse"), 500L * STRIPE + 5, 30L * STRIPE + 7)
                    .sparse(bytes("hole"), 100L * STRIPE)
                    .symlink(bytes("a/link"), bytes("../large"))
                    .file(ByteString.of(new byte[]{'n', (byte) 0xFF, '\n'}), 10, 5)
                    .mode(bytes("a/f1"), 0400)
                    .mode(bytes("empty"), 0511);
            writer.times(bytes("empty"), new Timestamp(7, 8)).times(bytes("large"), new Timestamp(-9, 10));
        }
    }

    private void assertCopied() {
        TreeAssert.assertThat(TreeListing.of(Linux.calls(), target))
                .ignoring(Aspect.ATTRIBUTES, Aspect.ACLS)
                .isCopyOf(TreeListing.of(Linux.calls(), source));
    }

    @Test
    void aTreeComesBackAsItWasAndItsSegmentsAreSpread() throws Exception {
        makeTree();
        stageIn();
        assertThat(out("run")).isEmpty();
        assertCopied();
        assertThat(check(false)).isEmpty();
        assertThat(verify()).isEmpty();
        StagedFile large = stage.catalogue().find(bytes("run/large")).orElseThrow();
        assertThat(large.segments()).isEqualTo(3);
        assertThat(large.servers().split(",")).containsExactlyInAnyOrder("d1", "d2", "d3");
        assertThat(stage.catalogue().find(bytes("run/a/f3")).orElseThrow().segments()).isEqualTo(1);
        for (int i = 1; i <= 3; i++) {
            try (Stream<Path> files = Files.list(fixture.server(i))) {
                assertThat(files.count()).isGreaterThan(20);
            }
        }
    }

    @Test
    void aRepeatedRunLeavesOutWhatIsThereAndCopiesWhatChanged() throws Exception {
        makeTree();
        stageIn();
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), source)) {
            writer.file(bytes("a/new"), 5, 9);
        }
        Files.write(source.resolve("a/f7"), new byte[10_000]);
        Progress.Snapshot before = progress.snapshot();
        stageIn();
        assertThat(progress.snapshot().skipped() - before.skipped()).isEqualTo(46);
        assertThat(progress.snapshot().files() - before.files()).isEqualTo(2);
        assertThat(out("run")).isEmpty();
        assertCopied();
        assertThat(check(false)).isEmpty();
        long copied = progress.snapshot().bytes();
        assertThat(out("run")).isEmpty();
        assertThat(progress.snapshot().bytes()).isEqualTo(copied);
    }

    @ParameterizedTest
    @EnumSource(value = EntryKind.class, names = {"FIFO", "SOCKET"})
    void aFileDoesNotReplaceAFifoOrASocket(EntryKind kind) throws Exception {
        makeTree();
        stageIn();
        Files.createDirectory(target);
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), target)) {
            writer.special(bytes("large"), kind, 0);
        }
        assertThat(out("run")).containsExactly(Map.entry(EntryFailure.Kind.ERROR, 1L));
        assertThat(failures.getFirst().operation()).isEqualTo("replace a device, FIFO or socket");
        TreeListing there = TreeListing.of(Linux.calls(), target);
        assertThat(there.find("large").orElseThrow().status().kind()).isEqualTo(kind);
        assertThat(there.find("sparse")).isPresent();
    }

    @Test
    void aDirectoryOfTheUserKeepsItsModeIfNothingMayBeMadeInIt() throws Exception {
        makeTree();
        stageIn();
        stage.catalogue().remove(stage.catalogue().find(bytes("run/a")).orElseThrow());
        Files.createDirectories(target.resolve("a"));
        Set<PosixFilePermission> readOnly = PosixFilePermissions.fromString("r-xr-xr-x");
        Files.setPosixFilePermissions(target, readOnly);
        Files.setPosixFilePermissions(target.resolve("a"), readOnly);
        // Root may write in it without the mode.
        FileSystemCalls denying = FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.SYMLINKAT).fails(Errno.EACCES));
        StageOut out = new StageOut(denying, stage, 3, false);
        assertThatThrownBy(() -> out.run(bytes("run/a/link"), ByteString.of(target.resolve("link")), reports()))
                .hasMessageContaining("EACCES");
        assertThat(Files.getPosixFilePermissions(target)).isEqualTo(readOnly);
        // Nothing gives it another mode at the end: the stage has no entry of it.
        out.run(bytes("run/a"), ByteString.of(target.resolve("a")), reports());
        assertThat(failures).isNotEmpty().extracting(EntryFailure::errno).containsOnly(Errno.EACCES);
        assertThat(Files.getPosixFilePermissions(target.resolve("a"))).isEqualTo(readOnly);
    }

    @Test
    void aSingleFileMakesNoDirectoryAboveIt() throws Exception {
        makeTree();
        stageIn();
        assertThatThrownBy(() -> new StageOut(Linux.calls(), stage, 3, false).run(bytes("run/large"),
                ByteString.of(target.resolve("large")), reports())).hasMessageContaining("ENOENT");
        assertThat(target).doesNotExist();
    }

    @Test
    void aDirectoryThatAnEarlierRunMadeReadOnlyGetsTheFilesThatItLacks() throws Exception {
        makeTree();
        stageIn();
        Path directory = Files.createDirectories(target.resolve("a"));
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("r-xr-xr-x"));
        // Root may write in it without the mode.
        FileSystemCalls denying = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.SYMLINKAT).nth(1).fails(Errno.EACCES));
        StageReports reports = reports();
        new StageOut(denying, stage, 3, false).run(bytes("run"), ByteString.of(target), reports);
        assertThat(failures).isEmpty();
        assertCopied();
    }

    @Test
    void directoriesThatAnEarlierRunClosedAreOpenedAndClosedAgain() throws Exception {
        makeTree();
        stageIn();
        assertThat(out("run")).isEmpty();
        Files.delete(target.resolve("a/f1"));
        try (Stream<Path> content = Files.list(target.resolve("a/b"))) {
            for (Path file : content.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(target.resolve("a/b"));
        Set<PosixFilePermission> closed = PosixFilePermissions.fromString("---------");
        Files.setPosixFilePermissions(target.resolve("a"), closed);
        Files.setPosixFilePermissions(target, closed);
        // Root may do so without the mode.
        FaultInjectingCalls denying = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.OPENAT).named("target").nth(1).fails(Errno.EACCES),
                Fault.on(Call.OPENAT).named("a").nth(1).fails(Errno.EACCES),
                Fault.on(Call.MKDIRAT).named("b").nth(1).fails(Errno.EACCES),
                Fault.on(Call.STATX).named("f1").nth(1).fails(Errno.EACCES));
        new StageOut(denying, stage, 1, false).run(bytes("run"), ByteString.of(target), reports());
        assertThat(failures).isEmpty();
        assertCopied();
        assertThat(denying.count(Call.FCHMODAT)).as("the destination, and a").isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource(names = {"FCHOWNAT", "FCHMOD", "FUTIMENS"})
    void aFileThatCannotHaveItsMetadataKeepsItsDataAndIsCopiedAgain(Call call) throws Exception {
        if (call == Call.FCHOWNAT) {
            Privilege.requireRoot("others do not restore owners");
        }
        makeTree();
        stageIn();
        FileSystemCalls denying = FaultInjectingCalls.over(Linux.calls(), Fault.on(call).nth(1).fails(Errno.EPERM));
        new StageOut(denying, stage, 1, false).run(bytes("run"), ByteString.of(target), reports());
        assertThat(failures).singleElement().satisfies(failure -> {
            assertThat(failure.errno()).isEqualTo(Errno.EPERM);
            assertThat(failure.operation()).endsWith(" of the copy, which has the data");
            assertThat(target.resolve(failure.path().toString()))
                    .hasSameBinaryContentAs(source.resolve(failure.path().toString()));
        });
        assertThat(out("run")).isEmpty();
        assertCopied();
    }

    @Test
    void aFileAloneGetsThePathAndTheDestination() throws Exception {
        Files.writeString(source.resolve("file"), "content");
        StageReports reports = reports();
        new StageIn(Linux.calls(), stage, new StageInOptions(StageFixture.servers(3), 0, STRIPE, 1, true))
                .run(Root.of(source.resolve("file")), bytes("x/y"), reports);
        assertThat(out("x/y")).isEmpty();
        assertThat(target).hasContent("content");
        new StageIn(Linux.calls(), stage, new StageInOptions(StageFixture.servers(3), 0, STRIPE, 1, true))
                .run(Root.of(source.resolve("file")), TOP, reports);
        assertThat(failures).extracting(EntryFailure::operation).first().asString().contains("only a directory");
    }

    @Test
    void aByteThatChangedOnAServerIsFoundAndDoesNotGetOut() throws Exception {
        makeTree();
        stageIn();
        StagedFile large = stage.catalogue().find(bytes("run/large")).orElseThrow();
        StripeLayout layout = large.layout();
        int server = Integer.parseInt(layout.serverOf(1).substring(1));
        Path segment = fixture.server(server).resolve(large.key(1).name());
        byte[] content = Files.readAllBytes(segment);
        content[3 * STRIPE + 5] ^= 1;
        Files.write(segment, content);
        assertThat(verify()).containsExactly(Map.entry(EntryFailure.Kind.CORRUPT, 1L));
        assertThat(failures.getFirst().toString()).isEqualTo("tree/run/large: reads back differently: stripe 3 of "
                + "segment 1 on server d" + server + ": the checksum differs");
        assertThat(out("run")).containsExactly(Map.entry(EntryFailure.Kind.CORRUPT, 1L));
        assertThat(target.resolve("large")).doesNotExist();
        try (Stream<Path> files = Files.list(target)) {
            assertThat(files.filter(file -> file.toString().contains(".treehaul"))).isEmpty();
        }
    }

    @Test
    void missingAndShortSegmentsAndAnAbsentServerAreNamedAndNothingIsShortInSilence() throws Exception {
        makeTree();
        stageIn();
        StagedFile large = stage.catalogue().find(bytes("run/large")).orElseThrow();
        Path first = fixture.server(Integer.parseInt(large.layout().serverOf(0).substring(1)))
                .resolve(large.key(0).name());
        Path second = fixture.server(Integer.parseInt(large.layout().serverOf(1).substring(1)))
                .resolve(large.key(1).name());
        Files.write(second, new byte[10], StandardOpenOption.TRUNCATE_EXISTING);
        assertThat(verify()).containsExactly(Map.entry(EntryFailure.Kind.CORRUPT, 1L));
        Files.delete(first);
        // Two threads find the two segments.
        assertThat(verify()).containsValue(1L).hasSize(1);
        assertThat(check(false)).extracting(StageFinding::kind, StageFinding::path)
                .containsExactlyInAnyOrder(tuple(StageFinding.Kind.MISSING, bytes("run/large")),
                        tuple(StageFinding.Kind.SHORT, bytes("run/large")));
        Files.move(fixture.server(2), fixture.path().resolve("away"));
        Stage later = fixture.open();
        List<StageFinding> findings = new ArrayList<>();
        new StageCheck(later, 2, findings::add, false, reports()).run();
        assertThat(findings).anySatisfy(finding -> {
            assertThat(finding.kind()).isEqualTo(StageFinding.Kind.UNREACHABLE);
            assertThat(finding.server()).isEqualTo("d2");
        });
        assertThatThrownBy(() -> later.segments("d2")).hasMessageContaining("d2 (").hasMessageContaining("ENOENT");
    }

    @Test
    void aSegmentThatCannotBeExaminedFailsByNameAndTheOthersAreChecked() throws Exception {
        makeTree();
        stageIn();
        StagedFile large = stage.catalogue().find(bytes("run/large")).orElseThrow();
        StagedFile lost = stage.catalogue().find(bytes("run/a/f3")).orElseThrow();
        Files.delete(fixture.server(Integer.parseInt(lost.servers().substring(1))).resolve(lost.key(0).name()));
        for (int i = 1; i <= 3; i++) {
            stage.segments("d" + i).create(new SegmentKey(UUID.randomUUID(), 1, 0));
        }
        Stage damaged = fixture.open(FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.STATX).named(large.key(1).name()).fails(Errno.EIO)));
        List<StageFinding> findings = new ArrayList<>();
        new StageCheck(damaged, 1, findings::add, false, reports()).run();
        assertThat(findings).extracting(StageFinding::kind)
                .containsExactlyInAnyOrder(StageFinding.Kind.ORPHAN, StageFinding.Kind.ORPHAN, StageFinding.Kind.ORPHAN,
                        StageFinding.Kind.MISSING);
        // By the listing of its server, and for its file.
        assertThat(failures).hasSize(2).allSatisfy(failure -> {
            assertThat(failure.errno()).isEqualTo(Errno.EIO);
            assertThat(failure.operation()).contains(large.key(1).name());
        });
        assertThat(failures.getLast().path().toString()).isEqualTo("run/large");
    }

    @Test
    void aCheckThatIsCancelledEnds() throws Exception {
        makeTree();
        stageIn();
        stage.segments("d1").create(new SegmentKey(UUID.randomUUID(), 1, 0));
        Files.delete(fixture.server(2).resolve(stage.catalogue().using("d2").toList().getFirst().key(0).name()));
        List<StageFinding> findings = new ArrayList<>();
        new StageCheck(stage, 1, finding -> {
            findings.add(finding);
            cancellation.cancel();
        }, false, reports()).run();
        assertThat(findings).hasSize(1);
    }

    @Test
    void aRunThatWasKilledLeavesOrphansThatCheckFindsAndRepeatingItGoesOn() throws Exception {
        makeTree();
        // The process dies in the middle of a write: no code of it runs any more.
        class Killed extends Error {
            private static final long serialVersionUID = 1L;
        }
        Stage killed = fixture.open();
        FileSystemCalls dying = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.OPENAT).named("large").runs(call -> {
                    throw new Killed();
                }));
        assertThatThrownBy(() -> in(dying, killed, "run")).isInstanceOf(Killed.class);
        stage.segments("d1").create(new SegmentKey(UUID.randomUUID(), 3, 1));
        assertThat(check(false)).isNotEmpty()
                .allMatch(finding -> finding.kind() == StageFinding.Kind.ORPHAN
                        || finding.kind() == StageFinding.Kind.UNFINISHED);
        stageIn();
        assertThat(check(false)).extracting(StageFinding::kind).containsExactly(StageFinding.Kind.ORPHAN);
        assertThat(check(true)).hasSize(1);
        assertThat(check(false)).isEmpty();
        assertThat(out("run")).isEmpty();
        assertCopied();
    }

    @Test
    void theFilesOfAnotherStageOnTheSameServersAreNoOrphans() throws Exception {
        Stage other = fixture.openOther("other");
        byte[] content = StageFixture.content(1, 3 * STRIPE);
        StageFixture.make(other, bytes("theirs"), new StripeLayout(StageFixture.servers(3), 3, STRIPE), content);
        makeTree();
        stageIn();
        assertThat(check(true)).isEmpty();
        assertThat(StageFixture.read(other, bytes("theirs"))).isEqualTo(content);
        // Each stage finds a segment that none of them has.
        stage.segments("d1").create(new SegmentKey(UUID.randomUUID(), 1, 0));
        assertThat(check(false)).extracting(StageFinding::kind).containsExactly(StageFinding.Kind.ORPHAN);
    }

    @Test
    void aDirectoryWithSegmentsOfAnotherCatalogueIsNotAdded() throws Exception {
        List<ByteString> disk = List.of(ByteString.of(fixture.path().resolve("disk1")));
        makeTree();
        stageIn();
        LocalServers.add(Linux.calls(), fixture.catalogue(), disk);
        try (Catalogue other = Catalogue.open(new SpaceUri(SpaceUri.MEMORY, "other" + System.nanoTime()), "job")) {
            assertThatThrownBy(() -> LocalServers.add(Linux.calls(), other, disk)).isInstanceOf(StageException.class)
                    .hasMessageContaining("disk1/job.stage): the directory has segments of another catalogue");
            assertThat(other.servers()).isEmpty();
            new StageRemove(stage, 3).run(TOP, true, reports());
            LocalServers.add(Linux.calls(), other, disk);
            assertThat(other.servers()).hasSize(1);
        }
    }

    @Test
    void aFullServerFailsTheFilesThatNeedItByName() throws Exception {
        makeTree();
        Stage full = fixture
                .open(FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.PWRITE).from(30).fails(Errno.ENOSPC)));
        assertThat(in(Linux.calls(), full, "run")).containsOnlyKeys(EntryFailure.Kind.ERROR);
        assertThat(failures).allSatisfy(failure -> {
            assertThat(failure.errno()).isEqualTo(Errno.ENOSPC);
            assertThat(failure.operation()).contains("on server d");
        });
        assertThat(check(false)).isEmpty();
        stageIn();
        assertThat(out("run")).isEmpty();
        assertCopied();
    }

    @Test
    void aServerThatIsAbsentLeavesNothingUnfinishedOnTheOthers() throws Exception {
        makeTree();
        Files.move(fixture.server(2), fixture.path().resolve("away"));
        assertThat(in(Linux.calls(), fixture.open(), "run")).containsOnlyKeys(EntryFailure.Kind.ERROR);
        assertThat(failures).allSatisfy(failure -> assertThat(failure.operation()).contains("d2 (", "ENOENT"));
        Files.move(fixture.path().resolve("away"), fixture.server(2));
        assertThat(check(false)).isEmpty();
        try (Stream<StagedFile> intents = stage.catalogue().intents(TOP)) {
            assertThat(intents).isEmpty();
        }
        stageIn();
        assertThat(out("run")).isEmpty();
        assertCopied();
    }

    @Test
    void aStripeThatAProgramMadeLongerAndDidNotCloseIsNotDamaged() throws Exception {
        StripeLayout layout = new StripeLayout(StageFixture.servers(3), 2, STRIPE);
        try (ParallelFile file = stage.create(bytes("f"), layout, 0600)) {
            file.write(ByteBuffer.allocate(100));
        }
        ParallelFile open = stage.open(bytes("f"), true);
        open.write(ByteBuffer.allocate(150), 0);
        open.sync();
        assertThat(verify()).isEmpty();
        assertThat(out("f")).isEmpty();
        assertThat(target).hasSize(100);
        Files.write(fixture.server(1).resolve(stage.catalogue().find(bytes("f")).orElseThrow().key(0).name()),
                new byte[120]);
        assertThat(verify()).containsExactly(Map.entry(EntryFailure.Kind.CORRUPT, 1L));
    }

    @Test
    void aFileThatChangesWhileItIsReadIsNotStaged() throws Exception {
        makeTree();
        Path large = source.resolve("large");
        FileSystemCalls changing = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.PREAD)
                        .named("large")
                        .nth(9)
                        .runs(call -> Files.write(large, new byte[1], StandardOpenOption.APPEND)));
        assertThat(in(changing, stage, "run")).containsExactly(Map.entry(EntryFailure.Kind.CHANGED, 1L));
        assertThat(stage.catalogue().find(bytes("run/large"))).isEmpty();
        assertThat(check(false)).isEmpty();
    }

    @Test
    void entriesThatAStageCannotHaveAreReported() throws Exception {
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), source)) {
            writer.special(bytes("fifo"), EntryKind.FIFO, 0).file(bytes("f"), 3, 1);
        }
        assertThat(in(Linux.calls(), stage, "run")).containsExactly(Map.entry(EntryFailure.Kind.ERROR, 1L));
        assertThat(failures.getFirst().fullPath()).isEqualTo(ByteString.of(source.resolve("fifo")));
        Files.delete(source.resolve("fifo"));
        assertThat(in(Linux.calls(), stage, "run/f")).isEmpty();
    }

    @Test
    void theDirectoriesOfTheStageAreNotStaged() throws Exception {
        Files.writeString(fixture.path().resolve("disk2/file"), "x");
        StageReports reports = reports();
        new StageIn(Linux.calls(), stage, new StageInOptions(StageFixture.servers(3), 0, STRIPE, 2, false))
                .run(Root.of(fixture.path().resolve("disk2")), bytes("run"), reports);
        assertThat(failures).extracting(EntryFailure::fullPath).containsExactly(ByteString.of(fixture.server(2)));
        assertThat(stage.catalogue().find(bytes("run/file"))).isPresent();
        assertThat(stage.catalogue().find(bytes("run/job.stage"))).isEmpty();
    }

    @Test
    void theTopKeepsItsModeAndFilesAndLinksOfAKilledRunAreSwept() throws Exception {
        makeTree();
        Files.setPosixFilePermissions(source, PosixFilePermissions.fromString("rwxr-x--x"));
        assertThat(in(Linux.calls(), stage, "")).isEmpty();
        Files.createDirectories(target.resolve("a"));
        Path left = target.resolve("a/.treehaul-stage-" + UUID.randomUUID());
        Path live = target.resolve("a/.treehaul-stage-" + UUID.randomUUID());
        Path link = target.resolve("a/.treehaul-stage-" + UUID.randomUUID());
        Files.write(left, new byte[10]);
        Files.createSymbolicLink(link, Path.of("nowhere"));
        try (FileAccess access = FileAccess.open(Linux.calls())) {
            int running = access.open(LinuxConstants.AT_FDCWD, access.name(ByteString.of(live).toBytes()),
                    LinuxConstants.O_CREAT | LinuxConstants.O_WRONLY, 0600);
            assertThat(Linux.calls().ofdLock(running, LinuxConstants.F_WRLCK)).isZero();
            assertThat(out("")).isEmpty();
            access.close(running);
        }
        assertThat(left).doesNotExist();
        assertThat(Files.isSymbolicLink(link)).isFalse();
        assertThat(live).exists();
        assertThat(out("")).isEmpty();
        assertCopied();
        new StageRemove(stage, 3).run(TOP, true, reports());
        assertThat(stage.catalogue().find(TOP)).isEmpty();
    }

    @Test
    void aFileOrALinkDoesNotGetThePathOfADirectoryWithoutAnEntry() throws Exception {
        makeTree();
        assertThat(in(Linux.calls(), stage, "x/y/run")).isEmpty();
        for (String name : List.of("a/f1", "a/link")) {
            StageReports reports = reports();
            new StageIn(Linux.calls(), stage, new StageInOptions(StageFixture.servers(3), 0, STRIPE, 2, false))
                    .run(Root.of(source.resolve(name)), bytes("x/y"), reports);
            assertThat(reports.failures()).hasSize(1);
        }
        assertThat(failures).extracting(EntryFailure::errno).containsExactly(Errno.EISDIR, Errno.EISDIR);
        assertThat(stage.catalogue().find(bytes("x/y"))).isEmpty();
        assertThat(check(false)).isEmpty();
    }

    @Test
    void aFileInTheMiddleOfATreeDoesNotGetThePathOfADirectoryWithoutAnEntry() throws Exception {
        Path other = Files.createDirectory(fixture.path().resolve("other"));
        Files.writeString(Files.createDirectories(other.resolve("deep")).resolve("f"), "1");
        new StageIn(Linux.calls(), stage, new StageInOptions(StageFixture.servers(3), 0, STRIPE, 2, false))
                .run(Root.of(other), bytes("run/a/x"), reports());
        Files.writeString(source.resolve("a"), "a file where the stage has a directory");
        Files.writeString(source.resolve("b"), "2");
        assertThat(in(Linux.calls(), stage, "run")).containsOnlyKeys(EntryFailure.Kind.ERROR);
        assertThat(failures).singleElement().satisfies(failure -> {
            assertThat(failure.path().toString()).isEqualTo("a");
            assertThat(failure.errno()).isEqualTo(Errno.EISDIR);
        });
        assertThat(stage.catalogue().find(bytes("run/a"))).isEmpty();
        assertThat(stage.catalogue().find(bytes("run/a/x/deep/f"))).isPresent();
        assertThat(stage.catalogue().find(bytes("run/b"))).isPresent();
        assertThat(check(false)).isEmpty();
        // It gets the path when nothing is below it any more.
        new StageRemove(stage, 3).run(bytes("run/a"), true, reports());
        assertThat(in(Linux.calls(), stage, "run")).isEmpty();
        assertThat(stage.catalogue().find(bytes("run/a"))).isPresent();
    }

    @Test
    void aTreeBelowAFileIsRefusedBeforeItIsCopied() throws Exception {
        Files.writeString(source.resolve("f"), "1");
        new StageIn(Linux.calls(), stage, new StageInOptions(StageFixture.servers(3), 0, STRIPE, 2, false))
                .run(Root.of(source.resolve("f")), bytes("x/file"), reports());
        long before = progress.snapshot().bytes();
        assertThatThrownBy(() -> in(Linux.calls(), stage, "x/file/y/z"))
                .isInstanceOfSatisfying(StageException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOTDIR))
                .hasMessageContaining("x/file");
        assertThat(progress.snapshot().bytes()).isEqualTo(before);
        assertThat(check(false)).isEmpty();
    }

    @Test
    void aDirectoryTakesThePlaceOfAFileBeforeItsContentIsStaged() throws Exception {
        Files.writeString(source.resolve("d"), "a file");
        stageIn();
        Files.delete(source.resolve("d"));
        // So many that several threads commit some of them.
        for (int i = 0; i < 40; i++) {
            Path directory = Files.createDirectories(source.resolve("d/" + i));
            for (int j = 0; j < 25; j++) {
                Files.createFile(directory.resolve("f" + j));
            }
        }
        stageIn();
        assertThat(failures).isEmpty();
        assertThat(out("run")).isEmpty();
        assertCopied();
        assertThat(check(false)).isEmpty();
    }

    // UTIMENSAT is for links only.
    @ParameterizedTest
    @EnumSource(names = {"RENAMEAT2", "UTIMENSAT"})
    void anEntryThatAnotherRunSweepsBeforeItHasItsNameIsCopiedOnceMore(Call last) throws Exception {
        makeTree();
        stageIn();
        AtomicInteger swept = new AtomicInteger();
        StageReports reports = reports();
        new StageOut(FaultInjectingCalls.over(Linux.calls(), Fault.on(last).times(3).runs(call -> {
            try (Stream<Path> all = Files.walk(target)) {
                for (Path left : all.filter(path -> path.getFileName().toString().startsWith(".treehaul-stage-"))
                        .toList()) {
                    Files.deleteIfExists(left);
                    swept.incrementAndGet();
                }
            }
        })), stage, 1, false).run(bytes("run"), ByteString.of(target), reports);
        assertThat(swept.get()).isPositive();
        assertThat(reports.failures()).isEmpty();
        assertCopied();
    }

    @Test
    void verifyingAPathThatIsAbsentFails() throws Exception {
        assertThat(verify()).isEmpty();
        StageVerify verify = new StageVerify(Linux.calls(), stage, 1);
        assertThatThrownBy(() -> verify.run(bytes("absent"), reports())).hasMessageContaining("ENOENT");
    }

    @Test
    void removingTakesTheSegmentsWithIt() throws Exception {
        makeTree();
        stageIn();
        StageRemove remove = new StageRemove(stage, 3);
        assertThatThrownBy(() -> remove.run(bytes("run"), false, reports())).hasMessageContaining("EISDIR");
        assertThatThrownBy(() -> remove.run(bytes("absent"), true, reports())).hasMessageContaining("ENOENT");
        remove.run(bytes("run/large"), false, reports());
        assertThat(stage.catalogue().find(bytes("run/large"))).isEmpty();
        remove.run(bytes("run/a"), true, reports());
        assertThat(stage.catalogue().find(bytes("run/sparse"))).isPresent();
        remove.run(TOP, true, reports());
        assertThat(check(false)).isEmpty();
        for (int i = 1; i <= 3; i++) {
            try (Stream<Path> files = Files.list(fixture.server(i))) {
                assertThat(files).hasSize(1);
            }
        }
    }

    @Test
    void cancelledWorkLeavesNothingUnfinished() throws Exception {
        makeTree();
        cancellation = new Cancellation();
        FileSystemCalls cancelling = FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.PREAD).named("large").nth(5).runs(call -> cancellation.cancel()));
        StageReports reports = reports();
        assertThat(new StageIn(cancelling, stage, new StageInOptions(StageFixture.servers(3), 2, STRIPE, 2, false))
                .run(Root.of(source), bytes("run"), reports)).isFalse();
        assertThat(reports.failures()).isEmpty();
        assertThat(stage.catalogue().find(bytes("run/large"))).isEmpty();
        assertThat(check(false)).isEmpty();
    }

    @Test
    void smallFilesAreBalancedBySize() {
        Placement placement = new Placement(StageFixture.servers(3));
        Random random = new Random(7);
        long[] bytes = new long[4];
        long largest = 0;
        for (int i = 0; i < 1000; i++) {
            long size = (long) (Math.pow(random.nextDouble(), 8) * 1_000_000);
            largest = Math.max(largest, size);
            bytes[Integer.parseInt(placement.whole(size, 1).getFirst().substring(1))] += size + 4096;
        }
        long least = Math.min(bytes[1], Math.min(bytes[2], bytes[3]));
        long most = Math.max(bytes[1], Math.max(bytes[2], bytes[3]));
        assertThat(most - least).isLessThanOrEqualTo(largest + 4096);
        assertThat(List.of(placement.cut().getFirst(), placement.cut().getFirst(), placement.cut().getFirst()))
                .containsExactly("d1", "d2", "d3");
    }
}
