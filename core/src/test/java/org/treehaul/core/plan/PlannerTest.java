// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.apache.commons.io.FileUtils;
import org.junit.jupiter.api.Test;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.places.FilePlaces;
import org.treehaul.core.places.PlacedFile;
import org.treehaul.core.plan.format.BatchLimits;
import org.treehaul.core.plan.format.ChunkRange;
import org.treehaul.core.plan.format.ManifestEntry;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanException;
import org.treehaul.core.plan.format.PlanTotals;
import org.treehaul.core.plan.format.PlannedBatch;
import org.treehaul.core.plan.format.PlannedDirectory;
import org.treehaul.core.plan.format.PlannedFile;
import org.treehaul.core.plan.format.PlannedProbe;
import org.treehaul.core.plan.format.PlannedRoom;
import org.treehaul.core.plan.format.PlannedRoot;
import org.treehaul.core.testing.TreeWriter;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;

class PlannerTest {

    private static final ByteString A = ByteString.of("a");

    private static ByteString path(String text) {
        return ByteString.of(text);
    }

    private static List<String> paths(List<ManifestEntry> entries) {
        return entries.stream().map(entry -> entry.path().toString()).toList();
    }

    private static TreeWriter writer(Plans plans) {
        return TreeWriter.in(Linux.calls(), plans.source());
    }

    @Test
    void entriesAreOrderedByDirectoryAndName() throws PlanException {
        try (Plans plans = new Plans()) {
            try (TreeWriter w = writer(plans)) {
                w.file(path("z"), 1, 1)
                        .directory(A)
                        .file(path("a/2"), 2, 1)
                        .directory(path("a/sub"))
                        .file(path("a/sub/0"), 3, 1)
                        .file(path("a/1"), 4, 1)
                        .file(path("a.b"), 5, 1)
                        .directory(path("empty"));
            }
            PlanSummary summary = plans.write(plans.request(Batchings.DEALT).withLimits(1, BatchLimits.batches(1)));
            assertThat(summary).isEqualTo(new PlanSummary(true, 1, new PlanTotals(5, 5, 15, 15, 4, 0, 0)));
            Plan plan = plans.open();
            assertThat(paths(Plans.all(plan.manifest(0)))).containsExactly("a.b", "z", "a/1", "a/2", "a/sub/0");
            assertThat(Plans.all(plan.directories())).extracting(d -> d.path().toString())
                    .containsExactly("empty", "a/sub", "a", ".");
            assertThat(plan.header().roots())
                    .containsExactly(new PlannedRoot(Plans.path(plans.source()), Plans.path(plans.target())));
            assertThat(plans.failures()).isEmpty();
        }
    }

    private record Planned(PlanSummary summary, Map<Integer, List<ManifestEntry>> entries, List<PlannedRoom> room,
            List<PlannedProbe> probes, Progress.Snapshot progress) {}

    private static Planned planned(Plans plans, PlanRequest request) throws IOException {
        Progress progress = new Progress();
        PlanSummary summary = Planner.of(Linux.calls(), request)
                .plan(plans.plan(), EventListener.none(), progress, new Cancellation());
        Plan plan = plans.open();
        Planned planned = new Planned(summary, Plans.entries(plan), plan.room(), plan.probes(), progress.snapshot());
        FileUtils.deleteDirectory(plans.plan().toFile());
        return planned;
    }

    @Test
    void filesWhoseStatusesAreReadTogetherArePlannedAsEachByItself() throws IOException {
        try (Plans plans = new Plans()) {
            try (TreeWriter w = writer(plans)) {
                for (int i = 0; i < 100; i++) {
                    w.file(path("many/" + i), 100L * i, 1);
                }
                w.sparse(path("many/sparse"), 1 << 20, 0)
                        .sparse(path("hole"), 1 << 20)
                        .hardLink(path("many/1"), path("many/name"))
                        .symlink(path("many/link"), A)
                        .special(path("many/pipe"), EntryKind.FIFO, 0)
                        .file(A, 7, 1);
            }
            for (boolean withIdentities : List.of(false, true)) {
                PlanRequest together = plans.request(Batchings.DEALT)
                        .withToken(false)
                        .withIdentities(withIdentities)
                        .withLimits(1, BatchLimits.batches(3));
                // A walk with a filter reads each status when its entry is handled.
                PlanRequest alone = together.withWalk(WalkOptions.defaults().withFilter((path, isDirectory) -> false));
                Planned expected = planned(plans, alone);
                assertThat(expected.progress().files()).isEqualTo(104);
                assertThat(expected.room()).isNotEmpty();
                assertThat(planned(plans, together)).isEqualTo(expected);
            }
        }
    }

