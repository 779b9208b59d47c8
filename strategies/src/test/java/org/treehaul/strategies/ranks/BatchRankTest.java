// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.plan.servers.OwnHost;
import org.treehaul.strategies.ranks.communicator.Broadcast;
import org.treehaul.strategies.ranks.communicator.Communicator;
import org.treehaul.strategies.ranks.communicator.RanksException;
import org.treehaul.strategies.ranks.communicator.Transport;

class BatchRankTest {

    private static final int BATCHES = 200;

    private static final BatchPlaces NOWHERE = new BatchPlaces(0, batch -> List.of(), rank -> OwnHost.named(""));

    static Stream<Distribution> distributions() {
        return Distribution.all().stream();
    }

    @ParameterizedTest
    @MethodSource("distributions")
    void everyBatchIsDoneOnceWhateverTheDistributionAndTheNumberOfRanks(Distribution distribution) {
        for (int ranks : new int[]{1, 2, 3, 8}) {
            for (int batches : new int[]{0, 1, 5, BATCHES}) {
                Queue<Integer> done = new ConcurrentLinkedQueue<>();
                Transport.threads().run(Collections.nCopies(ranks, 0), communicator -> {
                    BatchRank.Outcome<Integer> outcome = run(communicator, distribution, batches, new Cancellation(),
                            done::add);
                    assertThat(outcome.isWhole()).isTrue();
                });
                assertThat(done).as("%d ranks", ranks)
                        .containsExactlyInAnyOrderElementsOf(IntStream.range(0, batches).boxed().toList());
            }
        }
    }

    private interface Doing {
        void batch(int number) throws Exception;
    }

