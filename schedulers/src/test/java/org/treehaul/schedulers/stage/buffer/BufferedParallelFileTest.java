// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.buffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.schedulers.stage.ParallelFile;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StageFixture;
import org.treehaul.schedulers.stage.StripeLayout;

/** A parallel file with buffers behaves as one without, and needs fewer requests. */
class BufferedParallelFileTest {

    private static final ByteString PATH = ByteString.of("f");

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

    private static ParallelFile made(Stage by) throws StageException {
        return by.create(PATH, new StripeLayout(StageFixture.servers(3), 3, 4096), 0600);
    }

    private static byte[] bytes(int length, int seed) {
        return StageFixture.content(seed, length);
    }

    private static ByteBuffer data(int length, int seed) {
        return ByteBuffer.wrap(bytes(length, seed));
    }

    private static byte[] whole(Stage by) throws StageException {
        return StageFixture.read(by, PATH);
    }

    private static void fill(BufferedParallelFile file, ByteBuffer into) throws StageException {
        int count = 0;
        while (into.hasRemaining() && count >= 0) {
            count = file.read(into);
        }
    }

    @Test
    void aFileThatWasAbandonedAfterAFailureIsClosed() throws Exception {
        Stage failing = fixture
                .open(FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.PWRITE).from(1).fails(Errno.ENOSPC)));
        try (BufferedParallelFile file = new BufferedParallelFile(made(failing), new Buffers(0, 8192))) {
            file.write(data(100, 1));
            assertThatThrownBy(file::sync).isInstanceOf(StageException.class);
            file.abandon();
        }
        assertThat(stage.catalogue().find(PATH)).isEmpty();
    }

    @Test
    void anOffsetThatNoFileHasIsRefusedAndTheFileStaysGood() throws Exception {
        try (BufferedParallelFile file = new BufferedParallelFile(made(stage), new Buffers(0, 8192))) {
            file.write(data(100, 1));
            for (long offset : new long[]{-1, Long.MAX_VALUE - 10}) {
                assertThatThrownBy(() -> file.write(data(100, 2), offset))
                        .isInstanceOf(IndexOutOfBoundsException.class);
            }
        }
        assertThat(whole(stage)).isEqualTo(bytes(100, 1));
    }

    @ParameterizedTest
    @CsvSource({"1, 16384, 16384", "2, 8192, 0", "3, 0, 30000", "4, 6, 7", "5, 100000, 4096", "6, 1000, 1000"})
    void everySequenceOfOperationsHasTheResultOfAFileWithoutBuffers(int seed, int ahead, int behind) throws Exception {
        byte[] model = new byte[60_000];
        int size = 0;
        Random random = new Random(seed);
        BufferedParallelFile file = new BufferedParallelFile(made(stage), new Buffers(ahead, behind));
        int next = 0;
        for (int step = 0; step < 300; step++) {
            int length = 1 + random.nextInt(step % 50 == 0 ? 20_000 : 700);
            // Most follow the one before.
            int at = random.nextInt(4) == 0 ? random.nextInt(30_000) : next;
            at = Math.min(at, model.length - length);
            next = at + length;
            switch (random.nextInt(12)) {
                case 0 -> {
                    size = random.nextInt(30_000);
                    Arrays.fill(model, size, model.length, (byte) 0);
                    file.truncate(size);
                }
                case 1 -> assertThat(file.size()).isEqualTo(size);
                case 2, 3, 4, 5, 6 -> {
                    ByteBuffer some = data(length, step);
                    System.arraycopy(bytes(length, step), 0, model, at, length);
                    size = Math.max(size, at + length);
                    assertThat(file.write(some, at)).isEqualTo(length);
                    assertThat(some.hasRemaining()).isFalse();
                }
                default -> {
                    ByteBuffer into = ByteBuffer.allocate(length);
                    file.position(at);
                    fill(file, into);
                    int expected = Math.clamp(size - at, 0, length);
                    assertThat(into.position()).isEqualTo(expected);
                    assertThat(Arrays.copyOf(into.array(), expected))
                            .isEqualTo(Arrays.copyOfRange(model, at, at + expected));
                }
            }
        }
        file.close();
        assertThat(whole(fixture.open())).isEqualTo(Arrays.copyOf(model, size));
    }

    @Test
    void aClientThatOpensTheFileLaterSeesEverythingAndChecksumsAreKept() throws Exception {
        BufferedParallelFile file = new BufferedParallelFile(made(stage), new Buffers(0, 3000));
        ByteBuffer all = data(20_000, 1);
        for (int i = 0; i < 20_000; i += 100) {
            file.write(all.slice(i, 100));
        }
        file.close();
        Stage other = fixture.open();
        assertThat(whole(other)).isEqualTo(bytes(20_000, 1));
        try (ParallelFile opened = other.open(PATH, false)) {
            long[] sums = new long[1];
            opened.readSums(1, 0, sums);
            assertThat(sums[0]).isNotZero();
        }
    }

    @Test
    void smallRequestsBecomeFewLargeOnes() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        Stage counted = fixture.open(FaultInjectingCalls.over(Linux.calls(),
                Fault.on(Call.PREAD, Call.PWRITE).from(1).runs(call -> calls.incrementAndGet())));
        ByteBuffer all = data(64 * 1024, 1);
        BufferedParallelFile file = new BufferedParallelFile(made(counted), new Buffers(32 * 1024, 32 * 1024));
        for (int i = 0; i < all.limit(); i += 128) {
            file.write(all.slice(i, 128));
        }
        file.close();
        // Sixteen stripes, and the checksums.
        assertThat(calls.getAndSet(0)).isLessThan(60);
        try (BufferedParallelFile back = BufferedParallelFile.open(counted, PATH, false, new Buffers(32 * 1024, 0))) {
            ByteBuffer into = ByteBuffer.allocate(128);
            for (int i = 0; i < all.limit(); i += 128) {
                assertThat(back.read(into.clear())).isEqualTo(128);
                assertThat(into.array()).isEqualTo(Arrays.copyOfRange(bytes(64 * 1024, 1), i, i + 128));
            }
            assertThat(back.read(into.clear())).isEqualTo(-1);
        }
        assertThat(calls.get()).isLessThan(60);
    }

    @ParameterizedTest
    @ValueSource(strings = {"write", "sync", "size", "truncate", "close"})
    void aWriteThatFailsLaterFailsTheNextOperationAndTheFileGetsNoPath(String operation) throws Exception {
        Stage full = fixture
                .open(FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.PWRITE).from(1).fails(Errno.ENOSPC)));
        BufferedParallelFile file = new BufferedParallelFile(made(full), new Buffers(0, 4000));
        file.write(data(1900, 1));
        assertThatThrownBy(() -> {
            switch (operation) {
                case "write" -> {
                    file.write(data(1900, 2));
                    file.write(data(1900, 2));
                }
                case "sync" -> file.sync();
                case "size" -> file.size();
                case "truncate" -> file.truncate(7);
                default -> file.close();
            }
        }).isInstanceOfSatisfying(StageException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOSPC))
                .hasMessageContainingAll("job:f", "of an earlier write");
        assertThatThrownBy(() -> file.read(ByteBuffer.allocate(1), 0)).hasMessageContaining("ENOSPC");
        assertThatThrownBy(file::close).hasMessageContaining("ENOSPC");
        file.abandon();
        assertThat(stage.catalogue().find(PATH)).isEmpty();
        assertThatThrownBy(() -> file.write(data(1, 1))).hasMessageContaining("EBADF");
    }

    @Test
    void aReadAheadThatFailsFailsOnlyTheReadOfItsBytes() throws Exception {
        try (ParallelFile file = made(stage)) {
            file.write(data(40_000, 1), 0);
        }
        AtomicInteger reads = new AtomicInteger();
        Stage failing = fixture
                .open(FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.PREAD).from(8).fails(Errno.EIO)));
        try (BufferedParallelFile file = BufferedParallelFile.open(failing, PATH, false, new Buffers(8192, 0))) {
            ByteBuffer into = ByteBuffer.allocate(100);
            assertThatThrownBy(() -> {
                while (file.read(into.clear()) > 0) {
                    reads.incrementAndGet();
                    int end = (int) file.position();
                    assertThat(Arrays.copyOf(into.array(), into.position()))
                            .isEqualTo(Arrays.copyOfRange(bytes(40_000, 1), end - into.position(), end));
                }
            }).hasMessageContainingAll("job:f", "EIO");
        }
        assertThat(reads.get()).isPositive();
    }

    @Test
    void severalThreadsWriteRangesOfTheirOwn() throws Exception {
        BufferedParallelFile file = new BufferedParallelFile(made(stage), new Buffers(4096, 4096));
        try (ExecutorService pool = Executors.newFixedThreadPool(4)) {
            List<Future<Object>> done = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                int own = i;
                done.add(pool.submit(() -> {
                    for (int j = own; j < 200; j += 4) {
                        file.write(data(100, j), j * 100L);
                        ByteBuffer back = ByteBuffer.allocate(100);
                        file.read(back, j * 100L);
                        assertThat(back.array()).isEqualTo(bytes(100, j));
                    }
                    return own;
                }));
            }
            for (Future<Object> one : done) {
                one.get();
            }
        }
        file.close();
        byte[] all = whole(stage);
        for (int j = 0; j < 200; j++) {
            assertThat(Arrays.copyOfRange(all, j * 100, j * 100 + 100)).isEqualTo(bytes(100, j));
        }
    }

    @Test
    void aFileThatIsReadOnlyOrClosedIsNotWritten() throws Exception {
        made(stage).close();
        BufferedParallelFile file = BufferedParallelFile.open(stage, PATH, false, Buffers.usual());
        assertThatThrownBy(() -> file.write(data(1, 1))).hasMessageContaining("opened to be read");
        file.close();
        assertThatThrownBy(() -> file.read(ByteBuffer.allocate(1))).hasMessageContaining("was closed");
    }

    @Test
    void sizesOfBuffersAreChecked() {
        assertThat(Buffers.ofStripes(new StripeLayout(List.of("d1"), 1, 4096), 3)).isEqualTo(new Buffers(12288, 12288));
        assertThatThrownBy(() -> new Buffers(1, 0)).hasMessageContaining("0 or 2 to");
        assertThatThrownBy(() -> Buffers.ofStripes(new StripeLayout(List.of("d1"), 1, 1 << 30), 2))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