    @Test
    void anEmptySelectionGivesAPlanWithoutBatches() throws PlanException {
        for (Batching batching : List.of(Batchings.DEALT, Batchings.STREAMED)) {
            try (Plans plans = new Plans()) {
                assertThat(plans.write(plans.request(batching)))
                        .isEqualTo(new PlanSummary(true, 0, new PlanTotals(0, 0, 0, 0, 1, 0, 0)));
                assertThat(plans.open().batches()).isEmpty();
            }
        }
    }

    @Test
    void batchesThatStayEmptyAreNotWritten() throws PlanException {
        try (Plans plans = new Plans()) {
            try (TreeWriter w = writer(plans)) {
                w.file(A, 7, 1);
            }
            assertThat(plans.write(plans.request(Batchings.DEALT).withLimits(9, BatchLimits.batches(72))).batches())
                    .isEqualTo(1);
            assertThat(plans.open().batches()).hasSize(1).first().extracting(PlannedBatch::largest).isEqualTo(7L);
        }
    }

    @Test
    void aPlanOfThousandsOfBatchesHasTheSameEntriesInTheSameOrder() throws PlanException {
        int batches = 2_500;
        try (Plans whole = new Plans(); Plans divided = new Plans()) {
            for (Plans plans : List.of(whole, divided)) {
                try (TreeWriter w = writer(plans)) {
                    for (int i = 0; i < batches + 400; i++) {
                        w.file(path("d" + i % 7 + "/f" + i), i % 3, 1);
                    }
                    w.sparse(path("large"), 3 << 20, 0)
                            .hardLink(path("large"), path("other/large"))
                            .hardLink(path("d1/f1"), path("other/f1"));
                }
            }
            whole.write(request(whole, 1));
            List<List<String>> expected = new ArrayList<>();
            int item = -1;
            long group = 0;
            for (int batch = 0; batch < batches; batch++) {
                expected.add(new ArrayList<>());
            }
            for (ManifestEntry entry : Plans.all(whole.open().manifest(0))) {
                item += entry.group() != 0 && entry.group() == group && entry.chunk() == null ? 0 : 1;
                group = entry.group();
                expected.get(item % batches).add(words(entry));
            }
            assertThat(divided.write(request(divided, batches)).totals())
                    .isEqualTo(whole.open().totals().orElseThrow());

            Plan plan = divided.open();
            plan.check();
            assertThat(plan.batchCount()).isEqualTo(batches);
            for (int batch = 0; batch < batches; batch++) {
                assertThat(Plans.all(plan.manifest(batch)).stream().map(PlannerTest::words))
                        .containsExactlyElementsOf(expected.get(batch));
            }
            assertThat(Plans.all(plan.chunked())).singleElement()
                    .satisfies(file -> assertThat(file.links()).hasSize(1));
        }
    }

    private static PlanRequest request(Plans plans, int batches) {
        return plans.request(Batchings.DEALT).withChunkBytes(1 << 20).withLimits(1, BatchLimits.batches(batches));
    }

    private static String words(ManifestEntry entry) {
        return entry.path() + " " + entry.size() + " " + (entry.group() != 0) + " " + entry.chunk() + " "
                + entry.data();
    }

