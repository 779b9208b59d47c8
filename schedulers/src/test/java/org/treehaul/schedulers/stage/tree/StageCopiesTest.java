// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.treehaul.schedulers.stage.StageFixture.content;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.Campaign;
import org.treehaul.core.walk.options.Root;
import org.treehaul.schedulers.stage.LocalSegments;
import org.treehaul.schedulers.stage.LocalServers;
import org.treehaul.schedulers.stage.ParallelFile;
import org.treehaul.schedulers.stage.SegmentKey;
import org.treehaul.schedulers.stage.SegmentPart;
import org.treehaul.schedulers.stage.Segments;
import org.treehaul.schedulers.stage.SegmentsOver;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StageFixture;
import org.treehaul.schedulers.stage.StageServer;
import org.treehaul.schedulers.stage.StagedFile;
import org.treehaul.schedulers.stage.StagedState;
import org.treehaul.schedulers.stage.StripeLayout;

/** Segments with copies on several servers: what clients see when some fail, and how the copies are built again. */
class StageCopiesTest {

    private static final int STRIPE = 4096;
    private static final ByteString TOP = ByteString.empty();
    private static final ByteString PATH = ByteString.of("a/file");

    private final List<String> told = Collections.synchronizedList(new ArrayList<>());
    private final List<EntryFailure> failures = Collections.synchronizedList(new ArrayList<>());
    private StageFixture fixture;
    private Stage stage;

