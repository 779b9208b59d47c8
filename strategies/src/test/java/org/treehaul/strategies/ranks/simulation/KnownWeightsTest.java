// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.treehaul.strategies.ranks.Distribution;
import org.treehaul.strategies.ranks.Group;

/** Units of known weight, like batches, as pct distributes them (Nuss, 2.2.1, 2.2.4). */
class KnownWeightsTest {

    private static final long NANOS_OF_ONE = 100_000;

    /** A unit that a rank began; the list has them in order. */
    private record Begun(int rank, long weight) {}

    private final List<Begun> begun = new ArrayList<>();

    static List<Distribution> distributions() {
        return Distribution.all();
    }

    /** A pool whose units are their weights and lead to no others. */
    private final class Weights implements SimulatedPool {
        private final int rank;
        private final List<Long> waiting;
        private long permits = Long.MAX_VALUE / 2;
        private boolean busy;

        Weights(int rank, List<Long> weights) {
            this.rank = rank;
            this.waiting = new ArrayList<>(rank == 0 ? weights : List.of());
        }

        @Override
        public long begin(int thread) {
            if (waiting.isEmpty() || permits == 0 || busy) {
                return NOTHING;
            }
            permits--;
            busy = true;
            // The producer takes the smallest unit, so that no rank waits for it long.
            long weight = rank == 0
                    ? waiting.stream().min(Comparator.naturalOrder()).orElseThrow()
                    : waiting.getFirst();
            waiting.remove(weight);
            begun.add(new Begun(rank, weight));
            return weight * NANOS_OF_ONE;
        }

        @Override
        public void end(int thread) {
            busy = false;
        }

        @Override
        public byte[] take(long units, int bytes) {
            return taken(waiting, units, Long.MAX_VALUE);
        }

        @Override
        public byte[] takeLargest(long units, long weight, int bytes) {
            return taken(waiting.stream().sorted(Comparator.reverseOrder()).toList(), units, weight);
        }

        private byte[] taken(List<Long> candidates, long units, long most) {
            ByteBuffer taken = ByteBuffer.allocate(8 * waiting.size());
            long sum = 0;
            for (long candidate : List.copyOf(candidates)) {
                sum += candidate;
                if (taken.position() >= 8 * units || taken.position() > 0 && sum > most) {
                    break;
                }
                taken.putLong(candidate);
                waiting.remove(candidate);
            }
            byte[] used = new byte[taken.position()];
            taken.flip().get(used);
            return used;
        }

        @Override
        public long weight() {
            return waiting.stream().mapToLong(Long::longValue).sum();
        }

        @Override
        public long add(byte[] units) {
            for (ByteBuffer left = ByteBuffer.wrap(units); left.hasRemaining();) {
                waiting.add(left.getLong());
            }
            return units.length / 8;
        }

        @Override
        public long bytes(byte[] message) {
            return message.length;
        }

        @Override
        public long waiting() {
            return waiting.size();
        }

        @Override
        public boolean isResting() {
            return !busy && (waiting.isEmpty() || permits == 0);
        }

        @Override
        public boolean isBusy() {
            return busy;
        }

        @Override
        public void permit(long units) {
            permits += units;
        }

        @Override
        public void restrict() {
            permits = 0;
        }

        @Override
        public void wanted() {
            // A weight cannot be divided.
        }
    }

    private double seconds(Distribution distribution, int ranks, List<Long> weights) {
        begun.clear();
        RankSimulator simulator = new RankSimulator(distribution, ranks, 1, 1, Group.Settings.defaults(),
                Costs.defaults(), rank -> new Weights(rank, weights), way -> way);
        simulator.run(() -> false);
        assertThat(begun).extracting(Begun::weight).containsExactlyInAnyOrderElementsOf(weights);
        return simulator.nanos() / 1e9;
    }

    // Many small units, and some large ones at the end, where they hurt most.
    private static List<Long> smallThenLarge() {
        List<Long> weights = new ArrayList<>(IntStream.range(0, 400).mapToObj(i -> 1L + i % 3).toList());
        weights.addAll(List.of(60L, 300L, 80L));
        return weights;
    }

    @ParameterizedTest
    @MethodSource("distributions")
    void everyUnitIsBegunOnce(Distribution distribution) {
        assertThat(seconds(distribution, 5, smallThenLarge())).isPositive();
    }

    @Test
    void pctGivesTheLargestFirstAndItsProducerTakesSmallOnes() {
        seconds(Distribution.pct(), 5, smallThenLarge());
        List<Long> given = begun.stream().filter(unit -> unit.rank() > 0).map(Begun::weight).limit(3).toList();
        assertThat(given).containsExactlyInAnyOrder(300L, 80L, 60L);
        assertThat(begun.stream().filter(unit -> unit.rank() == 0)).isNotEmpty()
                .allSatisfy(unit -> assertThat(unit.weight()).isLessThanOrEqualTo(3));
    }

    @Test
    void aLargeUnitAtTheEndOfTheListMakesNoTail() {
        // The largest alone takes 30 ms; in the order of the list it begins when most of the rest is done.
        double inOrder = seconds(Distribution.centralized(), 5, smallThenLarge());
        double largeFirst = seconds(Distribution.pct(), 5, smallThenLarge());
        assertThat(largeFirst).isBetween(0.030, 0.035);
        assertThat(inOrder).isGreaterThan(0.045);
    }
}
