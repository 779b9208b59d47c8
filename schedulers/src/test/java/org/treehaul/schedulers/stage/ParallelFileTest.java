// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.Campaign;

/** Files in segments, beside an array of bytes; and what several clients see of each other. */
class ParallelFileTest {

    private static final ByteString PATH = ByteString.of("a/b");

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

    private static StripeLayout layout(int segments, long stripe) {
        return new StripeLayout(StageFixture.servers(3), segments, stripe);
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static String read(ParallelFile file, long offset, int length) throws StageException {
        ByteBuffer into = ByteBuffer.allocate(length);
        int n = file.read(into, offset);
        assertThat(into.position()).isEqualTo(Math.max(0, n));
        return n + " " + new String(into.array(), 0, Math.max(0, n), StandardCharsets.US_ASCII).replace('\0', '.');
    }

    private void make(String content) throws StageException {
        try (ParallelFile file = stage.create(PATH, layout(2, 4), 0640)) {
            file.write(bytes(content));
        }
    }

    @Test
    void aThreadThatIsInterruptedClosesAStageWhenAllItsOperationsHaveEnded() throws Exception {
        make("0123456789");
        CompletableFuture<Boolean> gate = new CompletableFuture<>();
        Stage slow = fixture.open(server -> watched(LocalServers.opener(Linux.calls()).open(server), call -> {
            if (call.equals("read")) {
                assertThat(gate.join()).isTrue();
            }
        }));
        ParallelFile file = slow.open(PATH, false);
        List<CompletableFuture<Integer>> reads = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            reads.add(file.readAsync(ByteBuffer.allocate(10), 0));
        }
        Thread closer = Thread.ofPlatform().start(() -> {
            Thread.currentThread().interrupt();
            slow.close();
        });
        Awaitility.await().until(() -> closer.getState() == Thread.State.TIMED_WAITING);
        gate.complete(true);
        closer.join();
        assertThat(reads).allMatch(read -> read.isDone() && read.join() == 10);
    }

    @Test
    void theLastCompleteCopyOfANewFileIsNotMarked() throws Exception {
        StagedFile intent = stage.intent(PATH, new StripeLayout(StageFixture.servers(2), 1, 10, 2), 0640);
        StageException failure = new StageException("x", "write", Errno.EIO);
        StagedFile marked = stage.missed(intent, 0, 2, Map.of("d1", failure));
        assertThat(marked.good(0)).containsExactly("d2");
        // Another thread began its write when both copies were complete.
        assertThatThrownBy(() -> stage.missed(marked, 0, 2, Map.of("d2", failure)))
                .hasMessageContaining("no other copy of segment 0 is complete");
    }

    @Test
    void aNewFileIsMadeWithoutAskingItsServersForSizes() throws Exception {
        List<String> exchanges = Collections.synchronizedList(new ArrayList<>());
        SegmentsOpener local = LocalServers.opener(Linux.calls());
        Stage counted = fixture.open(server -> recorded(local.open(server), exchanges));
        try (ParallelFile file = counted.create(PATH, layout(1, 1 << 20), 0640)) {
            file.write(bytes("small"));
        }
        assertThat(exchanges).containsExactly("create", "write", "writeSums");
        exchanges.clear();
        try (ParallelFile file = counted.create(PATH, layout(3, 4), 0640)) {
            // The segments of the holes grow.
            file.write(bytes("in the third stripe").limit(4), 8);
            assertThat(file.size()).isEqualTo(12);
        }
        assertThat(exchanges).filteredOn(call -> !call.equals("remove"))
                .containsExactlyInAnyOrder("create", "create", "create", "write", "writeSums", "grow", "grow");
        exchanges.clear();
        assertThat(counted.catalogue().find(PATH).orElseThrow().size()).isEqualTo(12);
        try (ParallelFile file = counted.open(PATH, true)) {
            // Another client may have made it longer.
            assertThat(file.size()).isEqualTo(12);
        }
        assertThat(exchanges).contains("size");
    }

