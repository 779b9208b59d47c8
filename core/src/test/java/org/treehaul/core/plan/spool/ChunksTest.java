// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.spool;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.treehaul.core.plan.format.ChunkRange;

class ChunksTest {

    @Test
    void theDataOfAllChunksAddUp() {
        for (long size : new long[]{10, 4097, (3L << 30) + 1, Long.MAX_VALUE}) {
            for (long toRead : new long[]{0, 1, size / 3, size - 1, size}) {
                Chunks chunks = new Chunks(size, 5, (size - 1) / 5 + 1, List.of());
                long sum = 0;
                for (int i = 0; i < chunks.count(); i++) {
                    ChunkRange range = chunks.range(i);
                    long share = range.share(toRead, size);
                    assertThat(share).isBetween(0L, range.bytes());
                    sum += share;
                }
                // A double is exact up to 2^53.
                assertThat(Math.abs(sum - toRead)).isLessThanOrEqualTo(size < 1L << 53 ? 0 : 1 << 20);
            }
        }
    }

    @Test
    void cutsDivideAFileInPlaceOfASize() {
        Chunks chunks = Chunks.of(100, Chunks.BY_LAYOUT, List.of(10L, 70L));
        assertThat(chunks.count()).isEqualTo(3);
        assertThat(List.of(chunks.range(0), chunks.range(1), chunks.range(2))).containsExactly(
                new ChunkRange(0, 3, 0, 10), new ChunkRange(1, 3, 10, 70), new ChunkRange(2, 3, 70, 100));
        assertThat(Chunks.of(100, Chunks.BY_LAYOUT, List.of()).isCut()).isFalse();
    }
}
