// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.collective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.treehaul.strategies.ranks.communicator.Communicator;
import org.treehaul.strategies.ranks.communicator.ForwardingCommunicator;
import org.treehaul.strategies.ranks.communicator.RanksException;
import org.treehaul.strategies.ranks.communicator.Received;

/** The contract of collective reads and writes, over any transport. Each rank runs on its own thread. */
public abstract class CollectiveContract {

    private static final CollectiveSettings SMALL = CollectiveSettings.defaults().withBuffer(4096).withAlignment(512);

    /** Runs a function in each of the ranks; ranks 2i and 2i+1 share a host. */
    protected abstract void run(int ranks, Consumer<Communicator> body);

    protected static List<Integer> hosts(int ranks) {
        List<Integer> hosts = new ArrayList<>();
        for (int i = 0; i < ranks; i++) {
            hosts.add(i / 2);
        }
        return hosts;
    }

    /** A file in memory, that many ranks use at the same time. */
    private static class Memory implements CollectiveFile {
        final byte[] bytes;
        final AtomicInteger reads = new AtomicInteger();
        final AtomicInteger writes = new AtomicInteger();

        Memory(byte[] bytes) {
            this.bytes = bytes;
        }

        static Memory random(int size, long seed) {
            byte[] bytes = new byte[size];
            new Random(seed).nextBytes(bytes);
            return new Memory(bytes);
        }

        @Override
        public void read(ByteBuffer into, long offset) throws IOException {
            reads.incrementAndGet();
            if (offset + into.remaining() > bytes.length) {
                throw new EOFException("the file ends at byte " + bytes.length);
            }
            into.put(bytes, (int) offset, into.remaining());
        }

        @Override
        public void write(ByteBuffer from, long offset) throws IOException {
            writes.incrementAndGet();
            from.get(bytes, (int) offset, from.remaining());
        }
    }

    private static byte[] expected(byte[] file, FileView view) {
        byte[] expected = new byte[(int) view.bytes()];
        view.ranges(0, view.bytes(),
                (from, length, memory) -> System.arraycopy(file, (int) from, expected, (int) memory, (int) length));
        return expected;
    }

    private static byte[] read(CollectiveRanks ranks, CollectiveFile file, FileView view) throws CollectiveException {
        ByteBuffer into = ByteBuffer.allocate((int) view.bytes() + 7).position(3);
        ranks.read(file, view, into);
        assertThat(into.position()).isEqualTo(3 + view.bytes());
        return Arrays.copyOfRange(into.array(), 3, into.position());
    }

    /** Runs calls that a failed access may end. */
    private interface Calls {
        void make(CollectiveRanks ranks, int rank) throws CollectiveException;
    }

