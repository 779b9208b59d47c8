// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.spool;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.treehaul.core.plan.format.ChunkRange;

class ChunksTest {

    @Test
    void theDataOfAllChunksAddUp() {
        for (long size : new long[]{10, 4097, (3L << 30) + 1, Long.MAX_VALUE}) {
            for (long toRead : new long[]{0, 1, size / 3, size - 1, size}) {
                Chunks chunks = new Chunks(size, 5, (size - 1) / 5 + 1);
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
}
