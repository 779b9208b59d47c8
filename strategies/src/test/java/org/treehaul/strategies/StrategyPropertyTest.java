// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.IntRange;
import org.treehaul.core.plan.Batching;
import org.treehaul.core.plan.Items;
import org.treehaul.core.plan.format.BatchLimits;

/** Tests that each strategy keeps the guarantees in {@link Strategies}. */
class StrategyPropertyTest {

    /** Items stored in arrays. */
    static final class Row implements Items {
        private final long[] sizes;
        private final int[] names;
        private final int[] directories;

        Row(long[] sizes, int[] names, int[] directories) {
            this.sizes = sizes;
            this.names = names;
            this.directories = directories;
        }

        @Override
        public long count() {
            return sizes.length;
        }

        @Override
        public long bytes(long item) {
            return sizes[(int) item];
        }

        @Override
        public int files(long item) {
            return names[(int) item];
        }

        @Override
        public int directory(long item) {
            return directories[(int) item];
        }

        long allBytes() {
            return Arrays.stream(sizes).sum();
        }

        long allFiles() {
            return Arrays.stream(names).asLongStream().sum();
        }

        long largest() {
            return Arrays.stream(sizes).max().orElse(0);
        }

        int mostNames() {
            return Arrays.stream(names).max().orElse(0);
        }

        @Override
        public String toString() {
            return sizes.length < 60
                    ? "bytes " + Arrays.toString(sizes) + " files " + Arrays.toString(names) + " directories "
                            + Arrays.toString(directories)
                    : sizes.length + " items, " + Arrays.hashCode(sizes);
        }
    }

    /** The batches that a strategy made of a row. */
    private static final class Made {
        private final int count;
        private final int[] batches;
        private final int[] items;
        private final long[] bytes;
        private final long[] files;

        private Made(int count, int[] batches, int[] items, long[] bytes, long[] files) {
            this.count = count;
            this.batches = batches;
            this.items = items;
            this.bytes = bytes;
            this.files = files;
        }

        static Made by(Batching strategy, Row row, BatchLimits limits) {
            int[] batches = new int[row.sizes.length];
            Arrays.fill(batches, -1);
            int count = strategy.assign(row, limits, (item, batch) -> batches[(int) item] = batch);
            int[] items = new int[count];
            long[] bytes = new long[count];
            long[] files = new long[count];
            for (int i = 0; i < batches.length; i++) {
                // Every item is in exactly one batch.
                assertThat(batches[i]).isBetween(0, count - 1);
                items[batches[i]]++;
                bytes[batches[i]] += row.sizes[i];
                files[batches[i]] += row.names[i];
            }
            return new Made(count, batches, items, bytes, files);
        }
    }

    @Provide
    Arbitrary<Row> rows() {
        Arbitrary<Long> sizes = Arbitraries.oneOf(Arbitraries.just(0L), Arbitraries.longs().between(0, 100),
                Arbitraries.longs().between(0, 1_000_000), Arbitraries.just(1L << 30));
        Arbitrary<Integer> names = Arbitraries.frequencyOf(Tuple.of(20, Arbitraries.just(1)),
                Tuple.of(1, Arbitraries.integers().between(2, 30)));
        Arbitrary<Boolean> steps = Arbitraries.of(true, false, false, false);
        return Combinators.combine(sizes, names, steps)
                .as(Item::new)
                .list()
                .ofMinSize(1)
                .ofMaxSize(300)
                .map(StrategyPropertyTest::row);
    }