    private void collectively(int ranks, CollectiveSettings settings, Calls calls) {
        run(ranks, c -> {
            try (CollectiveRanks collective = new CollectiveRanks(c, settings)) {
                calls.make(collective, c.rank());
            } catch (CollectiveException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    // Rank r has every n-th block, so that the blocks of all ranks cover the file.
    private static FileView interleaved(int rank, int ranks, int block, int blocks) {
        return FileView.vector((long) rank * block, blocks, block, (long) ranks * block);
    }

    @Test
    void interleavedRangesAreReadByFewLargeRequests() {
        int ranks = 4;
        Memory file = Memory.random(ranks * 100 * 300, 1);
        collectively(ranks, CollectiveSettings.defaults(), (collective, rank) -> {
            FileView view = interleaved(rank, ranks, 100, 300);
            assertThat(read(collective, file, view)).isEqualTo(expected(file.bytes, view));
        });
        // Two hosts, an aggregator on each; 120,000 bytes meet at a multiple of 64 KiB.
        assertThat(file.reads).hasValue(2);
    }

    @Test
    void interleavedRangesAreWrittenByFewLargeRequests() {
        int ranks = 4;
        byte[] data = Memory.random(ranks * 100 * 300, 2).bytes;
        Memory file = new Memory(new byte[data.length]);
        collectively(ranks, CollectiveSettings.defaults(),
                (collective, rank) -> collective.write(file, interleaved(rank, ranks, 100, 300),
                        ByteBuffer.wrap(expected(data, interleaved(rank, ranks, 100, 300)))));
        assertThat(file.bytes).isEqualTo(data);
        assertThat(file.writes).hasValue(2);
    }

    @Test
    void planesOfAnArrayAreReadAndWritten() {
        long[] whole = {6, 20, 30};
        Memory file = Memory.random(100 + 8 * 6 * 20 * 30, 3);
        Memory copy = new Memory(new byte[file.bytes.length]);
        collectively(3, SMALL, (collective, rank) -> {
            // Rank r has the columns 10r to 10r+9 of each plane.
            FileView view = FileView.subarray(100, 8, whole, new long[]{6, 20, 10}, new long[]{0, 0, 10L * rank});
            byte[] plane = read(collective, file, view);
            assertThat(plane).isEqualTo(expected(file.bytes, view));
            collective.write(copy, view, ByteBuffer.wrap(plane));
        });
        Arrays.fill(file.bytes, 0, 100, (byte) 0);
        assertThat(copy.bytes).isEqualTo(file.bytes);
    }

    /** Random views, numbers of aggregators and buffers; each rank repeats the accesses. */
    @Test
    void anyViewsAreReadAndWritten() {
        for (int seed = 0; seed < cases(); seed++) {
            Random random = new Random(seed);
            int ranks = 1 + random.nextInt(5);
            List<FileView> views = new ArrayList<>();
            int size = 0;
            for (int rank = 0; rank < ranks; rank++) {
                views.add(view(random));
                size = Math.max(size, (int) views.get(rank).end());
            }
            Memory file = Memory.random(size, seed);
            CollectiveSettings settings = SMALL.withAggregators(random.nextInt(ranks + 2))
                    .withAlignment(1 + random.nextInt(3000));
            collectively(ranks, settings, (collective, rank) -> {
                FileView view = views.get(rank);
                for (int i = 0; i < 3; i++) {
                    assertThat(read(collective, file, view)).isEqualTo(expected(file.bytes, view));
                }
            });
            byte[] before = Memory.random(size, seed + 1000).bytes;
            Memory written = new Memory(before.clone());
            collectively(ranks, settings, (collective, rank) -> {
                for (int i = 0; i < 2; i++) {
                    collective.write(written, views.get(rank), ByteBuffer.wrap(expected(file.bytes, views.get(rank))));
                }
            });
            for (FileView view : views) {
                view.ranges(0, view.bytes(), (from, length, memory) -> System.arraycopy(file.bytes, (int) from, before,
                        (int) from, (int) length));
            }
            assertThat(written.bytes).as("seed " + seed).isEqualTo(before);
        }
    }

    /** The number of random cases. */
    protected int cases() {
        return 40;
    }

    private static FileView view(Random random) {
        int length = random.nextInt(300);
        return switch (random.nextInt(4)) {
            case 0 -> FileView.none();
            case 1 -> FileView.contiguous(random.nextInt(20_000), random.nextInt(30_000));
            case 2 -> FileView.vector(random.nextInt(5000), random.nextInt(60), length, length + random.nextInt(500));
            default -> FileView.subarray(random.nextInt(5000), 1 + random.nextInt(16), new long[]{9, 10, 11},
                    new long[]{random.nextInt(8), 3, 5}, new long[]{2, 4, 6});
        };
    }

    @Test
    void onlyTheBytesOfViewsAreWritten() {
        byte[] before = Memory.random(10_000, 5).bytes;
        Memory file = new Memory(before.clone());
        collectively(2, SMALL, (collective, rank) -> collective.write(file, FileView.vector(rank * 50L, 100, 10, 100),
                ByteBuffer.allocate(1000)));
        for (int rank = 0; rank < 2; rank++) {
            FileView.vector(rank * 50L, 100, 10, 100)
                    .ranges(0, 1000,
                            (from, length, memory) -> Arrays.fill(before, (int) from, (int) (from + length), (byte) 0));
        }
        assertThat(file.bytes).isEqualTo(before);
        assertThat(file.reads).hasValue(0);
    }

    @Test
    void aFailureIsThrownByEveryRankWithItsNameAndTheRanksContinue() {
        Memory good = Memory.random(50_000, 6);
        Memory bad = new Memory(good.bytes) {
            @Override
            public void read(ByteBuffer into, long offset) throws IOException {
                if (offset > 30_000) {
                    throw new IOException("read at " + offset + ": Input/output error (EIO)");
                }
                super.read(into, offset);
            }

            @Override
            public void write(ByteBuffer from, long offset) throws IOException {
                throw new IOException("No space left on device (ENOSPC)");
            }
        };
        Map<Integer, String> messages = Collections.synchronizedMap(new TreeMap<>());
        collectively(4, SMALL, (collective, rank) -> {
            FileView view = interleaved(rank, 4, 125, 100);
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(() -> read(collective, bad, view)).isInstanceOf(CollectiveException.class)
                        .hasMessageMatching("rank 2.*: read at .*EIO.*");
                assertThat(read(collective, good, view)).isEqualTo(expected(good.bytes, view));
                assertThatThrownBy(() -> collective.write(bad, view, ByteBuffer.allocate(12_500)))
                        .satisfies(e -> messages.merge(rank, e.getMessage(), (one, other) -> other));
            }
        });
        assertThat(messages).hasSize(4);
        assertThat(messages.values()).allMatch(message -> message.matches("rank [02].*: No space left .*ENOSPC.*"));
        assertThat(messages.values().stream().distinct()).hasSize(1);
    }

    /** A file of which one request fails. */
    private static final class FailsOnce extends Memory {
        private final AtomicInteger left = new AtomicInteger(Integer.MAX_VALUE);

        FailsOnce(byte[] bytes) {
            super(bytes);
        }

        void failAt(int request) {
            left.set(request);
        }

        private void count(long offset) throws IOException {
            if (left.decrementAndGet() == 0) {
                throw new IOException("at " + offset + ": Input/output error (EIO)");
            }
        }

        @Override
        public void read(ByteBuffer into, long offset) throws IOException {
            count(offset);
            super.read(into, offset);
        }

        @Override
        public void write(ByteBuffer from, long offset) throws IOException {
            count(offset);
            super.write(from, offset);
        }
    }

    @Test
    void whicheverRequestOfAnAccessFailsAllRanksHaveTheSameFailureAndTheNextAccessSucceeds() {
        FailsOnce file = new FailsOnce(Memory.random(40_000, 11).bytes);
        // Two aggregators with buffers of 4 KiB for 20,000 bytes each.
        List<Integer> requests = cases() > 10 ? IntStream.rangeClosed(1, 10).boxed().toList() : List.of(1, 10);
        Map<String, List<String>> messages = new ConcurrentHashMap<>();
        collectively(4, SMALL, (collective, rank) -> {
            FileView view = interleaved(rank, 4, 100, 100);
            byte[] own = expected(file.bytes, view);
            for (int nth : requests) {
                for (boolean isWrite : new boolean[]{false, true}) {
                    // No rank begins with the file before rank 0 makes the call, too.
                    if (rank == 0) {
                        file.failAt(nth);
                    }
                    assertThatThrownBy(() -> {
                        if (isWrite) {
                            collective.write(file, view, ByteBuffer.wrap(own));
                        } else {
                            read(collective, file, view);
                        }
                    }).isInstanceOf(CollectiveException.class)
                            .satisfies(e -> messages
                                    .computeIfAbsent((isWrite ? "write " : "read ") + nth,
                                            access -> Collections.synchronizedList(new ArrayList<>()))
                                    .add(e.getMessage()));
                    assertThat(read(collective, file, view)).isEqualTo(own);
                    collective.write(file, view, ByteBuffer.wrap(own));
                }
            }
        });
        assertThat(messages).hasSize(2 * requests.size());
        assertThat(messages.values()).allSatisfy(ofAll -> assertThat(ofAll).hasSize(4)
                .containsOnly(ofAll.getFirst())
                .allMatch(text -> text.matches("rank [02].* at [0-9]+: .*EIO.*")));
        assertThat(file.bytes).isEqualTo(Memory.random(40_000, 11).bytes);
    }

    @Test
    void aFileThatEndsTooEarlyFailsTheRead() {
        Memory file = Memory.random(9999, 7);
        collectively(2, SMALL, (collective,
                rank) -> assertThatThrownBy(() -> read(collective, file, FileView.contiguous(5000L * rank, 5000)))
                        .isInstanceOf(CollectiveException.class)
                        .hasMessageContaining("the file ends at byte 9999"));
    }

    @Test
    void ranksThatMakeDifferentCallsFail() {
        Memory file = Memory.random(9999, 8);
        collectively(3, SMALL, (collective, rank) -> {
            FileView view = FileView.contiguous(3000L * rank, 3000);
            assertThatThrownBy(() -> {
                if (rank == 1) {
                    collective.write(file, view, ByteBuffer.allocate(3000));
                } else {
                    read(collective, file, view);
                }
            }).hasMessageMatching("rank 1.* writes in collective access 1, in which rank 0.* reads");
        });
        assertThat(file.bytes).isEqualTo(Memory.random(9999, 8).bytes);
    }

    @Test
    void aRankThatDiesInTheShuffleEndsAllOthersWithItsName() {
        Memory file = new Memory(new byte[400_000]) {
            @Override
            public void read(ByteBuffer into, long offset) throws IOException {
                if (offset > 300_000) {
                    throw new IllegalStateException("dies");
                }
                super.read(into, offset);
            }
        };
        Map<Integer, String> messages = Collections.synchronizedMap(new TreeMap<>());
        assertThatThrownBy(() -> collectively(4, SMALL, (collective, rank) -> {
            try {
                read(collective, file, interleaved(rank, 4, 100, 1000));
            } catch (CollectiveException | RanksException e) {
                messages.put(rank, e.getMessage());
            }
        })).isInstanceOf(IllegalStateException.class).hasMessage("dies");
        assertThat(messages).containsOnlyKeys(0, 1, 3);
        assertThat(messages.values()).allMatch(message -> message.startsWith("rank 2"));
    }

    @Test
    void aRankThatLeavesEndsAllOthersWithItsName() {
        Memory file = Memory.random(4000, 9);
        Map<Integer, String> messages = Collections.synchronizedMap(new TreeMap<>());
        collectively(4, SMALL, (collective, rank) -> {
            FileView view = interleaved(rank, 4, 100, 10);
            read(collective, file, view);
            if (rank != 3) {
                assertThatThrownBy(() -> read(collective, file, view)).isInstanceOf(RanksException.class)
                        .satisfies(e -> messages.put(rank, e.getMessage()));
            }
        });
        assertThat(messages).hasSize(3);
        assertThat(messages.values())
                .allMatch(message -> message.matches("rank 3.* left before .* collective access 2"));
    }

    /** Counts the messages of data that are on their way from one rank. */
    private static final class Counting extends ForwardingCommunicator {
        private int onTheirWay;
        private int most;

        Counting(Communicator communicator) {
            super(communicator);
        }

        @Override
        public void send(int to, byte[] message) {
            super.send(to, message);
            if (message.length > 1000) {
                onTheirWay++;
                most = Math.max(most, onTheirWay);
            }
        }

        @Override
        public Optional<Received> poll(Duration longest) {
            Optional<Received> received = super.poll(longest);
            if (received.isPresent() && Exchange.Kind.of(received.get().bytes()[0]) == Exchange.Kind.TAKEN) {
                onTheirWay--;
            }
            return received;
        }
    }

    @Test
    void aRankHasAtMost32MessagesOfDataOnTheirWay() {
        Memory file = Memory.random(8_000_000, 10);
        AtomicInteger most = new AtomicInteger();
        run(3, c -> {
            Counting counting = new Counting(c);
            try (CollectiveRanks ranks = new CollectiveRanks(counting,
                    CollectiveSettings.defaults().withAggregators(1))) {
                FileView view = c.rank() == 0 ? FileView.none() : FileView.contiguous(0, file.bytes.length);
                assertThat(read(ranks, file, view)).isEqualTo(expected(file.bytes, view));
                ranks.write(file, view, ByteBuffer.wrap(expected(file.bytes, view)));
            } catch (CollectiveException e) {
                throw new UncheckedIOException(e);
            }
            most.accumulateAndGet(counting.most, Math::max);
        });
        assertThat(most.get()).isBetween(2, 32);
    }
}
