// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.treehaul.core.testing.Campaign;

/** How the bytes of a file are spread over segments, beside a model that deals them out one by one. */
class StripeLayoutTest {

    private static StripeLayout layout(int servers, int segments, long stripe) {
        return new StripeLayout(IntStream.range(0, servers).mapToObj(i -> "s" + i).toList(), segments, stripe);
    }

    @Test
    void everyByteIsWhereDealingThemOutPutsIt() throws Exception {
        Campaign.each(Campaign.seed(1), Campaign.cases(200), seed -> {
            Random random = new Random(seed);
            StripeLayout layout = layout(1 + random.nextInt(5), 1 + random.nextInt(7), 1 + random.nextInt(9));
            int size = random.nextInt(300);
            long[] sizes = new long[layout.segments()];
            for (int at = 0; at < size; at++) {
                int segment = (int) (at / layout.stripe() % layout.segments());
                assertThat(layout.segmentOf(at)).isEqualTo(segment);
                assertThat(layout.offsetInSegment(at)).isEqualTo(sizes[segment]);
                assertThat(layout.offsetInFile(segment, sizes[segment])).isEqualTo(at);
                sizes[segment]++;
            }
            for (int i = 0; i < layout.segments(); i++) {
                assertThat(layout.segmentSize(i, size)).isEqualTo(sizes[i]);
                assertThat(layout.serverOf(i)).isEqualTo("s" + i % layout.servers().size());
            }
            assertThat(IntStream.range(0, layout.segments()).mapToLong(i -> layout.fileSize(i, sizes[i])).max())
                    .hasValue(size);
        });
    }

    @Test
    void thePiecesOfARangeCoverItInOrderAndEachIsInOneStripe() throws Exception {
        Campaign.each(Campaign.seed(1000), Campaign.cases(200), seed -> {
            Random random = new Random(seed);
            StripeLayout layout = layout(3, 1 + random.nextInt(5), 1 + random.nextInt(1000));
            long offset = random.nextLong(1L << random.nextInt(1, 40));
            long length = random.nextInt(5000);
            long at = offset;
            for (StripeLayout.Piece piece : layout.pieces(offset, length)) {
                assertThat(piece.at()).isEqualTo(at);
                assertThat(piece.length()).isPositive();
                assertThat(piece.segment()).isEqualTo(layout.segmentOf(at));
                assertThat(piece.offset()).isEqualTo(layout.offsetInSegment(at));
                if (layout.segments() > 1) {
                    assertThat((at + piece.length() - 1) / layout.stripe()).isEqualTo(at / layout.stripe());
                }
                at += piece.length();
            }
            assertThat(at).isEqualTo(offset + length);
        });
    }

    @Test
    void offsetsBeyondTheLargestFileAreRefused() {
        StripeLayout layout = layout(2, 4096, StripeLayout.LARGEST_STRIPE);
        assertThat(layout.offsetInSegment(Long.MAX_VALUE)).isEqualTo((1L << 51) - 1);
        assertThat(layout.offsetInFile(4095, (1L << 51) - 1)).isEqualTo(Long.MAX_VALUE);
        assertThatThrownBy(() -> layout.offsetInFile(0, 1L << 51)).isInstanceOf(ArithmeticException.class);
        assertThatThrownBy(() -> layout.pieces(Long.MAX_VALUE, 1)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void layoutsOutOfRangeAreRefused() {
        List<String> twice = List.of("a", "a");
        assertThatIllegalArgumentException().isThrownBy(() -> new StripeLayout(List.of(), 1, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> new StripeLayout(twice, 1, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> layout(1, 0, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> layout(1, 4097, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> layout(1, 1, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> layout(1, 1, StripeLayout.LARGEST_STRIPE + 1));
    }

    @Test
    void aLayoutKeepsItsOwnListOfServers() {
        List<String> servers = new ArrayList<>(List.of("a", "b"));
        StripeLayout layout = new StripeLayout(servers, 2, 1);
        servers.set(0, "c");
        assertThat(layout.serverOf(0)).isEqualTo("a");
    }
}