    @Test
    void theSizeOfANewFileIsThatOfItsServersAfterAWriteThatFailed() throws Exception {
        List<String> exchanges = Collections.synchronizedList(new ArrayList<>());
        SegmentsOpener local = LocalServers
                .opener(FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.PWRITE).nth(1).fails(Errno.EIO)));
        Stage counted = fixture.open(server -> recorded(local.open(server), exchanges));
        try (ParallelFile file = counted.create(PATH, layout(1, 1 << 20), 0640)) {
            assertThatThrownBy(() -> file.write(bytes("lost"), 100)).isInstanceOf(StageException.class);
            file.write(bytes("kept"));
            assertThat(file.size()).isEqualTo(4);
        }
        assertThat(exchanges).contains("size");
    }

    // A server answers when all three are asked.
    @Test
    void allServersAreAskedAtTheSameTime() throws Exception {
        CyclicBarrier all = new CyclicBarrier(3);
        SegmentsOpener local = LocalServers.opener(Linux.calls());
        Stage together = fixture.open(server -> watched(local.open(server), call -> {
            if (Set.of("create", "grow", "size", "sync").contains(call)) {
                all.await(1, TimeUnit.MINUTES);
            }
        }));
        try (ParallelFile file = together.create(PATH, layout(3, 4), 0640)) {
            file.write(bytes("12 characters"));
            file.sync();
        }
        try (ParallelFile file = together.open(PATH, true)) {
            assertThat(file.size()).isEqualTo(13);
        }
        assertThat(all.isBroken()).isFalse();
    }

    @Test
    void aFileOneOfWhoseSegmentsCannotBeMadeLeavesNothing() throws Exception {
        SegmentsOpener local = LocalServers.opener(Linux.calls());
        Stage failing = fixture.open(server -> watched(local.open(server), call -> {
            if (call.equals("create") && server.name().equals("d2")) {
                throw new StageException("d2", "create", Errno.ENOSPC);
            }
        }));
        assertThatThrownBy(() -> failing.create(PATH, layout(3, 4), 0640)).isInstanceOfSatisfying(StageException.class,
                e -> assertThat(e.errno()).isEqualTo(Errno.ENOSPC));
        List<StoredSegment> left = Collections.synchronizedList(new ArrayList<>());
        for (String server : StageFixture.servers(3)) {
            failing.segments(server).list(left::add);
        }
        assertThat(left).isEmpty();
        assertThat(failing.catalogue().find(PATH)).isEmpty();
    }

    @Test
    void aSegmentThatWasMadeWithoutAnAnswerIsNotLeft() throws Exception {
        Stage failing = fixture.open(server -> {
            Segments local = LocalServers.opener(Linux.calls()).open(server);
            return new SegmentsOver() {
                @Override
                protected Segments segments() {
                    return local;
                }

                @Override
                public void create(SegmentKey key) throws StageException {
                    super.create(key);
                    if (server.name().equals("d2")) {
                        throw new StageException("d2", "create: it closed the connection", 0);
                    }
                }
            };
        });
        assertThatThrownBy(() -> failing.create(PATH, layout(3, 4), 0640))
                .hasMessageContaining("closed the connection");
        List<StoredSegment> left = new ArrayList<>();
        fixture.open().segments("d2").list(left::add);
        assertThat(left).isEmpty();
    }

    /** Acts before a call, which it gets by its name. */
    private interface Before {
        void call(String name) throws Exception;
    }

    // Records the names of the calls, which are exchanges with a server on another host.
    private static Segments recorded(Segments segments, List<String> calls) {
        return watched(segments, calls::add);
    }

    private static Segments watched(Segments segments, Before before) {
        return (Segments) Proxy.newProxyInstance(Segments.class.getClassLoader(), new Class<?>[]{Segments.class},
                (proxy, method, arguments) -> {
                    if (!Set.of("close", "server").contains(method.getName())) {
                        before.call(method.getName());
                    }
                    try {
                        return method.invoke(segments, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static void assertStale(ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOfSatisfying(StageException.class, e -> {
            assertThat(e.errno()).isEqualTo(Errno.ESTALE);
            assertThat(e).hasMessageContaining("job:a/b");
        });
    }

    @Test
    void anyMixOfRequestsReadsAndWritesLikeAnArrayAndNoChecksumIsWrong() throws Exception {
        Campaign.each(Campaign.seed(1), Campaign.cases(25), seed -> {
            Random random = new Random(seed);
            StripeLayout layout = layout(1 + random.nextInt(5), 1L << random.nextInt(3, 13));
            ByteString path = ByteString.of("file" + seed);
            byte[] model = new byte[0];
            ParallelFile file = stage.create(path, layout, 0600);
            for (int i = 0; i < 60; i++) {
                if (random.nextInt(12) == 0) {
                    file.close();
                    assertThat(stage.catalogue().find(path).orElseThrow().size()).isEqualTo(model.length);
                    assertSums(path, model);
                    file = stage.open(path, true);
                }
                model = request(random, file, model);
                assertThat(file.size()).isEqualTo(model.length);
            }
            file.close();
            assertSums(path, model);
        });
    }

    private static ByteBuffer buffer(Random random, byte[] content) {
        return random.nextBoolean()
                ? ByteBuffer.wrap(content.clone())
                : ByteBuffer.allocateDirect(content.length).put(content).flip();
    }

    private static byte[] request(Random random, ParallelFile file, byte[] before) throws StageException {
        byte[] model = before;
        int most = 40_000;
        List<SegmentRange> ranges = new ArrayList<>();
        int sum = 0;
        int at = random.nextInt(3) == 0 ? model.length : random.nextInt(most);
        for (int n = random.nextInt(4); n >= 0; n--) {
            int length = random.nextInt(random.nextBoolean() ? 20 : most / 4);
            ranges.add(new SegmentRange(at, length));
            sum += length;
            at += length + random.nextInt(500);
        }
        switch (random.nextInt(9)) {
            case 0 -> {
                int size = random.nextInt(most);
                file.truncate(size);
                return Arrays.copyOf(model, size);
            }
            case 1, 2, 3, 4 -> {
                byte[] content = new byte[sum];
                random.nextBytes(content);
                file.write(ranges, buffer(random, content));
                int done = 0;
                for (SegmentRange range : ranges) {
                    if (range.length() > 0) {
                        model = Arrays.copyOf(model, Math.max(model.length, (int) range.end()));
                        System.arraycopy(content, done, model, (int) range.offset(), (int) range.length());
                        done += (int) range.length();
                    }
                }
            }
            default -> {
                byte[] content = new byte[sum];
                Arrays.fill(content, (byte) 'x');
                ByteBuffer into = buffer(random, content);
                long count = file.read(ranges, into);
                into.flip().get(content);
                int done = 0;
                long inFile = 0;
                for (SegmentRange range : ranges) {
                    byte[] expected = Arrays.copyOfRange(
                            Arrays.copyOf(model, Math.max(model.length, (int) range.end())), (int) range.offset(),
                            (int) range.end());
                    assertThat(Arrays.copyOfRange(content, done, done + (int) range.length())).isEqualTo(expected);
                    done += (int) range.length();
                    inFile += Math.clamp(model.length - range.offset(), 0, range.length());
                }
                assertThat(count).isEqualTo(inFile);
            }
        }
        return model;
    }

    // Every checksum that there is must be that of the bytes.
    private void assertSums(ByteString path, byte[] model) throws StageException {
        try (ParallelFile file = stage.open(path, false)) {
            StripeLayout layout = file.layout();
            for (int at = 0; at < model.length; at += (int) layout.stripe()) {
                long[] sum = new long[1];
                file.readSums(layout.segmentOf(at), layout.offsetInSegment(at) / layout.stripe(), sum);
                int covered = StripeSum.length(sum[0]);
                assertThat(at + covered).isLessThanOrEqualTo(model.length);
                assertThat(sum[0]).isEqualTo(StripeSum.of(ByteBuffer.wrap(model, at, covered)));
            }
        }
    }

    @Test
    void aFileThatIsWrittenFromItsBeginningOnHasAllChecksums() throws Exception {
        byte[] content = new byte[100_000];
        new Random(1).nextBytes(content);
        try (ParallelFile file = stage.create(PATH, layout(3, 4096), 0600)) {
            for (int at = 0; at < content.length; at += 777) {
                file.write(ByteBuffer.wrap(content, at, Math.min(777, content.length - at)));
            }
            assertThat(file.position()).isEqualTo(content.length);
        }
        try (ParallelFile file = stage.open(PATH, false)) {
            for (int i = 0; i < 3; i++) {
                long size = file.layout().segmentSize(i, content.length);
                long[] sums = new long[(int) ((size + 4095) / 4096)];
                file.readSums(i, 0, sums);
                assertThat(Arrays.stream(sums).map(StripeSum::length).sum()).isEqualTo(size);
            }
        }
        assertSums(PATH, content);
    }

    @Test
    void aNewFileHasItsPathWhenItIsClosedAndNotBefore() throws Exception {
        Stage other = fixture.open();
        ParallelFile file = stage.create(PATH, layout(2, 4), 0640);
        file.write(bytes("0123456789"), 3);
        assertThatThrownBy(() -> other.open(PATH, false)).isInstanceOfSatisfying(StageException.class,
                e -> assertThat(e.errno()).isEqualTo(Errno.ENOENT));
        file.close();
        file.close();
        try (ParallelFile opened = other.open(PATH, false)) {
            assertThat(read(opened, 0, 20)).isEqualTo("13 ...0123456789");
            assertThat(read(opened, 13, 20)).isEqualTo("-1 ");
            assertThat(opened.layout()).isEqualTo(layout(2, 4));
        }
        assertThat(other.catalogue().find(PATH).orElseThrow().mode()).isEqualTo(0640);
    }

    @Test
    void aFileThatIsMadeAnewReplacesTheOtherWhichIsStaleForThoseWhoHaveItOpen() throws Exception {
        make("old");
        ParallelFile before = fixture.open().open(PATH, true);
        make("new one");
        assertStale(() -> before.write(bytes("late")));
        assertStale(() -> read(before, 0, 3));
        try (ParallelFile now = stage.open(PATH, false)) {
            assertThat(read(now, 0, 9)).isEqualTo("7 new one");
        }
        List<StoredSegment> all = new ArrayList<>();
        for (String server : StageFixture.servers(3)) {
            stage.segments(server).list(all::add);
        }
        assertThat(all).hasSize(2);
    }

    @Test
    void aFileThatIsAbandonedLeavesNothing() throws Exception {
        ParallelFile file = stage.create(PATH, layout(3, 4), 0640);
        file.write(bytes("0123456789"));
        file.abandon();
        assertThat(stage.catalogue().find(PATH)).isEmpty();
        for (String server : StageFixture.servers(3)) {
            stage.segments(server).list(segment -> assertThat(segment).isNull());
        }
    }

    @Test
    void aLateWriteAfterTruncatingOrRenamingIsRefused() throws Exception {
        make("0123456789");
        ParallelFile late = fixture.open().open(PATH, true);
        try (ParallelFile file = stage.open(PATH, true)) {
            file.truncate(5);
            assertStale(() -> late.write(bytes("late"), 7));
            file.write(bytes("xy"), 8);
        }
        ParallelFile later = fixture.open().open(PATH, true);
        assertThat(read(later, 0, 20)).isEqualTo("10 01234...xy");
        stage.rename(PATH, ByteString.of("c"));
        assertStale(() -> later.write(bytes("late"), 0));
        assertStale(later::close);
        try (ParallelFile file = stage.open(ByteString.of("c"), false)) {
            assertThat(read(file, 0, 20)).isEqualTo("10 01234...xy");
        }
    }

    @Test
    void aTruncationThatWasKilledHalfwayIsCompletedByTheNextThatOpensTheFile() throws Exception {
        make("0123456789abcdef");
        Stage failing = fixture
                .open(FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.RENAMEAT2).from(3).fails(Errno.EIO)));
        ParallelFile file = failing.open(PATH, true);
        assertThatThrownBy(() -> file.truncate(6)).isInstanceOf(StageException.class);
        assertThat(stage.catalogue().find(PATH).orElseThrow().state()).isEqualTo(StagedState.TRUNCATING);
        try (ParallelFile opened = stage.open(PATH, false)) {
            assertThat(read(opened, 0, 20)).isEqualTo("6 012345");
        }
        assertThat(stage.catalogue().find(PATH).orElseThrow().state()).isEqualTo(StagedState.COMMITTED);
    }

    @Test
    void aClientThatCompletesATruncationLateCutsNothingOff() throws Exception {
        make("0123456789abcdef");
        Stage failing = fixture
                .open(FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.FTRUNCATE).nth(2).fails(Errno.EIO)));
        ParallelFile file = failing.open(PATH, true);
        assertThatThrownBy(() -> file.truncate(6)).isInstanceOf(StageException.class);
        // Another client completes it and writes to the file while this one is between two calls.
        String changing = stage.catalogue().find(PATH).orElseThrow().key(1).name();
        Stage late = fixture
                .open(FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.STATX).named(changing).nth(2).runs(call -> {
                    try (ParallelFile other = stage.open(PATH, true)) {
                        other.write(bytes("x".repeat(30)));
                    }
                })));
        try (ParallelFile opened = late.open(PATH, false)) {
            assertThat(read(opened, 0, 40)).isEqualTo("30 " + "x".repeat(30));
        }
    }

    @Test
    void noChecksumIsWrongAfterAWriteThatFailedHalfway() throws Exception {
        Stage failing = fixture
                .open(FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.PWRITE).nth(3).fails(Errno.EIO)));
        byte[] model = "0123456789".getBytes(StandardCharsets.US_ASCII);
        try (ParallelFile file = failing.create(PATH, layout(1, 100), 0600)) {
            file.write(ByteBuffer.wrap(model));
            assertThatThrownBy(() -> file.write(List.of(new SegmentRange(2, 1), new SegmentRange(5, 1)), bytes("xy")))
                    .hasMessageContaining("EIO");
            file.write(bytes("ab"), 10);
        }
        model = "01x3456789ab".getBytes(StandardCharsets.US_ASCII);
        assertSums(PATH, model);
    }

    @Test
    void noChecksumIsWrongIfOthersAreSentDuringAWrite() throws Exception {
        List<ParallelFile> opened = new ArrayList<>();
        Stage syncing = fixture.open(FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.PWRITE).nth(2).runs(call -> opened.getFirst().sync())));
        try (ParallelFile file = syncing.create(PATH, layout(1, 100), 0600)) {
            opened.add(file);
            file.write(bytes("0123456789"));
            file.write(bytes("x"), 2);
        }
        assertSums(PATH, "01x3456789".getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void anOperationAfterTheStageWasClosedFails() throws Exception {
        make("0123456789");
        Stage other = fixture.open();
        ParallelFile file = other.open(PATH, false);
        other.close();
        assertThatThrownBy(() -> file.readAsync(ByteBuffer.allocate(1), 0).get(10, TimeUnit.MINUTES))
                .hasCauseInstanceOf(StageException.class)
                .hasMessageContaining("closed");
        assertThatThrownBy(() -> file.read(ByteBuffer.allocate(100_000), 0)).hasMessageContaining("closed");
    }

    @Test
    void theSegmentedViewReadsAndWritesItsOwnSegment() throws Exception {
        make("aaaabbbbccccdd");
        try (ParallelFile file = stage.open(PATH, true)) {
            SegmentView first = file.segment(0);
            assertThat(first.server()).isEqualTo("d1");
            assertThat(first.size()).isEqualTo(8);
            ByteBuffer into = ByteBuffer.allocate(20);
            assertThat(first.read(into)).isEqualTo(8);
            assertThat(new String(into.array(), 0, 8, StandardCharsets.US_ASCII)).isEqualTo("aaaacccc");
            assertThat(first.read(into)).isEqualTo(-1);
            SegmentView second = file.segment(1);
            second.position(2);
            assertThat(second.write(bytes("XYZ"))).isEqualTo(3);
            assertThat(second.position()).isEqualTo(5);
        }
        try (ParallelFile file = stage.open(PATH, false)) {
            assertThat(read(file, 0, 20)).isEqualTo("14 aaaabbXYccccZd");
        }
        assertSums(PATH, "aaaabbXYccccZd".getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void severalClientsWriteDisjointPartsOfOneFile() throws Exception {
        make("");
        byte[] model = new byte[64 * 1024];
        new Random(5).nextBytes(model);
        List<CompletableFuture<Integer>> writes = new ArrayList<>();
        List<ParallelFile> files = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            files.add(fixture.open().open(PATH, true));
        }
        for (int at = 0; at < model.length; at += 1000) {
            writes.add(files.get(at / 1000 % 4)
                    .writeAsync(ByteBuffer.wrap(model, at, Math.min(1000, model.length - at)).slice(), at));
        }
        CompletableFuture.allOf(writes.toArray(CompletableFuture[]::new)).get(10, TimeUnit.MINUTES);
        for (ParallelFile file : files) {
            file.closeAsync().get(10, TimeUnit.MINUTES);
        }
        try (ParallelFile file = stage.open(PATH, false)) {
            ByteBuffer into = ByteBuffer.allocate(model.length + 1);
            assertThat(file.readAsync(into, 0).get(10, TimeUnit.MINUTES)).isEqualTo(model.length);
            assertThat(Arrays.copyOf(into.array(), model.length)).isEqualTo(model);
        }
        assertSums(PATH, model);
    }

    @Test
    void entriesAreRenamedAndRemovedWithoutWaiting() throws Exception {
        make("x");
        stage.renameAsync(PATH, ByteString.of("c")).get(10, TimeUnit.MINUTES);
        assertThatThrownBy(() -> stage.renameAsync(PATH, ByteString.of("d")).get(10, TimeUnit.MINUTES))
                .hasCauseInstanceOf(StageException.class);
        stage.removeAsync(ByteString.of("c")).get(10, TimeUnit.MINUTES);
        assertThat(stage.catalogue().find(ByteString.of("c"))).isEmpty();
    }

    @Test
    void aFailedServerIsNamedWithTheFileAndTheOthersAreWaitedFor() throws Exception {
        make("x".repeat(100));
        Stage failing = fixture
                .open(FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.PWRITE).fails(Errno.ENOSPC)));
        try (ParallelFile file = failing.open(PATH, false)) {
            assertThatThrownBy(() -> file.write(bytes("y"))).hasMessageContaining("opened to be read");
        }
        ParallelFile file = failing.open(PATH, true);
        assertThatThrownBy(() -> file.write(ByteBuffer.allocateDirect(64 * 1024), 0))
                .isInstanceOfSatisfying(StageException.class, e -> {
                    assertThat(e.errno()).isEqualTo(Errno.ENOSPC);
                    assertThat(e).hasMessageContaining("job:a/b").hasMessageContaining("d1 (");
                });
    }

    @Test
    void wrongUseIsRefused() throws Exception {
        make("abc");
        assertThatThrownBy(() -> stage.create(ByteString.of("a/b/c"), layout(1, 4), 0600).close())
                .hasMessageContaining("ENOTDIR");
        assertThatThrownBy(() -> stage.create(ByteString.of("/x"), layout(1, 4), 0600))
                .isInstanceOf(StageException.class);
        assertThatThrownBy(() -> stage.create(ByteString.of("x"), new StripeLayout(List.of("d9"), 1, 4), 0600))
                .hasMessageContaining("no such server");
        ParallelFile file = stage.open(PATH, true);
        assertThatIllegalArgumentException().isThrownBy(() -> file.position(-1));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> file.read(List.of(new SegmentRange(0, 3)), ByteBuffer.allocate(4)));
        assertThatIllegalArgumentException().isThrownBy(() -> file.truncate(-1));
        file.close();
        assertThatThrownBy(() -> file.read(ByteBuffer.allocate(1))).hasMessageContaining("closed");
        assertThatThrownBy(() -> StagedPath.of(ByteString.of("a/../b"))).hasMessageContaining("'..'");
        assertThat(StagedPath.of(ByteString.of("//a/./b//"))).isEqualTo(PATH);
    }
}