    @Test
    void rootsThatAreFilesOrNotThereArePlannedOrReported() throws PlanException {
        try (Plans plans = new Plans()) {
            try (TreeWriter w = writer(plans)) {
                w.file(A, 7, 1).symlink(path("l"), A);
            }
            List<PlanRequest.Pair> pairs = new ArrayList<>();
            for (String name : List.of("a", "gone", "l")) {
                pairs.add(new PlanRequest.Pair(Root.of(Plans.path(plans.source().resolve(name))),
                        Plans.path(plans.target().resolveSibling(name))));
            }
            PlanSummary summary = plans
                    .write(PlanRequest.of("x", pairs, Batchings.DEALT).withLimits(1, BatchLimits.batches(1)));
            assertThat(summary.totals()).isEqualTo(new PlanTotals(2, 1, 7, 7, 0, 0, 1));
            Plan plan = plans.open();
            assertThat(Plans.all(plan.manifest(0))).extracting(ManifestEntry::root).containsExactly(0, 2);
            assertThat(Plans.all(plan.manifest(0))).extracting(ManifestEntry::kind)
                    .containsExactly(EntryKind.REGULAR, EntryKind.SYMLINK);
            assertThat(paths(Plans.all(plan.manifest(0)))).containsExactly(".", ".");
            assertThat(Plans.all(plan.failures())).singleElement().satisfies(failed -> {
                assertThat(failed.root()).isEqualTo(1);
                assertThat(failed.failure()).isEqualTo(plans.failures().getFirst());
                assertThat(failed.failure().errno()).isEqualTo(Errno.ENOENT);
            });
            assertThat(plan.probes()).extracting(PlannedProbe::root).containsExactly(0, 2);
        }
    }

    @Test
    void allNamesOfAFileAreAdjacent() throws IOException {
        for (Batching batching : List.of(Batchings.DEALT, Batchings.STREAMED)) {
            try (Plans plans = new Plans()) {
                try (TreeWriter w = writer(plans)) {
                    w.directory(A).directory(path("z"));
                    for (int i = 0; i < 20; i++) {
                        w.file(path("f" + i), 1, 1).file(path("z/" + i), 1000, 1);
                        w.hardLink(path("z/" + i), path("a/" + i)).hardLink(path("z/" + i), path("l" + i));
                    }
                    // Its other name is not in the transfer.
                    w.file(path("lonely"), 5, 1);
                }
                Files.createLink(plans.directory().resolve("outside"), plans.source().resolve("lonely"));
                plans.write(plans.request(batching).withLimits(1, new BatchLimits(7, 8, 0)));
                Plan plan = plans.open();
                long bytes = 0;
                int groups = 0;
                for (List<ManifestEntry> batch : Plans.entries(plan).values()) {
                    for (int i = 0; i < batch.size(); i++) {
                        ManifestEntry entry = batch.get(i);
                        if (entry.group() != 0 && (i == 0 || batch.get(i - 1).group() != entry.group())) {
                            groups++;
                            assertThat(batch.subList(i, i + 3)).extracting(ManifestEntry::group)
                                    .containsOnly(entry.group());
                            assertThat(batch.subList(i, i + 3)).extracting(ManifestEntry::inode)
                                    .containsOnly(entry.inode());
                            bytes += entry.bytes();
                        } else if (entry.group() == 0) {
                            bytes += entry.bytes();
                        }
                    }
                }
                assertThat(groups).isEqualTo(20);
                assertThat(plan.totals().orElseThrow().entries()).isEqualTo(81);
                assertThat(plan.totals().orElseThrow().bytes()).isEqualTo(bytes).isEqualTo(20 + 20_000 + 5);
                assertThat(plan.batches()).allMatch(batch -> !batching.isStreaming() || batch.entries() <= 8);
            }
        }
    }