    private static Row row(List<Item> list) {
        long[] bytes = new long[list.size()];
        int[] files = new int[list.size()];
        int[] directories = new int[list.size()];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = list.get(i).bytes;
            files[i] = list.get(i).names;
            directories[i] = i == 0 ? 0 : directories[i - 1] + (list.get(i).step ? 1 : 0);
        }
        return new Row(bytes, files, directories);
    }

    private record Item(long bytes, int names, boolean step) {}

    @Provide
    Arbitrary<Row> fewItems() {
        Arbitrary<Long> sizes = Arbitraries.oneOf(Arbitraries.longs().between(0, 4), Arbitraries.longs().between(0, 50),
                Arbitraries.of(0L, 25L, 50L, 1000L));
        Arbitrary<Integer> names = Arbitraries.frequencyOf(Tuple.of(9, Arbitraries.just(1)),
                Tuple.of(1, Arbitraries.integers().between(2, 30)));
        return Combinators.combine(sizes, names, Arbitraries.of(true, false))
                .as(Item::new)
                .list()
                .ofMinSize(1)
                .ofMaxSize(12)
                .map(StrategyPropertyTest::row);
    }

    /**
     * Returns a row of a shape that occurs in trees: sorted, clustered, all equal, or a few large among many small
     * items.
     */
    private static Row shaped(long seed, int count) {
        Random random = new Random(seed);
        long[] sizes = new long[count];
        int[] names = new int[count];
        int[] directories = new int[count];
        int shape = random.nextInt(5);
        for (int i = 0; i < count; i++) {
            sizes[i] = switch (shape) {
                case 0 -> i;
                case 1 -> count - i;
                case 2 -> i < count / 2 ? 0 : 1 << 20;
                case 3 -> random.nextInt(50) == 0 ? 1L << 30 : random.nextInt(4000);
                default -> (long) Math.exp(random.nextDouble() * 20);
            };
            names[i] = 1;
            directories[i] = i == 0 ? 0 : directories[i - 1] + (random.nextInt(20) == 0 ? 1 : 0);
        }
        return new Row(sizes, names, directories);
    }

    private static void isBalanced(Row row, int batches) {
        Made made = Made.by(Strategies.sizeBalanced(), row, BatchLimits.batches(batches));
        int parts = Math.min(batches, row.sizes.length);
        assertThat(made.count).isEqualTo(parts);
        double averageBytes = row.allBytes() / (double) parts;
        double averageFiles = row.allFiles() / (double) parts;
        for (int batch = 0; batch < parts; batch++) {
            assertThat((double) made.bytes[batch]).isBetween(averageBytes - CircleSplit.ERROR * row.largest(),
                    averageBytes + CircleSplit.ERROR * row.largest());
            assertThat((double) made.files[batch]).isBetween(averageFiles - CircleSplit.ERROR * row.mostNames(),
                    averageFiles + CircleSplit.ERROR * row.mostNames());
        }
        int pieces = 1;
        for (int i = 1; i < made.batches.length; i++) {
            pieces += made.batches[i] == made.batches[i - 1] ? 0 : 1;
        }
        assertThat(pieces).isLessThan(3 * batches + 1);
    }

    @Property(tries = 500)
    void sizeBalancedKeepsBytesAndFilesNearTheAverage(@ForAll("rows") Row row,
            @ForAll @IntRange(min = 1, max = 40) int batches) {
        isBalanced(row, batches);
    }

    @Property(tries = 200)
    void sizeBalancedDoesSoForWholeTrees(@ForAll long seed, @ForAll @IntRange(min = 1, max = 3000) int count,
            @ForAll @IntRange(min = 1, max = 200) int batches) {
        isBalanced(shaped(seed, count), batches);
    }

    @Property(tries = 200)
    void sizeBalancedKeepsTheLimitsThatCanBeKept(@ForAll long seed, @ForAll @IntRange(min = 20, max = 2000) int count,
            @ForAll @IntRange(min = 10, max = 100) int files) {
        Row row = shaped(seed, count);
        long bytes = 8 * row.largest() + 1;
        Made made = Made.by(Strategies.sizeBalanced(), row, new BatchLimits(0, files, bytes));
        assertThat(Arrays.stream(made.files).max().orElse(0)).isLessThanOrEqualTo(files);
        assertThat(Arrays.stream(made.bytes).max().orElse(0)).isLessThanOrEqualTo(bytes);
    }

    @Example
    void sizeBalancedMakesABatchOfEachFileIfTheLimitIsOne() {
        Row row = row(LongStream.of(50, 25, 0, 25).mapToObj(bytes -> new Item(bytes << 30, 1, false)).toList());
        Made made = Made.by(Strategies.sizeBalanced(), row, new BatchLimits(0, 1, 0));
        assertThat(made.items).containsExactly(1, 1, 1, 1);
    }

    @Property(tries = 2000)
    void fewItemsGiveNoEmptyBatchesAndKeepTheLimits(@ForAll("fewItems") Row row,
            @ForAll @IntRange(min = 0, max = 14) int batches, @ForAll @IntRange(min = 0, max = 6) int files,
            @ForAll @IntRange(min = 0, max = 60) int bytes) {
        BatchLimits limits = new BatchLimits(batches, files, bytes);
        Made made = Made.by(Strategies.sizeBalanced(), row, limits);
        assertThat(made.items).doesNotContain(0);
        assertThat(made.count).isGreaterThanOrEqualTo(Math.min(batches, row.sizes.length));
        keeps(made, limits);
        keeps(Made.by(Strategies.directoryGrouped(), row, limits), limits);
    }

    @Property(tries = 500)
    void directoryGroupedKeepsADirectoryTogetherThatFits(@ForAll("rows") Row row,
            @ForAll @IntRange(min = 1, max = 40) int batches) {
        Made made = Made.by(Strategies.directoryGrouped(), row, BatchLimits.batches(batches));
        int parts = Math.min(batches, row.sizes.length);
        assertThat(made.count).isEqualTo(parts);
        long shareBytes = (row.allBytes() + parts - 1) / parts;
        long shareFiles = (row.allFiles() + parts - 1) / parts;
        Map<Integer, long[]> directories = new HashMap<>();
        Map<Integer, Set<Integer>> used = new HashMap<>();
        for (int i = 0; i < row.sizes.length; i++) {
            long[] sums = directories.computeIfAbsent(row.directories[i], d -> new long[2]);
            sums[0] += row.sizes[i];
            sums[1] += row.names[i];
            used.computeIfAbsent(row.directories[i], d -> new HashSet<>()).add(made.batches[i]);
        }
        used.forEach((directory, in) -> {
            long[] sums = directories.getOrDefault(directory, new long[2]);
            if (sums[0] <= shareBytes && sums[1] <= shareFiles) {
                assertThat(in).hasSize(1);
            }
        });
        double largestBytes = Math.max(shareBytes, row.largest());
        double largestFiles = Math.max(shareFiles, row.mostNames());
        for (int batch = 0; batch < parts; batch++) {
            assertThat((double) made.bytes[batch])
                    .isLessThanOrEqualTo(row.allBytes() / (double) parts + CircleSplit.ERROR * largestBytes);
            assertThat((double) made.files[batch])
                    .isLessThanOrEqualTo(row.allFiles() / (double) parts + CircleSplit.ERROR * largestFiles);
        }
    }

    @Property(tries = 300)
    void streamingExceedsNoLimitButByASingleItem(@ForAll("rows") Row row,
            @ForAll @IntRange(min = 1, max = 50) int files, @ForAll @IntRange(min = 1, max = 2_000_000) int bytes) {
        Made made = Made.by(Strategies.streaming(), row, new BatchLimits(0, files, bytes));
        assertThat(made.items).doesNotContain(0);
        keeps(made, new BatchLimits(0, files, bytes));
    }

    private static void keeps(Made made, BatchLimits limits) {
        for (int batch = 0; batch < made.count; batch++) {
            if (made.items[batch] > 1) {
                assertThat(made.files[batch])
                        .isLessThanOrEqualTo(limits.maxFiles() == 0 ? Long.MAX_VALUE : limits.maxFiles());
                assertThat(made.bytes[batch])
                        .isLessThanOrEqualTo(limits.maxBytes() == 0 ? Long.MAX_VALUE : limits.maxBytes());
            }
        }
    }

    @Property(tries = 100)
    void equalItemsGiveEqualBatches(@ForAll("rows") Row row, @ForAll @IntRange(min = 1, max = 40) int batches) {
        for (Batching strategy : List.of(Strategies.sizeBalanced(), Strategies.directoryGrouped())) {
            List<int[]> made = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                made.add(Made.by(strategy, row, BatchLimits.batches(batches)).batches);
            }
            assertThat(made.getFirst()).isEqualTo(made.getLast());
        }
    }

    @Property(tries = 50)
    void sizesThatNoSumCanHoldAreDivided(@ForAll @IntRange(min = 2, max = 50) int count) {
        long[] sizes = new long[count];
        Arrays.fill(sizes, Long.MAX_VALUE);
        int[] names = new int[count];
        Arrays.fill(names, 1);
        Row row = new Row(sizes, names, new int[count]);
        for (Batching strategy : Strategies.all().values()) {
            Made.by(strategy, row, new BatchLimits(count / 2, 1000, 1L << 40));
        }
    }
}
