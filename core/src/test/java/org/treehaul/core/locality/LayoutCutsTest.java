// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.locality;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

class LayoutCutsTest {

    private static DataExtent striped(long offset, long length, long size, int count) {
        return new DataExtent(offset, length, size, count,
                IntStream.range(0, count).mapToObj(i -> Holders.of(DataPlace.on("s" + i))).toList(), "");
    }

    private static DataLayout layout(DataExtent... extents) {
        return new DataLayout("k", List.of(extents), false);
    }

    private static String placeOf(DataLayout layout, long at) {
        return layout.serverOf(at).orElse("");
    }

    @Test
    void aFileIsCutWhereItsDataChangeTheServer() {
        Random random = new Random(7);
        for (int i = 0; i < 300; i++) {
            DataLayout layout = layout(
                    striped(random.nextInt(40), 1 + random.nextInt(60), 1 + random.nextInt(9), 1 + random.nextInt(5)),
                    striped(random.nextInt(40), 1 + random.nextInt(60), 1 + random.nextInt(9), 1 + random.nextInt(5)));
            long size = random.nextInt(90);
            List<Long> expected = new ArrayList<>();
            for (long at = 1; at < size; at++) {
                if (!placeOf(layout, at).equals(placeOf(layout, at - 1))) {
                    expected.add(at);
                }
            }
            assertThat(LayoutCuts.of(layout, size)).as("%s of %d bytes", layout, size).isEqualTo(expected);
        }
    }

    @Test
    void aFileOnOneServerIsNotCut() {
        assertThat(LayoutCuts.of(layout(DataExtent.whole(Holders.of(DataPlace.on("a")))), 1L << 60)).isEmpty();
        assertThat(LayoutCuts.of(layout(), 100)).isEmpty();
        assertThat(LayoutCuts.of(layout(new DataExtent(0, 1000, 10, 3, List.of(), "pool")), 100)).isEmpty();
    }

    @Test
    void aFileOfTooManyStripesIsCutIntoEqualPieces() {
        DataLayout layout = layout(striped(0, Long.MAX_VALUE, 1, 2));
        assertThat(LayoutCuts.of(layout, LayoutCuts.MOST_PIECES)).hasSize(LayoutCuts.MOST_PIECES - 1);
        assertThat(LayoutCuts.of(layout, 10L * LayoutCuts.MOST_PIECES)).hasSize(LayoutCuts.MOST_PIECES - 1)
                .startsWith(10L, 20L)
                .endsWith(10L * (LayoutCuts.MOST_PIECES - 1));
    }

    @Test
    void manyStripesOnOneServerAreOnePiece() {
        Holders all = Holders.of(DataPlace.on("OST0000"));
        assertThat(LayoutCuts.of(layout(new DataExtent(0, Long.MAX_VALUE, 1 << 16, 4, List.of(all, all, all, all), "")),
                1L << 60)).isEmpty();
    }
}
