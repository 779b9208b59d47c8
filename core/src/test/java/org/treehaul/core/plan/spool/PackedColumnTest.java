// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.spool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.Random;
import java.util.function.IntToLongFunction;

import org.junit.jupiter.api.Test;

class PackedColumnTest {

    private static final int MANY = 50_000;

    private static PackedColumn of(Arena arena, int count, IntToLongFunction value) {
        PackedColumn column = new PackedColumn(arena);
        for (int i = 0; i < count; i++) {
            column.add(value.applyAsLong(i));
        }
        return column;
    }

    private static double bytesOfOne(int count, IntToLongFunction value) {
        try (Arena arena = Arena.ofConfined()) {
            return (double) of(arena, count, value).allocatedBytes() / count;
        }
    }

    @Test
    void numbersOfAnySizeAreReturnedAsTheyWereAddedAndSet() {
        Random random = new Random(1);
        for (int bits = 0; bits <= Long.SIZE; bits += 3) {
            int shift = bits;
            long[] expected = random.longs(20_000).map(value -> shift == 0 ? 7 : value >> Long.SIZE - shift).toArray();
            try (Arena arena = Arena.ofConfined()) {
                PackedColumn column = of(arena, expected.length, i -> expected[i]);
                for (int change = 0; change < 3_000; change++) {
                    int index = random.nextInt(expected.length);
                    expected[index] = random.nextLong() >> random.nextInt(Long.SIZE);
                    column.set(index, expected[index]);
                }
                assertThat(column.count()).isEqualTo(expected.length);
                for (int i = 0; i < expected.length; i++) {
                    assertThat(column.get(i)).isEqualTo(expected[i]);
                }
            }
        }
    }

    @Test
    void neighboursAreSetAndEqualOnesFoundAsIfEachWereAlone() {
        Random random = new Random(2);
        long[] expected = random.longs(30_000, 0, 3).toArray();
        try (Arena arena = Arena.ofConfined()) {
            PackedColumn column = of(arena, expected.length, i -> expected[i]);
            for (int change = 0; change < 300; change++) {
                int from = random.nextInt(expected.length);
                int to = from + random.nextInt(Math.min(expected.length - from, 10_000) + 1);
                long value = random.nextLong() >> random.nextInt(Long.SIZE);
                Arrays.fill(expected, from, to, value);
                column.setAll(from, to, value);
            }
            for (int i = 0; i < expected.length; i++) {
                assertThat(column.get(i)).isEqualTo(expected[i]);
                int end = (int) column.endOfEqual(i);
                assertThat(end).isGreaterThan(i);
                assertThat(Arrays.stream(expected, i, end)).containsOnly(expected[i]);
                i = end - 1;
            }
            assertThatThrownBy(() -> column.setAll(5, expected.length + 1, 0))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void blocksThatAreSetAsAWholeTakeNoMemory() {
        try (Arena arena = Arena.ofConfined()) {
            PackedColumn column = of(arena, MANY, i -> -1);
            long before = column.allocatedBytes();
            for (int value = 0; value < 10; value++) {
                column.setAll(value * MANY / 10, (value + 1) * MANY / 10, value);
            }
            // Only the blocks with two values have a byte for each.
            assertThat(column.allocatedBytes() - before).isLessThan(MANY);
            assertThat(column.endOfEqual(0)).isGreaterThan(1_000);
        }
    }

    @Test
    void theSmallestAndTheLargestNumberAreNeighbours() {
        try (Arena arena = Arena.ofConfined()) {
            PackedColumn column = of(arena, 10_000, i -> i % 2 == 0 ? Long.MIN_VALUE : Long.MAX_VALUE);

            assertThat(column.get(4)).isEqualTo(Long.MIN_VALUE);
            assertThat(column.get(5)).isEqualTo(Long.MAX_VALUE);
        }
    }

    @Test
    void aNumberTakesOnlyTheBytesThatItsNeighbourhoodNeeds() {
        assertThat(bytesOfOne(10 * MANY, i -> 1)).isLessThan(0.6);
        assertThat(bytesOfOne(10 * MANY, i -> 1_000_000 + i / 1000)).isLessThan(1.5);
        assertThat(bytesOfOne(10 * MANY, i -> i % 4000)).isBetween(1.9, 2.6);
        assertThat(bytesOfOne(10 * MANY, i -> i == 0 ? Long.MAX_VALUE : i % 200)).isLessThan(1.6);
        assertThat(bytesOfOne(4 * MANY, i -> i * 0x1234567890L)).isBetween(5.5, 9.5);
    }

    @Test
    void fewNumbersTakeNoMemoryOutsideOfTheHeap() {
        assertThat(bytesOfOne(4_000, i -> i * 1_000_000L)).isZero();
    }

    @Test
    void numbersThatAreSetInOrderTakeLittleMoreThanThoseThatWereAdded() {
        try (Arena arena = Arena.ofConfined()) {
            PackedColumn column = of(arena, 10 * MANY, i -> -1);
            for (int i = 0; i < 10 * MANY; i++) {
                column.set(i, i % 1000);
            }

            assertThat((double) column.allocatedBytes() / (10 * MANY)).isLessThan(3.0);
        }
    }

    @Test
    void anIndexBeyondTheEndIsRefused() {
        try (Arena arena = Arena.ofConfined()) {
            PackedColumn column = of(arena, 5_000, i -> i);

            assertThatThrownBy(() -> column.get(5_000)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> column.set(-1, 0)).isInstanceOf(IndexOutOfBoundsException.class);
        }
    }
}