    private static BatchRank.Outcome<Integer> run(Communicator communicator, Distribution distribution, int batches,
            Cancellation cancellation, Doing doing) {
        try {
            return BatchRank.of(communicator, distribution)
                    .run(batches, batch -> batch % 7, batch -> List.of(), cancellation, share -> {
                        int number = 0;
                        for (OptionalInt batch = share.next(); batch.isPresent(); batch = share.next()) {
                            doing.batch(batch.getAsInt());
                            number++;
                        }
                        return number;
                    });
        } catch (ExecutionException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @MethodSource("distributions")
    void whileOneIsAtItsFirstBatchTheOthersDoTheRest(Distribution distribution) {
        CountDownLatch rest = new CountDownLatch(BATCHES - 1);
        Queue<Integer> done = new ConcurrentLinkedQueue<>();
        Transport.threads().run(Collections.nCopies(3, 0), communicator -> {
            boolean[] isSlow = {communicator.rank() == 1};
            run(communicator, distribution, BATCHES, new Cancellation(), batch -> {
                done.add(batch);
                if (isSlow[0]) {
                    isSlow[0] = false;
                    // With pct the rank has several at once, which no other rank can take, so it does them itself.
                    if (!distribution.name().equals("pct")) {
                        rest.await();
                    }
                } else {
                    rest.countDown();
                }
            });
        });
        assertThat(done).doesNotHaveDuplicates().hasSize(BATCHES);
    }

    @ParameterizedTest
    @ValueSource(strings = {"centralized", "hybrid"})
    void ranksBeginWithWhatTheirOwnHostStores(String name) {
        Distribution distribution = Distribution.all()
                .stream()
                .filter(one -> one.name().equals(name))
                .findFirst()
                .orElseThrow();
        Map<Integer, List<Integer>> done = new ConcurrentHashMap<>();
        Transport.threads().run(Collections.nCopies(4, 0), communicator -> {
            List<Integer> mine = new ArrayList<>();
            done.put(communicator.rank(), mine);
            try {
                BatchRank.of(communicator, distribution)
                        .withHosts(rank -> OwnHost.named("node" + rank))
                        .run(BATCHES, batch -> 1, batch -> List.of("node" + batch % 4), new Cancellation(), share -> {
                            for (OptionalInt batch = share.next(); batch.isPresent(); batch = share.next()) {
                                mine.add(batch.getAsInt());
                            }
                            return mine.size();
                        });
            } catch (ExecutionException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        assertThat(done.values().stream().flatMap(List::stream)).hasSize(BATCHES).doesNotHaveDuplicates();
        if (name.equals("centralized")) {
            // The first rank has all batches, and gives another one what is stored elsewhere only when nothing else is left.
            done.forEach((rank, batches) -> assertThat(batches.stream().dropWhile(batch -> batch % 4 == rank))
                    .noneMatch(batch -> batch % 4 == rank));
        }
    }

    @Test
    void aPoolGivesARankWhatItsHostStoresAndKeepsWhatItsOwnHostStores() {
        BatchPlaces places = new BatchPlaces(8, batch -> batch == 7 ? List.of() : List.of("node" + batch % 3),
                rank -> OwnHost.named("node" + rank));
        BatchPool pool = new BatchPool(8, batch -> 1, places, 0, new Cancellation());
        pool.begin();
        assertThat(numbers(pool.takeFor(1, 3, 100))).containsExactly(1, 4, 7);
        assertThat(numbers(pool.takeFor(1, 3, 8))).containsExactly(2, 5);
        assertThat(pool.weight()).isEqualTo(3);
        assertThat(pool.add(ByteBuffer.allocate(Integer.BYTES).putInt(7).array())).isEqualTo(1);
        assertThat(pool.add(ByteBuffer.allocate(Integer.BYTES).putInt(2).array())).isEqualTo(1);
        assertThat(IntStream.range(0, 5).map(i -> pool.next().orElseThrow())).containsExactly(0, 3, 6, 7, 2);
    }

    @Test
    void ranksWhoseHostsStoreNothingTakeTheBatchesInTheirOrder() {
        BatchPlaces places = new BatchPlaces(4, batch -> batch % 2 == 1 ? List.of() : List.of("node" + batch),
                rank -> OwnHost.named("client"));
        BatchPool pool = new BatchPool(4, batch -> 1, places, 0, new Cancellation());
        pool.begin();
        assertThat(numbers(pool.takeFor(1, 2, 100))).containsExactly(0, 1);
        assertThat(IntStream.range(0, 2).map(i -> pool.next().orElseThrow())).containsExactly(2, 3);
    }

    @Test
    void allRanksReceiveABroadcastAfterTheBatches() {
        for (int group = 0; group < 300; group++) {
            String text = Integer.toString(group);
            Transport.threads().run(Collections.nCopies(4, 0), communicator -> {
                run(communicator, Distribution.hybrid(), 20, new Cancellation(), batch -> {
                });
                assertThat(Broadcast.fromFirst(communicator, communicator.rank() == 0 ? text : "", new Cancellation())
                        .text()).isEqualTo(text);
            });
        }
    }

    @Test
    void ranksThatAreStoppedEndWithoutDoingAll() {
        Cancellation all = new Cancellation();
        Queue<Integer> done = new ConcurrentLinkedQueue<>();
        Transport.threads().run(Collections.nCopies(3, 0), communicator -> {
            BatchRank.Outcome<Integer> outcome = run(communicator, Distribution.hybrid(), BATCHES, all, batch -> {
                done.add(batch);
                all.cancel();
            });
            assertThat(outcome.isWhole()).isFalse();
        });
        assertThat(done).hasSizeBetween(1, 3);
    }

    @Test
    void exceptionsOfTheWorkAreThrown() {
        assertThatThrownBy(() -> Transport.threads()
                .run(Collections.nCopies(1, 0),
                        communicator -> run(communicator, Distribution.hybrid(), BATCHES, new Cancellation(), batch -> {
                            throw new IllegalArgumentException("no room");
                        })))
                .hasStackTraceContaining("no room");
    }

    @Test
    void theLargestAreGivenFirstButNoMoreThanIsAskedFor() {
        BatchPool pool = new BatchPool(6, batch -> new long[]{5, 1, 90, 0, 40, 40}[batch], NOWHERE, 0,
                new Cancellation());
        assertThat(pool.weight()).isEqualTo(177);
        assertThat(numbers(pool.takeLargest(3, 100, 1000))).containsExactly(2);
        assertThat(numbers(pool.takeLargest(2, 100, 1000))).containsExactly(4, 5);
        assertThat(pool.weight()).isEqualTo(7);
        assertThat(numbers(pool.take(9, 8))).containsExactly(0, 1);
        assertThat(pool.waiting()).isEqualTo(1);
    }

    @Test
    void batchesThatThePlanHasNotAreRefused() {
        BatchPool pool = new BatchPool(3, batch -> 1, NOWHERE, 1, new Cancellation());
        assertThatThrownBy(() -> pool.add(ByteBuffer.allocate(4).putInt(3).array())).isInstanceOf(RanksException.class)
                .hasMessageContaining("unknown batch 3 among 3");
        assertThatThrownBy(() -> pool.add(new byte[5])).isInstanceOf(RanksException.class);
    }

    private static List<Integer> numbers(byte[] units) {
        List<Integer> numbers = new ArrayList<>();
        for (ByteBuffer buffer = ByteBuffer.wrap(units); buffer.hasRemaining();) {
            numbers.add(buffer.getInt());
        }
        return numbers;
    }
}