    @Test
    void aFileWhoseSizeChangesBetweenTwoOfItsNamesIsPlanned() throws IOException {
        for (Batching batching : List.of(Batchings.DEALT, Batchings.STREAMED)) {
            try (Plans plans = new Plans()) {
                try (TreeWriter w = writer(plans)) {
                    w.file(path("a"), 100_000, 1).hardLink(path("a"), path("b"));
                }
                FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                        Fault.on(Call.STATX).named("a").runs(call -> resize(plans, 100_000)),
                        Fault.on(Call.STATX).named("b").runs(call -> resize(plans, 10)));
                plans.write(calls, plans.request(batching), new Cancellation());
                assertThat(Plans.entries(plans.open()).values()).singleElement()
                        .satisfies(names -> assertThat(names).extracting(ManifestEntry::size)
                                .containsExactly(100_000L, 10L));
            }
        }
    }

    private static void resize(Plans plans, long size) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(plans.source().resolve("a").toFile(), "rw")) {
            file.setLength(size);
        }
    }

    @Test
    void filesAreCutAndTheirOtherNamesKeptForTheEnd() throws PlanException {
        for (Batching batching : List.of(Batchings.DEALT, Batchings.STREAMED)) {
            try (Plans plans = new Plans()) {
                long size = (5 << 20) + 3;
                try (TreeWriter w = writer(plans)) {
                    w.sparse(path("big"), size, 0).hardLink(path("big"), path("also")).file(path("small"), 3, 1);
                    w.sparse(path("even"), 2 << 20, 0);
                }
                plans.write(plans.request(batching).withChunkBytes(1 << 20).withLimits(1, new BatchLimits(3, 2, 0)));
                Plan plan = plans.open();
                List<ManifestEntry> chunks = new ArrayList<>();
                Plans.entries(plan)
                        .values()
                        .forEach(batch -> chunks.addAll(
                                batch.stream().filter(entry -> entry.path().toString().equals("also")).toList()));
                List<ChunkRange> ranges = chunks.stream()
                        .map(ManifestEntry::chunk)
                        .map(Objects::requireNonNull)
                        .sorted(Comparator.comparingLong(ChunkRange::from))
                        .toList();
                long at = 0;
                for (ChunkRange range : ranges) {
                    assertThat(range.from()).isEqualTo(at);
                    assertThat(range.count()).isEqualTo(6);
                    at = range.to();
                }
                assertThat(at).isEqualTo(size);
                List<PlannedFile> files = Plans.all(plan.chunked());
                assertThat(files).hasSize(2);
                assertThat(files).filteredOn(file -> file.size() == size).singleElement().satisfies(file -> {
                    assertThat(file.path().toString()).isEqualTo("also");
                    assertThat(file.chunks()).isEqualTo(6);
                    assertThat(file.links())
                            .containsExactly(new PlannedFile.Name(0, TreePath.of(path("big").toBytes())));
                });
                // The other name is not in any manifest.
                long bytes = size + (2 << 20) + 3;
                // One block of each file with holes.
                assertThat(plan.totals().orElseThrow()).isEqualTo(new PlanTotals(9, 3, bytes, 2 * 4096 + 3, 1, 2, 0));
            }
        }
    }

    @Test
    void directoriesRecordTheKindOfTheTarget() throws IOException {
        try (Plans plans = new Plans()) {
            try (TreeWriter w = writer(plans)) {
                w.directory(A).directory(path("a/b")).directory(path("c")).directory(path("a/link"));
            }
            Files.createDirectories(plans.target().resolve("a/b"));
            Files.createSymbolicLink(plans.target().resolve("a/link"), plans.target());
            try (TreeWriter w = TreeWriter.in(Linux.calls(), plans.target())) {
                w.mode(path("a/b"), 02700);
            }
            plans.write(plans.request(Batchings.DEALT));
            assertThat(Plans.all(plans.open().directories())).extracting(d -> d.path() + " " + d.targetMode())
                    .containsExactly("c " + OptionalInt.empty(), "a/link " + OptionalInt.empty(),
                            "a/b " + OptionalInt.of(02700), "a " + OptionalInt.of(0755), ". " + OptionalInt.of(0755));
        }
    }

    @Test
    void aTokenIsMadeInTheTargetOrItsParent() throws IOException {
        try (Plans plans = new Plans()) {
            plans.write(plans.request(Batchings.DEALT));
            String token = plans.open().header().token();
            assertThat(token).isEqualTo(".treehaul-20260101-000000-test");
            assertThat(plans.open().header().tokenDirectories()).containsExactly(Plans.path(plans.directory().path()));
            assertThat(plans.directory().resolve(token)).isEmptyFile();
        }
        try (Plans plans = new Plans()) {
            Files.createDirectory(plans.target());
            plans.write(plans.request(Batchings.DEALT));
            assertThat(plans.open().header().tokenDirectories()).containsExactly(Plans.path(plans.target()));
            assertThat(plans.target().resolve(plans.open().header().token())).isEmptyFile();
        }
    }

    @Test
    void anErrorOfAListNamesTheFilesAndNotThePlan() throws IOException {
        FilePlaces places = new FilePlaces() {
            @Override
            public void list(List<ByteString> roots, boolean isDivided, FileQuery where, Consumer<PlacedFile> action)
                    throws IOException {
                throw new IOException("job:x: there is no such entry in the stage");
            }

            @Override
            public Place open(ByteString path, long identity, long size, int part) {
                throw new UnsupportedOperationException();
            }

            @Override
            public void close() {}
        };
        try (Plans plans = new Plans()) {
            Planner planner = Planner.of(Linux.calls(), plans.request(Batchings.DEALT)).withPlaces(places);
            assertThatThrownBy(
                    () -> planner.plan(plans.plan(), EventListener.none(), new Progress(), new Cancellation()))
                    .isInstanceOf(PlanException.class)
                    .hasMessage("job:x: there is no such entry in the stage");
        }
    }

    @Test
    void aCancelledPlanLeavesNoToken() throws IOException {
        try (Plans plans = new Plans()) {
            try (TreeWriter w = writer(plans)) {
                w.file(A, 1, 1);
            }
            Cancellation cancelled = new Cancellation();
            cancelled.cancel();
            assertThat(plans.write(Linux.calls(), plans.request(Batchings.DEALT), cancelled).isComplete()).isFalse();
            assertThat(plans.open().isSealed()).isFalse();
            try (Stream<Path> left = Files.list(plans.directory().path())) {
                assertThat(left).containsExactlyInAnyOrder(plans.plan(), plans.source());
            }
            try (Stream<Path> left = Files.list(plans.plan())) {
                assertThat(left).doesNotContain(plans.plan().resolve("spool"), Plan.heartbeat(plans.plan()));
            }
            // Can be planned again in the same place.
            assertThat(plans.write(plans.request(Batchings.DEALT)).isComplete()).isTrue();
        }
    }

    @Test
    void aPlannerThatWasTakenForDeadLeavesAllToItsSuccessor() throws IOException {
        try (Plans plans = new Plans()) {
            try (TreeWriter w = writer(plans)) {
                w.directory(A).file(path("a/f"), 1, 1);
            }
            AtomicBoolean isHeld = new AtomicBoolean(true);
            Fault stop = Fault.on(Call.GETDENTS64).named("a").times(1).runs(invocation -> {
                isHeld.set(false);
                try {
                    Files.createFile(plans.source().resolve("new"));
                    FileUtils.deleteDirectory(plans.plan().toFile());
                    plans.write(plans.request(Batchings.DEALT));
                    // A check is trusted for that long.
                    TimeUnit.SECONDS.sleep(1);
                } catch (IOException | InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
            assertThatThrownBy(
                    () -> Planner.of(FaultInjectingCalls.over(Linux.calls(), stop), plans.request(Batchings.DEALT))
                            .plan(plans.plan(), isHeld::get, EventListener.none(), new Progress(), new Cancellation()))
                    .isInstanceOf(PlanException.class);
            assertThat(plans.open().totals().orElseThrow().entries()).isEqualTo(2);
            assertThat(Plans.entries(plans.open()).values().stream().mapToInt(List::size).sum()).isEqualTo(2);
            assertThat(plans.directory().resolve(plans.open().header().token())).exists();
        }
    }

    @Test
    void thePathOnWhichEachCallHangsIsInProgress() throws Exception {
        try (Plans plans = new Plans()) {
            try (TreeWriter w = writer(plans)) {
                w.directory(A).directory(path("a/dead")).file(path("a/dead/f"), 1, 1).file(path("z"), 1, 1);
            }
            Progress progress = new Progress();
            Map<Call, List<String>> seen = new EnumMap<>(Call.class);
            Fault look = Fault.on(Call.STATX, Call.OPENAT, Call.GETDENTS64)
                    .named("dead")
                    .runs(invocation -> seen.putIfAbsent(invocation.call(), progress.busy()));
            Planner.of(FaultInjectingCalls.over(Linux.calls(), look),
                    plans.request(Batchings.DEALT).withWalk(WalkOptions.defaults().withThreads(1)))
                    .plan(plans.plan(), EventListener.none(), progress, new Cancellation());
            List<String> dead = List.of(plans.source().resolve("a/dead").toString());
            assertThat(seen).containsExactlyInAnyOrderEntriesOf(
                    Map.of(Call.STATX, dead, Call.OPENAT, dead, Call.GETDENTS64, dead));
            assertThat(progress.busy()).isEmpty();
        }
    }

    @Test
    void unreadableDirectoriesAreReportedAndTheRestIsPlanned() throws PlanException {
        try (Plans plans = new Plans()) {
            try (TreeWriter w = writer(plans)) {
                w.directory(A).file(path("a/1"), 1, 1).directory(path("b")).file(path("b/1"), 1, 1);
            }
            FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(),
                    Fault.on(Call.GETDENTS64).named("b").fails(Errno.EIO));
            PlanSummary summary = plans.write(calls, plans.request(Batchings.DEALT), new Cancellation());
            assertThat(summary.totals().failures()).isEqualTo(1);
            Plan plan = plans.open();
            assertThat(Plans.all(plan.failures())).singleElement()
                    .extracting(failed -> failed.failure().path().toString())
                    .isEqualTo("b");
            assertThat(Plans.all(plan.directories())).filteredOn(PlannedDirectory::isIncomplete)
                    .extracting(d -> d.path().toString())
                    .containsExactly("b");
            assertThat(calls.openDescriptors()).isEmpty();
        }
    }

    @Test
    void aDestinationThatCannotBeWrittenIsNamedBeforeTheWalk() {
        try (Plans plans = new Plans()) {
            PlanRequest request = PlanRequest.of("x",
                    List.of(new PlanRequest.Pair(Root.of(Plans.path(plans.source())), path("/proc/none"))),
                    Batchings.DEALT);
            assertThatThrownBy(() -> plans.write(request)).isInstanceOf(PlanException.class)
                    .hasMessageContaining("cannot write into the destination /proc");
        }
    }

    @Test
    void aDirectoryThatIsNoPlanIsNotTouched() throws IOException {
        try (Plans plans = new Plans()) {
            Files.createDirectory(plans.plan());
            Files.writeString(plans.plan().resolve("batches"), "mine");
            assertThatThrownBy(() -> plans.write(plans.request(Batchings.DEALT))).isInstanceOf(PlanException.class)
                    .hasMessageContaining("contains no plan");
            assertThat(plans.plan().resolve("batches")).hasContent("mine");
        }
    }

    @Test
    void aStrategyAtFaultIsNamed() {
        Batching forgetful = new Batching() {
            @Override
            public String name() {
                return "forgetful";
            }

            @Override
            public int assign(Items items, BatchLimits limits, BatchAssignment out) {
                return 1;
            }
        };
        try (Plans plans = new Plans()) {
            try (TreeWriter w = writer(plans)) {
                w.file(A, 1, 1);
            }
            assertThatThrownBy(() -> plans.write(plans.request(forgetful))).isInstanceOf(PlanException.class)
                    .hasMessageContaining("forgetful");
        }
    }

    @Test
    void aSourceThatLeadsIntoTheTargetIsReported() throws IOException {
        try (Plans plans = new Plans()) {
            Files.createDirectory(plans.target());
            Path source = plans.source();
            PlanRequest request = PlanRequest.of("x",
                    List.of(new PlanRequest.Pair(Root.of(Plans.path(source)), Plans.path(source.resolve("in")))),
                    Batchings.DEALT);
            Files.createDirectory(source.resolve("in"));
            plans.write(request);
            assertThat(plans.failures()).singleElement().asString().contains("copy a directory into itself");
        }
    }

    @Test
    void batchesAreReleasedDuringTheWalk() throws Exception {
        try (Plans plans = new Plans()) {
            try (TreeWriter w = writer(plans)) {
                for (int i = 0; i < 2000; i++) {
                    w.file(path("f" + i), 1, 1);
                }
                w.directory(A).file(path("a/last"), 1, 1);
            }
            List<Plan> seen = new ArrayList<>();
            // When the last directory is listed, the batches of the others are visible already.
            Fault look = Fault.on(Call.GETDENTS64).named("a").runs(invocation -> {
                try {
                    seen.add(plans.open());
                } catch (PlanException e) {
                    throw new AssertionError(e);
                }
            });
            FaultInjectingCalls calls = FaultInjectingCalls.over(Linux.calls(), look);
            plans.write(calls,
                    plans.request(Batchings.STREAMED)
                            .withWalk(WalkOptions.defaults().withThreads(1))
                            .withLimits(1, new BatchLimits(0, 100, 0)),
                    new Cancellation());
            assertThat(seen.getFirst().isSealed()).isFalse();
            assertThat(seen.getFirst().batchCount()).isGreaterThan(10);
            assertThat(Plans.all(seen.getFirst().manifest(3))).hasSize(100);
            assertThat(plans.open().totals().orElseThrow().entries()).isEqualTo(2001);
            assertThat(plans.open().batches()).allMatch(batch -> batch.entries() <= 100);
        }
    }
}