    @BeforeEach
    void open() throws Exception {
        fixture = new StageFixture(3);
        stage = fixture.open();
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private static StripeLayout layout(int segments, int copies) {
        return new StripeLayout(StageFixture.servers(3), segments, STRIPE, copies);
    }

    private StageReports reports() {
        return new StageReports(ByteString.of("tree"), event -> {
            if (event instanceof Event.Failed failed) {
                failures.add(failed.failure());
            } else if (event instanceof Event.Notice notice) {
                told.add(notice.text());
            }
        }, new Progress(), new Cancellation());
    }

    private byte[] make(Stage by, int size, int copies) throws StageException {
        byte[] bytes = content(size, size);
        StageFixture.make(by, PATH, layout(3, copies), bytes);
        return bytes;
    }

    private StagedFile entry() {
        return stage.catalogue().find(PATH).orElseThrow();
    }

    private static byte[] read(Stage by) throws StageException {
        return StageFixture.read(by, PATH);
    }

    private List<StageRepair.Built> repair(Stage by, boolean isDry) throws StageException {
        List<StageRepair.Built> built = new ArrayList<>();
        new StageRepair(Linux.calls(), by, 2, isDry, true).run(TOP, reports(), built::add);
        return built;
    }

    private List<StageFinding> check() throws StageException {
        List<StageFinding> findings = new ArrayList<>();
        new StageCheck(stage, 2, findings::add, false, reports()).run();
        return findings;
    }

    private Map<EntryFailure.Kind, Long> verify() throws StageException {
        StageReports reports = reports();
        new StageVerify(Linux.calls(), stage, 2).run(TOP, reports);
        return reports.failures();
    }

    private Path segment(int index, String server) {
        return fixture.server(Integer.parseInt(server.substring(1))).resolve(entry().key(index).name());
    }

    // Every copy that is not stale has the bytes of the model.
    private void assertCopies(byte[] model) throws StageException {
        StagedFile file = entry();
        assertThat(file.state()).isEqualTo(StagedState.COMMITTED);
        StripeLayout layout = file.layout();
        for (int i = 0; i < layout.segments(); i++) {
            ByteBuffer expected = ByteBuffer.allocate((int) layout.segmentSize(i, model.length));
            for (int at = i * STRIPE; at < model.length; at += layout.segments() * STRIPE) {
                expected.put(model, at, Math.min(STRIPE, model.length - at));
            }
            for (String server : file.good(i)) {
                try (Arena arena = Arena.ofConfined()) {
                    MemorySegment bytes = arena.allocate(Math.max(1, expected.capacity()));
                    assertThat(stage.segments(server).read(file.key(i), List.of(new SegmentPart(0, bytes))))
                            .isEqualTo(expected.capacity());
                    assertThat(Arrays.copyOf(bytes.toArray(ValueLayout.JAVA_BYTE), expected.capacity()))
                            .isEqualTo(expected.array());
                }
            }
        }
    }

    @Test
    void eachSegmentIsOnDifferentServersAndOneOfThemMayBeGone() throws Exception {
        byte[] bytes = make(stage, 40_000, 2);
        for (int i = 0; i < 3; i++) {
            List<String> servers = entry().layout().serversOf(i);
            assertThat(servers).hasSize(2).doesNotHaveDuplicates();
            assertThat(segment(i, servers.get(0))).hasSameBinaryContentAs(segment(i, servers.get(1)));
        }
        assertCopies(bytes);
        for (int gone = 1; gone <= 3; gone++) {
            Files.move(fixture.server(gone), fixture.path().resolve("away"));
            assertThat(read(fixture.open())).isEqualTo(bytes);
            Files.move(fixture.path().resolve("away"), fixture.server(gone));
        }
        Files.move(fixture.server(1), fixture.path().resolve("away"));
        Files.delete(segment(0, "d2"));
        assertThatThrownBy(() -> read(fixture.open())).isInstanceOf(StageException.class)
                .hasMessageContaining("job:a/file")
                .hasMessageContaining("d1 (");
    }

    @Test
    void moreCopiesThanServersAreRefused() throws Exception {
        assertThatThrownBy(() -> new StripeLayout(StageFixture.servers(2), 3, STRIPE, 3))
                .hasMessageContaining("3 copies of a segment need 3 different servers");
        assertThatThrownBy(() -> new StripeLayout(List.of("d1", "d2", "d1", "d3"), 2, STRIPE, 2))
                .hasMessageContaining("2 different servers");
        assertThatThrownBy(() -> layout(3, 4)).hasMessageContaining("1 to 3 copies");
        assertThatThrownBy(() -> new StageInOptions(List.of("d1", "d1"), 2, STRIPE, 1, false))
                .hasMessageContaining("named twice");
    }

    @Test
    void aWriteThatOneCopyMissedMarksItBeforeItReturnsAndOthersReadTheOtherCopy() throws Exception {
        byte[] bytes = make(stage, 40_000, 2);
        Stage failing = fixture
                .open(FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.PWRITE).nth(1).fails(Errno.EIO)));
        byte[] more = content(7, 100);
        ParallelFile file = failing.open(PATH, true);
        file.write(ByteBuffer.wrap(more), 0);
        // The file is not closed yet: the mark is there.
        assertThat(entry().stale()).matches("0@d[12]");
        System.arraycopy(more, 0, bytes, 0, more.length);
        assertThat(read(stage)).isEqualTo(bytes);
        file.close();
        assertThat(entry().stale()).matches("0@d[12]");
        assertCopies(bytes);
        assertThat(check()).singleElement().satisfies(finding -> {
            assertThat(finding.kind()).isEqualTo(StageFinding.Kind.STALE);
            assertThat(finding.isRepairable()).isTrue();
            assertThat(finding.isLoss()).isFalse();
        });
        assertThat(verify()).hasSize(1);
    }

    @Test
    void syncingMakesAllCopiesDurableAndOneThatCannotBeIsMarked() throws Exception {
        AtomicInteger synced = new AtomicInteger();
        ParallelFile file = fixture.open(
                FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.FSYNC).runs(call -> synced.incrementAndGet()),
                        Fault.on(Call.FSYNC).nth(1).fails(Errno.EIO)))
                .create(PATH, layout(3, 2), 0600);
        file.write(ByteBuffer.wrap(content(1, 40_000)));
        assertThat(synced).hasValue(0);
        file.sync();
        // The data, the checksums and the directory of each copy, except the one that failed at its data.
        assertThat(synced).hasValue(3 * 2 * 3 - 2);
        file.close();
        assertThat(entry().stale()).matches("[012]@d[123]");
    }

    @Test
    void aClientThatOpenedBeforeACopyWasMarkedWritesToBothAndReadsWhatAnyClientMay() throws Exception {
        byte[] bytes = make(stage, 40_000, 2);
        ParallelFile before = fixture.open().open(PATH, true);
        Stage failing = fixture
                .open(FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.PWRITE).nth(1).fails(Errno.EIO)));
        byte[] more = content(7, STRIPE);
        try (ParallelFile file = failing.open(PATH, true)) {
            file.write(ByteBuffer.wrap(more), 0);
        }
        String stale = entry().stale().substring(2);
        byte[] own = content(8, 100);
        before.write(ByteBuffer.wrap(own), 3L * STRIPE);
        before.close();
        System.arraycopy(more, 0, bytes, 0, more.length);
        System.arraycopy(own, 0, bytes, 3 * STRIPE, own.length);
        assertCopies(bytes);
        // The marked copy has the later write, too, at the place of its segment.
        assertThat(Arrays.copyOfRange(Files.readAllBytes(segment(0, stale)), STRIPE, STRIPE + own.length))
                .isEqualTo(own);
        assertThat(entry().stale()).isEqualTo("0@" + stale);
    }

    @Test
    void aFileThatIsStagedWhileOneServerIsFullHasStaleCopiesAndTheRunSaysSo() throws Exception {
        Path source = Files.createDirectory(fixture.path().resolve("source"));
        Files.write(source.resolve("file"), content(3, 30_000));
        Stage full = fixture
                .open(FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.PWRITE).nth(1).fails(Errno.ENOSPC)));
        new StageIn(Linux.calls(), full, new StageInOptions(StageFixture.servers(3), 0, STRIPE, 1, false, 2))
                .run(Root.of(source), ByteString.of("a"), reports());
        assertThat(failures).isEmpty();
        assertThat(told).singleElement().asString().contains("copies of some files could not be written", "/file (");
        assertThat(entry().stale()).matches("[012]@d[123]");
        assertThat(read(stage)).isEqualTo(content(3, 30_000));
        assertThat(repair(stage, false)).hasSize(1);
        assertCopies(content(3, 30_000));
        assertThat(unsaved()).isEmpty();
    }

    @Test
    void theLastCompleteCopyIsNeverMarked() throws Exception {
        make(stage, 10_000, 2);
        Stage first = fixture
                .open(FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.PWRITE).nth(1).fails(Errno.EIO)));
        Stage second = fixture.open(FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.PWRITE).fails(Errno.EIO)));
        ParallelFile before = second.open(PATH, true);
        try (ParallelFile file = first.open(PATH, true)) {
            file.write(ByteBuffer.wrap(content(1, 10)), 0);
        }
        assertThatThrownBy(() -> before.write(ByteBuffer.wrap(content(2, 10)), 0)).hasMessageContaining("EIO");
        // A client that knows both copies fails in the other one only: it has no complete copy left.
        String complete = entry().good(0).getFirst();
        Stage third = fixture.open(FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.OPENAT).named(entry().key(0).name()).nth(1).fails(Errno.EIO)));
        try (ParallelFile file = third.open(PATH, true)) {
            assertThatThrownBy(() -> file.write(ByteBuffer.wrap(content(2, 10)), 0)).hasMessageContaining("EIO");
        }
        assertThat(entry().good(0)).containsExactly(complete);
    }

    @Test
    void truncatingAndRenamingGoOnWithTheCopiesThatFollow() throws Exception {
        byte[] bytes = make(stage, 40_000, 2);
        Stage failing = fixture
                .open(FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.FTRUNCATE).nth(1).fails(Errno.EIO)));
        try (ParallelFile file = failing.open(PATH, true)) {
            file.truncate(9000);
            file.write(ByteBuffer.wrap(bytes, 20_000, 100), 9000);
        }
        byte[] model = Arrays.copyOf(bytes, 9100);
        System.arraycopy(bytes, 20_000, model, 9000, 100);
        assertThat(entry().stale()).matches("0@d[12]");
        assertThat(read(stage)).isEqualTo(model);
        assertCopies(model);
        Stage renaming = fixture.open(FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.RENAMEAT2).named(segment(1, "d2").getFileName().toString()).nth(1).fails(Errno.EIO)));
        renaming.rename(PATH, ByteString.of("b"));
        renaming.rename(ByteString.of("b"), PATH);
        assertThat(entry().stale()).contains("1@d");
        assertThat(read(fixture.open())).isEqualTo(model);
        assertThat(repair(stage, false)).hasSize(2);
        assertThat(entry().stale()).isEmpty();
        assertCopies(model);
    }

    @Test
    void noAcknowledgedWriteIsLostAndRepairMakesAllCopiesEqual() throws Exception {
        Campaign.each(Campaign.seed(1), Campaign.cases(6), seed -> {
            Random random = new Random(seed);
            int copies = 2 + random.nextInt(2);
            byte[] model = make(stage, 30_000 + random.nextInt(20_000), copies);
            for (int client = 0; client < 3; client++) {
                List<Fault> faults = new ArrayList<>();
                for (int i = 0; i < 3; i++) {
                    Call call = List.of(Call.PWRITE, Call.OPENAT, Call.RENAMEAT2, Call.FTRUNCATE)
                            .get(random.nextInt(4));
                    faults.add(Fault.on(call).nth(1 + random.nextInt(60)).fails(Errno.EIO));
                }
                try (Stage failing = fixture
                        .open(FaultInjectingCalls.over(Linux.calls(), faults.toArray(Fault[]::new)))) {
                    for (int i = 0; i < 8; i++) {
                        model = change(random, failing, model);
                    }
                }
                if (random.nextBoolean()) {
                    repair(stage, false);
                }
            }
            try (Stage fresh = fixture.open()) {
                assertThat(read(fresh)).isEqualTo(model);
                repair(fresh, false);
            }
            assertThat(entry().stale()).isEmpty();
            assertThat(entry().good(0)).hasSize(copies);
            assertCopies(model);
            assertThat(verify()).isEmpty();
        });
    }

    // A change that fails is repeated until it does not: then it counts.
    private static byte[] change(Random random, Stage by, byte[] before) {
        int size = random.nextInt(60_000);
        boolean isTruncation = random.nextInt(4) == 0;
        int at = random.nextInt(before.length + 1);
        byte[] bytes = content(random.nextLong(), random.nextInt(random.nextBoolean() ? 100 : 20_000));
        for (int tries = 0;; tries++) {
            try {
                ParallelFile file = by.open(PATH, true);
                if (isTruncation) {
                    file.truncate(size);
                } else {
                    file.write(ByteBuffer.wrap(bytes), at);
                }
                file.close();
                if (isTruncation) {
                    return Arrays.copyOf(before, size);
                }
                byte[] after = Arrays.copyOf(before, Math.max(before.length, at + bytes.length));
                System.arraycopy(bytes, 0, after, at, bytes.length);
                return after;
            } catch (StageException e) {
                assertThat(tries).as(e.toString()).isLessThan(20);
            }
        }
    }

    @Test
    void copiesThatAreDamagedMissingOrShortAreReadElsewhereAndBuiltAgain() throws Exception {
        Path source = Files.createDirectory(fixture.path().resolve("source"));
        Files.write(source.resolve("large"), content(1, 50_000));
        Files.write(source.resolve("small"), content(2, 50));
        new StageIn(Linux.calls(), stage, new StageInOptions(StageFixture.servers(3), 0, STRIPE, 2, false, 2))
                .run(Root.of(source), ByteString.of("a"), reports());
        StagedFile large = stage.catalogue().find(ByteString.of("a/large")).orElseThrow();
        StagedFile small = stage.catalogue().find(ByteString.of("a/small")).orElseThrow();
        assertThat(small.layout().serversOf(0)).hasSize(2);
        Path damaged = fixture.server(number(large, 0, 0)).resolve(large.key(0).name());
        byte[] bytes = Files.readAllBytes(damaged);
        Arrays.fill(bytes, 100, 200, (byte) 0x77);
        Files.write(damaged, bytes);
        Path sameAsZero = fixture.server(number(large, 1, 0)).resolve(large.key(1).name());
        Files.write(sameAsZero, Arrays.copyOf(Files.readAllBytes(sameAsZero), 4100));
        Files.delete(fixture.server(number(small, 0, 1)).resolve(small.key(0).name()));
        assertThat(verify().values().stream().mapToLong(Long::longValue).sum()).isEqualTo(3);
        Path target = fixture.path().resolve("target");
        failures.clear();
        new StageOut(Linux.calls(), stage, 2, false).run(ByteString.of("a"), ByteString.of(target), reports());
        assertThat(failures).isEmpty();
        assertThat(told)
                .anyMatch(text -> text.contains("tree/large: stripe ") && text.contains("another copy was read"));
        assertThat(target.resolve("large")).hasBinaryContent(content(1, 50_000));
        assertThat(repair(stage, true)).hasSize(3);
        assertThat(damaged).hasBinaryContent(bytes);
        assertThat(repair(stage, false)).extracting(StageRepair.Built::problem)
                .anyMatch(problem -> problem.contains("checksum differs"))
                .anyMatch(problem -> problem.contains("short"))
                .anyMatch(problem -> problem.contains("missing"));
        assertThat(verify()).isEmpty();
        assertThat(check()).isEmpty();
        assertThat(repair(stage, false)).isEmpty();
    }

    private static int number(StagedFile file, int segment, int copy) {
        return Integer.parseInt(file.layout().serversOf(segment).get(copy).substring(1));
    }

    private void damage(int segment, String server, int at) throws IOException {
        byte[] bytes = Files.readAllBytes(segment(segment, server));
        bytes[at] ^= 1;
        Files.write(segment(segment, server), bytes);
    }

    @Test
    void aSegmentOfWhichEachCopyIsDamagedIsRestoredByTheStripesOfBoth() throws Exception {
        byte[] bytes = make(stage, 70_000, 2);
        List<String> servers = entry().layout().serversOf(1);
        damage(1, servers.get(0), 10);
        damage(1, servers.get(1), STRIPE + 10);
        // Another is short.
        List<String> others = entry().layout().serversOf(0);
        damage(0, others.get(0), STRIPE + 10);
        Path end = segment(0, others.get(1));
        Files.write(end, Arrays.copyOf(Files.readAllBytes(end), 2 * STRIPE + 20));
        // And this one has a complete copy.
        Files.delete(segment(2, entry().layout().serversOf(2).get(0)));
        assertThat(verify().values().stream().mapToLong(Long::longValue).sum()).isEqualTo(5);
        failures.clear();
        assertThat(repair(stage, true)).hasSize(5);
        assertThat(read(fixture.open())).isNotEqualTo(bytes);
        assertThat(repair(stage, false)).hasSize(5);
        assertThat(failures).isEmpty();
        assertCopies(bytes);
        assertThat(entry().stale()).isEmpty();
        assertThat(verify()).isEmpty();
        assertThat(check()).isEmpty();
    }

    @Test
    void aStripeThatNoCopyHasIsReportedAndNothingElseIsTouched() throws Exception {
        make(stage, 40_000, 2);
        List<String> servers = entry().layout().serversOf(1);
        damage(1, servers.get(0), 10);
        damage(1, servers.get(0), STRIPE + 10);
        damage(1, servers.get(1), 20);
        StagedFile before = entry();
        assertThat(repair(stage, false)).isEmpty();
        assertThat(failures).hasSize(2).allMatch(failure -> failure.toString().contains("checksum differs"));
        assertThat(entry()).isEqualTo(before);
    }

    @Test
    void aRepairByStripesThatFailsOrIsKilledAnywhereLosesNoStripe() throws Exception {
        Campaign.each(Campaign.seed(1), Campaign.cases(8), seed -> {
            byte[] bytes = make(stage, 40_000, 2);
            List<String> servers = entry().layout().serversOf(1);
            damage(1, servers.get(0), 10);
            damage(1, servers.get(1), STRIPE + 10);
            failures.clear();
            Random random = new Random(seed);
            Call call = List.of(Call.PWRITE, Call.OPENAT, Call.RENAMEAT2).get(random.nextInt(3));
            boolean isKilled = random.nextBoolean();
            Fault fault = isKilled ? Fault.on(call).nth(1 + random.nextInt(12)).runs(one -> {
                throw new Killed();
            }) : Fault.on(call).nth(1 + random.nextInt(12)).fails(Errno.EIO);
            try {
                repair(fixture.open(FaultInjectingCalls.over(Linux.calls(), fault)), false);
            } catch (Killed e) {
                assertThat(isKilled).isTrue();
            }
            failures.clear();
            repair(stage, false);
            assertThat(failures).isEmpty();
            assertCopies(bytes);
            assertThat(verify()).isEmpty();
        });
    }

    // Each stripe but the first is written again in its middle, and has no checksum.
    private byte[] makeUnchecked(int size) throws StageException {
        byte[] bytes = content(size, size);
        try (ParallelFile file = stage.create(PATH, layout(1, 2), 0640)) {
            file.write(ByteBuffer.wrap(bytes, 0, STRIPE), 0);
            for (int at = STRIPE; at < size; at += STRIPE) {
                file.write(ByteBuffer.wrap(bytes, at, STRIPE), at);
                file.write(ByteBuffer.wrap(bytes, at + 100, 10), at + 100L);
            }
        }
        return bytes;
    }

    // The first copy ends after two stripes, and the other one has damage in the first.
    private byte[] makeShort() throws Exception {
        byte[] bytes = makeUnchecked(5 * STRIPE);
        List<String> servers = entry().layout().serversOf(0);
        Files.write(segment(0, servers.get(0)), Arrays.copyOf(bytes, 2 * STRIPE));
        damage(0, servers.get(1), 10);
        return bytes;
    }

    private void assertRepaired(byte[] bytes) throws Exception {
        failures.clear();
        repair(stage, false);
        assertThat(failures).isEmpty();
        assertThat(entry().stale()).isEmpty();
        assertCopies(bytes);
        assertThat(verify()).isEmpty();
        assertThat(check()).isEmpty();
    }

    @Test
    void aRepairByStripesThatIsCancelledDoesNotTakeAHoleForAStripe() throws Exception {
        byte[] bytes = makeShort();
        Cancellation cancellation = new Cancellation();
        Stage cancelled = fixture.open(FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.PWRITE).named(entry().key(0).in(2).name()).nth(1).runs(call -> cancellation.cancel())));
        new StageRepair(Linux.calls(), cancelled, 1, false, false).run(TOP,
                new StageReports(ByteString.of("tree"), event -> {}, new Progress(), cancellation), built -> {});
        assertRepaired(bytes);
    }

    @Test
    void aRepairByStripesThatIsKilledAfterItWroteALaterStripeDoesNotTakeAHoleForAnEarlierOne() throws Exception {
        byte[] bytes = makeShort();
        Stage killed = fixture.open(FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.PWRITE).named(entry().key(0).in(2).name()).nth(2).runs(call -> {
                    throw new Killed();
                })));
        assertThatThrownBy(() -> repair(killed, false)).isInstanceOf(Killed.class);
        // Another of its threads had the last stripe.
        try (var copy = Files.newByteChannel(segment(0, entry().layout().serversOf(0).get(0)),
                StandardOpenOption.WRITE)) {
            copy.position(4 * STRIPE).write(ByteBuffer.wrap(bytes, 4 * STRIPE, STRIPE));
        }
        assertRepaired(bytes);
    }

    @Test
    void aStripeWithAChecksumIsPreferredToOneThatHasLostIt() throws Exception {
        byte[] bytes = content(1, 3 * STRIPE);
        StageFixture.make(stage, PATH, layout(1, 2), bytes);
        List<String> servers = entry().layout().serversOf(0);
        Path first = segment(0, servers.get(0));
        damage(0, servers.get(0), 10);
        Files.delete(first.resolveSibling(first.getFileName() + ".sums"));
        assertRepaired(bytes);
        damage(0, servers.get(0), 10);
        Path again = segment(0, servers.get(0));
        Files.delete(again.resolveSibling(again.getFileName() + ".sums"));
        damage(0, servers.get(1), STRIPE + 10);
        assertRepaired(bytes);
    }

    @Test
    void aStripeThatADiskDoesNotReadIsWrittenAgain() throws Exception {
        byte[] bytes = content(1, 3 * STRIPE);
        StageFixture.make(stage, PATH, layout(1, 2), bytes);
        List<String> servers = entry().layout().serversOf(0);
        damage(0, servers.get(1), 10);
        AtomicBoolean isWritten = new AtomicBoolean();
        Stage failing = fixture.open(server -> {
            Segments segments = LocalSegments.open(Linux.calls(), server);
            return !server.name().equals(servers.get(0)) ? segments : new SegmentsOver() {
                @Override
                protected Segments segments() {
                    return segments;
                }

                @Override
                public long read(SegmentKey key, List<SegmentPart> parts) throws StageException {
                    if (!isWritten.get() && parts.getFirst().offset() == STRIPE) {
                        throw new StageException("segment", "read", Errno.EIO);
                    }
                    return super.read(key, parts);
                }

                @Override
                public void write(SegmentKey key, List<SegmentPart> parts) throws StageException {
                    super.write(key, parts);
                    isWritten.set(true);
                }
            };
        });
        assertThat(repair(failing, false)).hasSize(2);
        assertThat(failures).isEmpty();
        assertRepaired(bytes);
    }

    @Test
    void aSegmentOfWhichOneCopyIsMissingAndTheOthersAreDamagedIsRestored() throws Exception {
        byte[] bytes = content(1, 3 * STRIPE);
        StageFixture.make(stage, PATH, layout(1, 3), bytes);
        List<String> servers = entry().layout().serversOf(0);
        damage(0, servers.get(0), 10);
        damage(0, servers.get(1), STRIPE + 10);
        Files.delete(segment(0, servers.get(2)));
        assertThat(repair(stage, false)).extracting(StageRepair.Built::server)
                .containsExactlyInAnyOrderElementsOf(servers);
        assertRepaired(bytes);
    }

    @Test
    void aCompleteCopyThatCannotBeReachedIsNotGivenUpForTheRepairOfAnotherSegment() throws Exception {
        for (boolean isTorn : new boolean[]{true, false}) {
            byte[] bytes = content(1, 6 * STRIPE);
            StageFixture.make(stage, PATH, layout(2, 2), bytes);
            List<String> servers = entry().layout().serversOf(0);
            List<String> others = entry().layout().serversOf(1);
            String away = others.stream().filter(one -> !servers.contains(one)).findFirst().orElseThrow();
            damage(0, servers.get(0), 10);
            if (isTorn) {
                damage(0, servers.get(1), STRIPE + 10);
            }
            damage(1, others.get(1 - others.indexOf(away)), 10);
            Path directory = fixture.server(Integer.parseInt(away.substring(1)));
            Files.move(directory, fixture.path().resolve("away"));
            failures.clear();
            assertThat(repair(fixture.open(), false)).isEmpty();
            assertThat(failures).anySatisfy(failure -> assertThat(failure.toString()).contains(away + " ("));
            Files.move(fixture.path().resolve("away"), directory);
            assertRepaired(bytes);
        }
    }

    @Test
    void marksOfARepairAreMadeWithItsGeneration() throws Exception {
        make(stage, 10_000, 2);
        StagedFile before = entry();
        List<String> servers = before.layout().serversOf(0);
        assertThatThrownBy(
                () -> stage.beginRepair(before, now -> now.withStale(0, servers.get(0)).withStale(0, servers.get(1))))
                .hasMessageContaining("EIO");
        assertThat(entry()).isEqualTo(before);
        StagedFile repairing = stage.beginRepair(before, now -> now.withStale(0, servers.get(0)));
        assertThat(entry()).isEqualTo(repairing);
        assertThat(repairing.good(0)).containsExactly(servers.get(1));
        assertThat(repairing.generation()).isEqualTo(before.generation() + 1);
    }

    @Test
    void aServerThatIsTakenBackDuringItsDrainKeepsWhatWasNotMoved() throws Exception {
        byte[] bytes = content(1, 3 * STRIPE);
        StripeLayout first = new StripeLayout(List.of("d1"), 1, STRIPE, 1);
        for (String name : List.of("x", "y", "z")) {
            StageFixture.make(stage, ByteString.of(name), first, bytes);
        }
        Stage draining = fixture.open(FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.PWRITE).nth(1).runs(call -> new StageDrain(Linux.calls(), stage, 1, false).undo("d1"))));
        assertThatThrownBy(() -> new StageDrain(Linux.calls(), draining, 1, false).run("d1", reports()))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("taken back");
        assertThat(failures).isEmpty();
        for (String name : List.of("x", "y", "z")) {
            assertThat(StageFixture.read(fixture.open(), ByteString.of(name))).isEqualTo(bytes);
        }
        StageServer server = stage.catalogue().servers().getFirst();
        assertThat(server.state()).isEqualTo(StageServer.State.ACTIVE);
        assertThat(check()).isEmpty();
    }

    @Test
    void onlyAServerThatIsDrainingBecomesDrained() throws Exception {
        StageServer server = stage.catalogue().servers().getFirst();
        assertThat(stage.catalogue().change(server, StageServer.State.DRAINED)).isFalse();
        assertThat(stage.catalogue().activeServers()).contains(server.name());
        assertThat(stage.catalogue().change(server, StageServer.State.DRAINING)).isTrue();
        assertThat(stage.catalogue().change(server, StageServer.State.DRAINED)).isTrue();
    }

    private static final class Killed extends Error {
        private static final long serialVersionUID = 1L;
    }

    @Test
    void aCopyIsBuiltBesideTheOneThatItReplacesWhichStaysIfThatFails() throws Exception {
        byte[] bytes = make(stage, 40_000, 2);
        List<String> servers = entry().layout().serversOf(1);
        damage(1, servers.get(0), 10);
        Stage full = fixture.open(FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.PWRITE).nth(2).runs(call -> {
            // In the middle of the work the other copy loses what only the damaged one has then.
            damage(1, servers.get(1), 2 * STRIPE + 10);
        }), Fault.on(Call.PWRITE).nth(3).fails(Errno.ENOSPC)));
        assertThat(repair(full, false)).isEmpty();
        assertThat(failures).anyMatch(failure -> failure.errno() == Errno.ENOSPC);
        assertThat(entry().stale()).isEmpty();
        assertThat(check()).isEmpty();
        failures.clear();
        assertThat(repair(stage, false)).hasSize(2);
        assertThat(failures).isEmpty();
        assertCopies(bytes);
        assertThat(check()).isEmpty();
    }

    @Test
    void aServerThatAnswersIsGivenUpOnlyByForceAndThatCanBeTakenBack() throws Exception {
        byte[] bytes = make(stage, 40_000, 2);
        StageFixture.make(stage, ByteString.of("single"), layout(3, 1), bytes);
        StageDrain drain = new StageDrain(Linux.calls(), stage, 2, false);
        assertThatThrownBy(() -> drain.lost("d2", false, reports(), file -> {})).isInstanceOf(StageException.class)
                .hasMessageContaining("d2 (")
                .hasMessageContaining("--force");
        assertThat(stage.catalogue().activeServers()).contains("d2");
        List<String> lost = new ArrayList<>();
        drain.lost("d2", true, reports(), file -> lost.add(file.path().toString()));
        assertThat(lost).containsExactly("single");
        assertThatThrownBy(() -> StageFixture.read(fixture.open(), ByteString.of("single")))
                .hasMessageContaining("taken out as lost");
        Files.move(fixture.server(2), fixture.path().resolve("away"));
        Stage later = fixture.open();
        assertThatThrownBy(() -> new StageDrain(Linux.calls(), later, 2, false).undo("d2"))
                .hasMessageContaining("d2 (");
        assertThat(later.catalogue().activeServers()).doesNotContain("d2");
        Files.move(fixture.path().resolve("away"), fixture.server(2));
        new StageDrain(Linux.calls(), later, 2, false).undo("d2");
        assertThat(later.catalogue().activeServers()).contains("d2");
        assertThat(StageFixture.read(later, ByteString.of("single"))).isEqualTo(bytes);
        assertThat(entry().stale()).isNotEmpty();
        assertThat(repair(later, false)).isNotEmpty();
        assertCopies(bytes);
        assertThat(check()).isEmpty();
    }

    @Test
    void aFileThatIsOpenedToWriteDuringItsRepairEndsTheRepair() throws Exception {
        byte[] bytes = make(stage, 40_000, 2);
        Stage failing = fixture
                .open(FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.PWRITE).nth(1).fails(Errno.EIO)));
        try (ParallelFile file = failing.open(PATH, true)) {
            file.write(ByteBuffer.wrap(bytes, 0, 10), 0);
        }
        ParallelFile late = stage.open(PATH, true);
        byte[] more = content(9, 500);
        Stage repairing = fixture
                .open(FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.PWRITE).nth(1).runs(call -> {
                    // Reading goes on, a client from before cannot write any more, a new one can.
                    assertThat(read(stage)).isEqualTo(bytes);
                    assertThatThrownBy(() -> late.write(ByteBuffer.wrap(more), 0)).hasMessageContaining("ESTALE");
                    try (ParallelFile file = stage.open(PATH, true)) {
                        file.write(ByteBuffer.wrap(more), 0);
                    }
                })));
        assertThat(repair(repairing, false)).isEmpty();
        assertThat(failures).singleElement()
                .satisfies(failure -> assertThat(failure.operation()).contains("opened to write"));
        System.arraycopy(more, 0, bytes, 0, more.length);
        assertThat(read(fixture.open())).isEqualTo(bytes);
        assertThat(repair(stage, false)).hasSize(1);
        assertCopies(bytes);
        assertThat(check()).isEmpty();
    }

    @Test
    void aRepairThatWasKilledLeavesAFileThatCanBeReadWrittenAndRepaired() throws Exception {
        byte[] bytes = make(stage, 40_000, 2);
        Files.delete(segment(1, "d3"));
        Stage killed = fixture.open(FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.PWRITE).nth(1).runs(call -> {
            throw new Killed();
        })));
        assertThatThrownBy(() -> repair(killed, false)).isInstanceOf(Killed.class);
        assertThat(entry().state()).isEqualTo(StagedState.REPAIRING);
        assertThat(read(fixture.open())).isEqualTo(bytes);
        assertThat(check()).extracting(StageFinding::kind).containsOnly(StageFinding.Kind.STALE);
        assertThat(repair(stage, false)).hasSize(1);
        assertCopies(bytes);
        assertThat(entry().stale()).isEmpty();
    }

    @Test
    void aRepairThatEndsWhileAProgramOpensTheFileToWriteIsNoFailure() throws Exception {
        byte[] bytes = make(stage, 10_000, 2);
        StagedFile repairing = stage.beginRepair(entry());
        Stage opening = fixture.open(FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.RENAMEAT2)
                        .nth(1)
                        .runs(call -> assertThat(stage.endRepair(repairing, repairing)).isTrue())));
        try (ParallelFile file = opening.open(PATH, true)) {
            file.write(ByteBuffer.wrap(content(5, 10)), 0);
        }
        System.arraycopy(content(5, 10), 0, bytes, 0, 10);
        assertCopies(bytes);
    }

    @Test
    void aRepairThatHasOnlyBegunIsNoLoss() throws Exception {
        byte[] bytes = make(stage, 10_000, 1);
        Stage killed = fixture.open(FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.RENAMEAT2).fails(Errno.EIO)));
        assertThatThrownBy(() -> killed.beginRepair(entry())).hasMessageContaining("EIO");
        assertThat(entry().state()).isEqualTo(StagedState.REPAIRING);
        assertThat(check()).isEmpty();
        assertThat(read(stage)).isEqualTo(bytes);
        assertThat(check()).isEmpty();
    }

    @Test
    void aCopyIsNotMarkedIfItsServerCannotBeReachedToBuildIt() throws Exception {
        byte[] bytes = make(stage, 40_000, 2);
        Files.delete(segment(0, "d2"));
        Files.move(fixture.server(3), fixture.path().resolve("away"));
        for (boolean isDry : new boolean[]{true, false}) {
            failures.clear();
            assertThat(repair(fixture.open(), isDry)).isEmpty();
            assertThat(failures).singleElement().asString().contains("d3 (", "ENOENT");
            assertThat(entry().stale()).isEmpty();
        }
        Files.move(fixture.path().resolve("away"), fixture.server(3));
        assertThat(repair(stage, false)).extracting(StageRepair.Built::server).containsExactly("d2");
        assertCopies(bytes);
    }

    @Test
    void aRepairOfAFileWithALostSegmentLeavesTheOthersReadable() throws Exception {
        byte[] bytes = make(stage, 12_000, 2);
        for (String server : entry().good(1)) {
            Files.delete(segment(1, server));
        }
        Files.delete(segment(0, "d1"));
        assertThat(repair(stage, false)).isEmpty();
        assertThat(failures).isNotEmpty();
        try (ParallelFile file = stage.open(PATH, false)) {
            ByteBuffer into = ByteBuffer.allocate(STRIPE);
            file.read(into, 0);
            assertThat(into.array()).isEqualTo(Arrays.copyOf(bytes, STRIPE));
        }
    }

    @Test
    void aServerIsNotDrainedOfFilesWithASegmentThatCannotBeReached() throws Exception {
        byte[] bytes = make(stage, 40_000, 1);
        long generation = entry().generation();
        Files.move(fixture.server(3), fixture.path().resolve("away"));
        assertThat(new StageDrain(Linux.calls(), fixture.open(), 2, false).run("d1", reports())).isFalse();
        assertThat(failures).singleElement().asString().contains("d3 (", "ENOENT");
        assertThat(entry().generation()).isEqualTo(generation);
        Files.move(fixture.path().resolve("away"), fixture.server(3));
        assertCopies(bytes);
    }

    @Test
    void aWriteDuringTheComparisonIsNoDifference() throws Exception {
        for (boolean hasChecksum : new boolean[]{true, false}) {
            try (ParallelFile file = stage.create(PATH, layout(1, 2), 0640)) {
                file.write(ByteBuffer.wrap(content(1, 2000)), hasChecksum ? 0 : 1000);
                file.write(ByteBuffer.wrap(content(2, 1000)), hasChecksum ? 2000 : 0);
            }
            // The data of the second copy.
            Stage comparing = fixture.open(FaultInjectingCalls.over(Linux.calls(),
                    Fault.on(Call.PREAD).named(entry().key(0).name()).nth(2).runs(call -> {
                        try (ParallelFile file = stage.open(PATH, true)) {
                            file.write(ByteBuffer.wrap(content(3, 10)), 0);
                        }
                    })));
            new StageVerify(Linux.calls(), comparing, 2).run(TOP, reports());
            assertThat(failures).isEmpty();
            assertThat(verify()).isEmpty();
        }
    }

    @Test
    void aServerIsDrainedWhileFilesAreThereAndTakesNothingNew() throws Exception {
        byte[] bytes = make(stage, 40_000, 1);
        try (ParallelFile file = stage.create(ByteString.of("two"), layout(2, 1), 0600)) {
            file.write(ByteBuffer.wrap(bytes));
        }
        Path disk = Files.createDirectory(fixture.path().resolve("disk4"));
        LocalServers.add(Linux.calls(), stage.catalogue(), List.of(ByteString.of(disk)));
        ParallelFile unfinished = stage.create(ByteString.of("new"), layout(3, 1), 0600);
        StageDrain drain = new StageDrain(Linux.calls(), stage, 2, true);
        assertThat(drain.run("d3", reports())).isFalse();
        assertThat(failures).singleElement()
                .satisfies(failure -> assertThat(failure.toString()).contains("new", "being made", "EBUSY"));
        assertThat(entry().servers()).doesNotContain("d3");
        assertThatThrownBy(() -> stage.create(ByteString.of("x"), layout(3, 1), 0600)).hasMessageContaining("draining");
        unfinished.close();
        failures.clear();
        assertThat(drain.run("d3", reports())).isTrue();
        assertThat(failures).isEmpty();
        assertThat(stage.catalogue().servers()).filteredOn(server -> server.name().equals("d3"))
                .extracting(StageServer::state)
                .containsExactly(StageServer.State.DRAINED);
        assertThat(fixture.server(3).toFile().list()).containsExactly("treehaul-stage");
        Files.move(fixture.server(3), fixture.path().resolve("away"));
        Stage later = fixture.open();
        assertThat(read(later)).isEqualTo(bytes);
        assertThat(later.catalogue().activeServers()).containsExactly("d1", "d2", "d4");
        assertThat(verify()).isEmpty();
    }

    @Test
    void aDrainMovesTheCopyOfItsServerAndNotTheShortOneOfAnother() throws Exception {
        byte[] bytes = make(stage, 40_000, 2);
        // As a crash leaves it that comes before the data are on disk.
        Files.write(segment(0, "d1"), new byte[0]);
        Files.delete(segment(0, "d1").resolveSibling(entry().key(0).name() + ".sums"));
        assertThat(new StageDrain(Linux.calls(), stage, 2, false).run("d2", reports())).isTrue();
        assertThat(repair(stage, false)).extracting(StageRepair.Built::segment, StageRepair.Built::server)
                .containsExactly(tuple(0, "d1"));
        assertThat(failures).isEmpty();
        assertCopies(bytes);
    }

    @Test
    void aSegmentThatIsShortIsNotDrained() throws Exception {
        make(stage, 40_000, 1);
        Files.write(segment(1, "d2"), Arrays.copyOf(Files.readAllBytes(segment(1, "d2")), 5000));
        Files.delete(segment(1, "d2").resolveSibling(entry().key(1).name() + ".sums"));
        assertThat(new StageDrain(Linux.calls(), stage, 2, false).run("d2", reports())).isFalse();
        assertThat(failures).singleElement().asString().contains("segment 1 on server d2: the data end at byte 5000");
    }

    @Test
    void aServerThatIsLostIsTakenOutAndItsCopiesAreBuiltOnAnother() throws Exception {
        byte[] bytes = make(stage, 40_000, 3);
        try (ParallelFile file = stage.create(ByteString.of("single"), layout(3, 1), 0600)) {
            file.write(ByteBuffer.wrap(bytes));
        }
        Files.move(fixture.server(2), fixture.path().resolve("away"));
        Stage later = fixture.open();
        List<String> lost = new ArrayList<>();
        new StageDrain(Linux.calls(), later, 2, false).lost("d2", false, reports(),
                file -> lost.add(file.path().toString()));
        assertThat(lost).containsExactly("single");
        assertThat(entry().stale()).isNotEmpty();
        assertThat(read(later)).isEqualTo(bytes);
        // Each of the two other servers has a copy already.
        assertThat(repair(later, false)).isEmpty();
        assertThat(failures).anyMatch(failure -> failure.errno() == Errno.ENOSPC);
        Path disk = Files.createDirectory(fixture.path().resolve("disk4"));
        LocalServers.add(Linux.calls(), stage.catalogue(), List.of(ByteString.of(disk)));
        failures.clear();
        assertThat(repair(fixture.open(), false)).extracting(StageRepair.Built::target).containsOnly("d4");
        assertThat(failures).extracting(failure -> failure.path().toString()).containsOnly("single");
        assertThat(entry().servers()).doesNotContain("d2");
        assertCopies(bytes);
        failures.clear();
        new StageRemove(fixture.open(), 3).run(ByteString.of("single"), false, reports());
        assertThat(failures).isEmpty();
    }

    @Test
    void aFileOfWhichEachCopyIsOnALostServerIsLost() throws Exception {
        ParallelFile file = stage.create(PATH, layout(1, 2), 0640);
        StageDrain drain = new StageDrain(Linux.calls(), stage, 2, false);
        List<String> lost = new ArrayList<>();
        drain.lost("d1", true, reports(), one -> lost.add(one.path().toString()));
        // Its maker does not know it.
        file.write(ByteBuffer.wrap(content(1, 10)));
        file.close();
        assertThat(lost).isEmpty();
        drain.lost("d2", true, reports(), one -> lost.add(one.path().toString()));
        assertThat(lost).containsExactly("a/file");
    }

    @Test
    void copyingOutAndStagingInSaveWhatProgramsChange() throws Exception {
        Path source = Files.createDirectory(fixture.path().resolve("source"));
        Files.write(source.resolve("file"), content(1, 5000));
        new StageIn(Linux.calls(), stage, new StageInOptions(StageFixture.servers(3), 0, STRIPE, 2, false))
                .run(Root.of(source), ByteString.of("a"), reports());
        assertThat(unsaved()).isEmpty();
        try (ParallelFile file = stage.open(PATH, true)) {
            file.write(ByteBuffer.wrap(content(2, 10)), 0);
        }
        try (ParallelFile file = stage.create(ByteString.of("a/new"), layout(2, 1), 0600)) {
            file.write(ByteBuffer.wrap(content(3, 10)), 0);
        }
        assertThat(unsaved()).containsExactly("a/file", "a/new");
        new StageOut(Linux.calls(), stage, 2, false).run(ByteString.of("a"),
                ByteString.of(fixture.path().resolve("target")), reports());
        assertThat(failures).isEmpty();
        assertThat(unsaved()).isEmpty();
        stage.rename(PATH, ByteString.of("a/other"));
        try (ParallelFile file = stage.open(ByteString.of("a/new"), true)) {
            file.truncate(3);
        }
        assertThat(unsaved()).containsExactly("a/new", "a/other");
    }

    private List<String> unsaved() throws IOException {
        try (var all = stage.catalogue().unsaved(TOP)) {
            return all.map(entry -> entry.path().toString()).toList();
        }
    }
}
