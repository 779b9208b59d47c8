// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.treehaul.core.plan.Batching;
import org.treehaul.core.plan.Items;
import org.treehaul.core.plan.format.BatchLimits;

class WeightsTest {

    private static final long TIB = 1L << 40;

    /** Items of one file each: two large ones, and then empty ones. */
    private record TwoLarge(long count, long large) implements Items {

        @Override
        public long bytes(long item) {
            return item < 2 ? large : 0;
        }

        @Override
        public int files(long item) {
            return 1;
        }

        @Override
        public int directory(long item) {
            return 0;
        }
    }

    @Test
    void aFileAmongAMillionCountsWithItsSize() {
        TwoLarge items = new TwoLarge(1 << 20, 8 * TIB);
        assertThat(Weights.of(items).bytes(0)).isEqualTo(8 * TIB);
        for (Batching strategy : List.of(Strategies.sizeBalanced(), Strategies.directoryGrouped(),
                Strategies.streaming())) {
            int[] batchOf = new int[2];
            strategy.assign(items, new BatchLimits(0, 0, 10 * TIB), (item, batch) -> {
                if (item < 2) {
                    batchOf[(int) item] = batch;
                }
            });
            assertThat(batchOf[0]).as(strategy.name()).isNotEqualTo(batchOf[1]);
        }
    }

    @Test
    void noSumOfSizesOverflows() {
        for (long large : new long[]{Long.MAX_VALUE / 4, Long.MAX_VALUE / 2, Long.MAX_VALUE}) {
            Weights.Totals totals = Weights.Totals.of(Weights.of(new TwoLarge(10, large)));
            assertThat(totals.bytes()).isBetween(1L, Long.MAX_VALUE / 2);
            assertThat(totals.mostBytes()).isLessThanOrEqualTo(totals.bytes());
        }
        assertThat(Weights.Totals.of(Weights.of(new TwoLarge(0, 0))).bytes()).isZero();
    }
}
