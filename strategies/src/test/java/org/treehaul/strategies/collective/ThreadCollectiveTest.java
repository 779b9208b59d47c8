// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.collective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.async.AsyncFile;
import org.treehaul.core.async.AsyncFiles;
import org.treehaul.core.async.IoBuffer;
import org.treehaul.core.async.OpenMode;
import org.treehaul.core.entry.ByteString;
import org.treehaul.strategies.collective.order.CollectiveRequest;
import org.treehaul.strategies.collective.order.ShuffleHint;
import org.treehaul.strategies.ranks.communicator.Communicator;
import org.treehaul.strategies.ranks.communicator.ForwardingCommunicator;
import org.treehaul.strategies.ranks.communicator.RanksException;
import org.treehaul.strategies.ranks.communicator.Transport;

class ThreadCollectiveTest extends CollectiveContract {

    @TempDir
    Path directory;

    @Override
    protected void run(int ranks, Consumer<Communicator> body) {
        Transport.threads().run(hosts(ranks), body);
    }

    @Test
    void aFileOfAFileSystemIsReadAndWritten() throws IOException {
        Path path = Files.writeString(directory.resolve("file"), "0123456789");
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            useAsAFile(CollectiveFile.of(channel));
        }
        assertThat(path).hasContent("01xy4567xy");
    }

    @Test
    void anAsynchronousFileIsReadAndWritten() throws IOException {
        Path path = Files.writeString(directory.resolve("file"), "0123456789");
        try (AsyncFiles files = AsyncFiles.open()) {
            AsyncFile file = files.openSync(ByteString.of(path.toString()), OpenMode.update());
            useAsAFile(CollectiveFile.of(file));
            file.closeSync();
        }
        assertThat(path).hasContent("01xy4567xy");
    }

    @Test
    void anAsynchronousFileIsReadIntoTheBufferOfTheAggregatorAndWrittenFromIt() throws IOException {
        List<Long> addresses = new ArrayList<>();
        AsyncFile noting = (AsyncFile) Proxy.newProxyInstance(AsyncFile.class.getClassLoader(),
                new Class<?>[]{AsyncFile.class}, (proxy, method, arguments) -> {
                    IoBuffer used = (IoBuffer) arguments[0];
                    addresses.add(used.segment().address());
                    return used.size();
                });
        ByteBuffer buffer = ByteBuffer.allocateDirect(100).position(10).limit(30);
        CollectiveFile.of(noting).read(buffer, 5);
        assertThat(buffer.position()).isEqualTo(30);
        CollectiveFile.of(noting).write(buffer.position(20), 5);
        assertThat(buffer.hasRemaining()).isFalse();
        long begin = MemorySegment.ofBuffer(buffer.clear()).address();
        assertThat(addresses).containsExactly(begin + 10, begin + 20);
    }

    /** Planes of an array that begins behind a head, as two ranks have it, in a plain file. */
    @Test
    void partsOfAnArrayInAPlainFileAreReadAndWritten() throws IOException {
        byte[] array = new byte[7 + 3 * 4 * 6 * 2];
        new Random(1).nextBytes(array);
        Path path = Files.write(directory.resolve("file"), array);
        Path copy = Files.write(directory.resolve("copy"), Arrays.copyOf(array, 7));
        try (FileChannel from = FileChannel.open(path);
                FileChannel to = FileChannel.open(copy, StandardOpenOption.WRITE)) {
            run(2, c -> {
                FileView view = FileView.subarray(7, 2, new long[]{3, 4, 6}, new long[]{3, 4, 3},
                        new long[]{0, 0, 3L * c.rank()});
                ByteBuffer part = ByteBuffer.allocate((int) view.bytes());
                try (CollectiveRanks ranks = new CollectiveRanks(c, CollectiveSettings.defaults())) {
                    ranks.read(CollectiveFile.of(from), view, part);
                    ranks.write(CollectiveFile.of(to), view, part.flip());
                } catch (CollectiveException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
        assertThat(copy).hasBinaryContent(array);
    }

    /** Fails one of the messages that a rank sends in the first access. */
    private static final class FailsToSend extends ForwardingCommunicator {
        private int left;

        FailsToSend(Communicator communicator, int nth) {
            super(communicator);
            this.left = nth;
        }

        @Override
        public void send(int to, byte[] message) {
            // After its kind, a message has the number of its access.
            if (ByteBuffer.wrap(message).getLong(1) == 1 && --left == 0) {
                throw new IllegalStateException("a message is lost");
            }
            super.send(to, message);
        }
    }

    @ParameterizedTest
    @CsvSource({"0,false", "1,false", "2,false", "0,true", "1,true", "2,true"})
    void whicheverMessageARankFailsToSendAllOthersEndWithItsName(int failing, boolean isWrite) throws IOException {
        Path path = Files.write(directory.resolve("file"), new byte[60_000]);
        AtomicBoolean hasFailed = new AtomicBoolean(true);
        int nth = 0;
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            while (hasFailed.getAndSet(false)) {
                int failsAt = ++nth;
                Map<Integer, String> told = new ConcurrentHashMap<>();
                run(3, c -> {
                    Communicator over = c.rank() == failing ? new FailsToSend(c, failsAt) : c;
                    FileView view = FileView.vector(c.rank() * 100L, 200, 100, 300);
                    ByteBuffer memory = ByteBuffer.allocate(20_000);
                    try (CollectiveRanks ranks = new CollectiveRanks(over, new CollectiveSettings(2, 16 << 10, 4096))) {
                        // A rank that has the end of the first access, or its failure, learns in the second.
                        for (int i = 0; i < 2; i++) {
                            try {
                                if (isWrite) {
                                    ranks.write(CollectiveFile.of(channel), view, memory.clear());
                                } else {
                                    ranks.read(CollectiveFile.of(channel), view, memory.clear());
                                }
                            } catch (CollectiveException e) {
                                assertThat(e).hasMessageStartingWith("rank " + failing);
                            }
                        }
                    } catch (RanksException e) {
                        told.put(c.rank(), String.valueOf(e.getMessage()));
                    } catch (IllegalStateException e) {
                        assertThat(e).hasMessage("a message is lost");
                        hasFailed.set(true);
                    }
                });
                if (hasFailed.get()) {
                    assertThat(told).as("message %s", failsAt).hasSize(2).doesNotContainKey(failing);
                    assertThat(told.values()).as("message %s", failsAt)
                            .allMatch(text -> text.startsWith("rank " + failing));
                } else {
                    assertThat(told).isEmpty();
                }
            }
        }
        // Two views, some data or their receipts, and the end.
        assertThat(nth).isGreaterThan(5);
    }

    /** The alignment may be so large that its multiples are no longs. */
    @ParameterizedTest
    @ValueSource(longs = {1, 64, 1000, 1L << 62, (1L << 62) + 1, Long.MAX_VALUE})
    void thePartsOfAggregatorsFollowOneAnotherFromTheFirstByteToTheLast(long alignment) {
        for (FileView view : List.of(FileView.contiguous(100, 1001), FileView.contiguous(Long.MAX_VALUE - 50, 50))) {
            FileDomains domains = new FileDomains(List.of(FileView.none(), view), List.of(0, 2, 3), alignment);
            assertThat(domains.from(0)).isBetween(0L, view.begin());
            assertThat(domains.from(2)).isEqualTo(domains.to(0)).isBetween(domains.from(0), view.end());
            assertThat(domains.from(3)).isEqualTo(domains.to(2)).isBetween(domains.from(2), view.end());
            assertThat(domains.to(3)).isEqualTo(view.end());
        }
    }

    @Test
    void allAccessesOfAnAggregatorUseOneBuffer() {
        run(1, c -> {
            Exchange exchange = new Exchange(c, 0, new ArrayDeque<>());
            ByteBuffer buffer = exchange.buffer(4096);
            buffer.position(7).limit(9);
            assertThat(exchange.buffer(4096)).isSameAs(buffer);
            assertThat(buffer.remaining()).isEqualTo(4096);
            for (int bytes : new int[]{4096, 5000, 1 << 20}) {
                ByteBuffer made = new Exchange(c, 0, new ArrayDeque<>()).buffer(bytes);
                assertThat(made.remaining()).isEqualTo(bytes);
                assertThat(MemorySegment.ofBuffer(made).address() % IoBuffer.ALIGNMENT).as("direct I/O").isZero();
            }
        });
    }

    /** A file whose servers order requests, and the origins of its requests by their offsets. */
    private record OrderedFile(Map<Long, CollectiveRequest> origins) implements CollectiveFile {

        @Override
        public boolean isOrdered() {
            return true;
        }

        @Override
        public void read(ByteBuffer into, long offset) {
            throw new AssertionError("a request without origin");
        }

        @Override
        public void write(ByteBuffer from, long offset) {
            throw new AssertionError("a request without origin");
        }

        @Override
        public void read(ByteBuffer into, long offset, CollectiveRequest origin) {
            into.position(into.limit());
            origins.put(offset, origin);
        }

        @Override
        public void write(ByteBuffer from, long offset, CollectiveRequest origin) {
            origins.put(offset, origin);
        }
    }

    @Test
    void aggregatorsTellServersTheirShuffleCostsInAReadAndNoneInAWrite() {
        OrderedFile file = new OrderedFile(new ConcurrentHashMap<>());
        OrderedFile written = new OrderedFile(new ConcurrentHashMap<>());
        int part = 64 << 10;
        run(4, communicator -> {
            // Rank 3 wants all bytes of the second aggregator, which is another rank; the first one keeps its own.
            FileView view = switch (communicator.rank()) {
                case 0 -> FileView.contiguous(0, part);
                case 3 -> FileView.contiguous(part, part);
                default -> FileView.none();
            };
            try (CollectiveRanks ranks = new CollectiveRanks(communicator, new CollectiveSettings(2, part, part))) {
                ranks.read(file, view, ByteBuffer.allocate(part));
                ranks.write(written, view, ByteBuffer.allocate(part));
            } catch (CollectiveException e) {
                throw new UncheckedIOException(e);
            }
        });
        assertThat(file.origins).hasSize(2);
        CollectiveRequest own = Objects.requireNonNull(file.origins.get(0L));
        CollectiveRequest sent = Objects.requireNonNull(file.origins.get((long) part));
        assertThat(sent.hint().shuffleNanos()).isPositive();
        assertThat(sent.hint().delayNanos()).isZero();
        assertThat(sent.hint().rank()).isZero();
        assertThat(own.hint()).isEqualTo(new ShuffleHint(0, sent.hint().shuffleNanos(), 1));
        assertThat(sent.application()).isEqualTo(own.application());
        assertThat(sent.access()).isEqualTo(own.access()).isPositive();
        assertThat(written.origins.values()).hasSize(2)
                .allSatisfy(origin -> assertThat(origin)
                        .isEqualTo(new CollectiveRequest(own.application(), own.access() + 1, 0, ShuffleHint.NONE)));
    }

    /** A communicator that sends to other hosts with a delay, and so many bytes in a second. */
    private static final class Far extends ForwardingCommunicator {
        private static final long DELAY = 3_000_000;
        private static final long RATE = 10_000_000;

        Far(Communicator communicator) {
            super(communicator);
        }

        @Override
        public void send(int to, byte[] message) {
            if (hostOf(to) != hostOf(rank())) {
                long end = System.nanoTime() + DELAY + message.length * 1_000_000_000L / RATE;
                for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
                    LockSupport.parkNanos(left);
                }
            }
            super.send(to, message);
        }
    }

    @Test
    void theCostsOfMessagesAreThoseWithinAHostAndBetweenHosts() {
        OrderedFile file = new OrderedFile(new ConcurrentHashMap<>());
        int part = 64 << 10;
        run(4, communicator -> {
            // Ranks 0 and 1 share a host, and ranks 2 and 3; the aggregators are ranks 0 and 2.
            FileView view = switch (communicator.rank()) {
                case 1 -> FileView.contiguous(0, part); // from rank 0, on its host
                case 0 -> FileView.contiguous(part, part); // from rank 2, on the other host
                default -> FileView.none();
            };
            try (CollectiveRanks ranks = new CollectiveRanks(new Far(communicator),
                    new CollectiveSettings(2, part, part))) {
                ranks.read(file, view, ByteBuffer.allocate(part));
            } catch (CollectiveException e) {
                throw new UncheckedIOException(e);
            }
        });
        long within = Objects.requireNonNull(file.origins.get(0L)).hint().shuffleNanos();
        long between = Objects.requireNonNull(file.origins.get((long) part)).hint().shuffleNanos();
        // A busy machine makes times longer, never shorter. A message takes the delay and its time on the link.
        assertThat(between).isGreaterThan(Far.DELAY + part * 1_000_000_000L / Far.RATE * 9 / 10);
        assertThat(within).isLessThan(between - part * 1_000_000_000L / Far.RATE / 2);
    }

    @Test
    void ranksMeasureAgainIfOneOfThemMissedTheTimesBecauseTheReadFailed() {
        OrderedFile file = new OrderedFile(new ConcurrentHashMap<>());
        CollectiveFile failing = new CollectiveFile() {
            @Override
            public boolean isOrdered() {
                return true;
            }

            @Override
            public void read(ByteBuffer into, long offset) throws IOException {
                throw new IOException("a disk failed");
            }

            @Override
            public void write(ByteBuffer from, long offset) {
                throw new AssertionError("no write");
            }
        };
        Transport.threads().run(List.of(0, 1, 1), communicator -> {
            FileView view = communicator.rank() == 0 ? FileView.contiguous(0, 10) : FileView.none();
            CollectiveSettings settings = CollectiveSettings.defaults().withAggregators(1);
            try (CollectiveRanks ranks = new CollectiveRanks(lateToRank2(communicator), settings)) {
                assertThatThrownBy(() -> ranks.read(failing, view, ByteBuffer.allocate(10)))
                        .hasMessageContaining("a disk failed");
                ranks.read(file, view, ByteBuffer.allocate(10));
            } catch (CollectiveException e) {
                throw new UncheckedIOException(e);
            }
        });
        assertThat(file.origins).containsOnlyKeys(0L);
    }

    /** Keeps the first result that rank 1 measures from rank 2 until rank 1 sends it something else. */
    private static Communicator lateToRank2(Communicator over) {
        List<byte[]> kept = new ArrayList<>();
        return (Communicator) Proxy.newProxyInstance(Communicator.class.getClassLoader(),
                new Class<?>[]{Communicator.class}, (proxy, method, arguments) -> {
                    if (over.rank() == 1 && method.getName().equals("send") && arguments[0].equals(2)) {
                        byte[] message = (byte[]) arguments[1];
                        if (Exchange.Kind.of(message[0]) == Exchange.Kind.MEASURED && kept.isEmpty()) {
                            kept.add(message);
                            return null;
                        }
                        if (kept.size() == 1) {
                            over.send(2, kept.getFirst());
                            kept.add(message);
                        }
                    }
                    try {
                        return method.invoke(over, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Test
    void aSecondGroupOverOneCommunicatorIsRefusedUntilTheFirstIsClosed() {
        run(2, communicator -> {
            try (CollectiveRanks first = new CollectiveRanks(communicator, CollectiveSettings.defaults())) {
                assertThat(first).isNotNull();
                assertThatThrownBy(() -> new CollectiveRanks(communicator, CollectiveSettings.defaults()))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("another group uses the communicator");
            }
            new CollectiveRanks(communicator, CollectiveSettings.defaults()).close();
        });
    }

    /**
     * Delivers the message with which rank 2 leaves the first group to rank 1 after the first one of the second group.
     */
    private static final class LateToLeave extends ForwardingCommunicator {
        private static final int GROUP_AT = 9;
        private final CountDownLatch secondBegun;

        LateToLeave(Communicator communicator, CountDownLatch secondBegun) {
            super(communicator);
            this.secondBegun = secondBegun;
        }

        @Override
        public void send(int to, byte[] message) {
            boolean isOfFirst = ByteBuffer.wrap(message).getInt(GROUP_AT) == 0;
            if (rank() == 2 && to == 1 && isOfFirst && Exchange.Kind.of(message[0]) == Exchange.Kind.LEFT) {
                Thread.ofPlatform().daemon().start(() -> {
                    try {
                        secondBegun.await();
                        super.send(to, message);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
            } else {
                super.send(to, message);
            }
            if (rank() == 0 && to == 1 && !isOfFirst) {
                secondBegun.countDown();
            }
        }
    }

    @Test
    void aRankCanBeginTheNextGroupWhileAnotherStillLeavesTheFirst() throws IOException {
        Path path = Files.writeString(directory.resolve("file"), "012345");
        CountDownLatch secondBegun = new CountDownLatch(1);
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            run(3, c -> {
                Communicator late = new LateToLeave(c, secondBegun);
                for (int group = 0; group < 3; group++) {
                    ByteBuffer two = ByteBuffer.allocate(2);
                    try (CollectiveRanks ranks = new CollectiveRanks(late, CollectiveSettings.defaults())) {
                        ranks.read(CollectiveFile.of(channel), FileView.contiguous(2L * c.rank(), 2), two);
                    } catch (CollectiveException e) {
                        throw new IllegalStateException(e);
                    }
                    assertThat(two.array()).containsExactly('0' + 2 * c.rank(), '1' + 2 * c.rank());
                }
            });
        }
        assertThat(secondBegun.getCount()).isZero();
    }

    private void useAsAFile(CollectiveFile file) {
        run(2, c -> {
            try (CollectiveRanks ranks = new CollectiveRanks(c, CollectiveSettings.defaults())) {
                ByteBuffer read = ByteBuffer.allocate(5);
                ranks.read(file, FileView.vector(c.rank(), 5, 1, 2), read);
                assertThat(new String(read.array(), StandardCharsets.US_ASCII))
                        .isEqualTo(c.rank() == 0 ? "02468" : "13579");
                byte[] data = {(byte) (c.rank() == 0 ? 'x' : 'y')};
                for (int offset : new int[]{2, 8}) {
                    ranks.write(file, FileView.contiguous(offset + c.rank(), 1), ByteBuffer.wrap(data));
                }
                assertThatThrownBy(() -> ranks.read(file, FileView.contiguous(9, 3), ByteBuffer.allocate(3)))
                        .hasMessageContaining("the file ends at byte 10, 2 bytes too early");
                assertThatThrownBy(() -> ranks.read(file, FileView.contiguous(0, 3), ByteBuffer.allocate(2)))
                        .hasMessage("a view of 3 bytes, and a buffer of 2");
            } catch (CollectiveException e) {
                throw new IllegalStateException(e);
            }
        });
    }
}
