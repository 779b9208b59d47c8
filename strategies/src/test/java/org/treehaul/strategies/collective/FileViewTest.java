// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.collective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FileViewTest {

    /** Returns the offsets of all bytes of a view, one after another. */
    static List<Long> offsets(FileView view) {
        List<Long> offsets = new ArrayList<>();
        view.ranges(0, view.bytes(), (from, length, memory) -> {
            assertThat(memory).isEqualTo(offsets.size());
            for (long i = 0; i < length; i++) {
                offsets.add(from + i);
            }
        });
        return offsets;
    }

    @Test
    void aVectorHasRangesAtEqualDistances() {
        assertThat(offsets(FileView.vector(10, 3, 2, 5))).containsExactly(10L, 11L, 15L, 16L, 20L, 21L);
        assertThat(FileView.vector(10, 3, 2, 5)).hasToString("6 bytes from 10 to 22 in ranges of 2");
        assertThat(offsets(FileView.vector(10, 0, 2, 5))).isEmpty();
        assertThat(offsets(FileView.vector(10, 2, 0, 0))).isEmpty();
        assertThat(offsets(FileView.contiguous(7, 3))).containsExactly(7L, 8L, 9L);
        assertThat(offsets(FileView.none())).isEmpty();
    }

    /** The offsets of a subarray, as loops over all elements of the array find them. */
    @Property(tries = 200)
    void aSubarrayHasTheElementsOfItsPart(
            @ForAll @Size(min = 1, max = 4) List<@IntRange(min = 1, max = 5) Integer> extents,
            @ForAll @IntRange(max = 1_000_000) int draw, @ForAll @IntRange(min = 1, max = 3) int element) {
        int n = extents.size();
        long[] whole = extents.stream().mapToLong(Integer::longValue).toArray();
        long[] start = new long[n];
        long[] part = new long[n];
        long left = draw;
        long elements = 1;
        for (int i = 0; i < n; i++) {
            start[i] = left % whole[i];
            left /= whole[i];
            part[i] = left % (whole[i] - start[i] + 1);
            left /= whole[i] - start[i] + 1;
            elements *= whole[i];
        }
        List<Long> expected = new ArrayList<>();
        for (long one = 0; one < elements; one++) {
            boolean isIn = true;
            long rest = one;
            for (int i = n - 1; i >= 0; i--) {
                long index = rest % whole[i];
                rest /= whole[i];
                isIn &= index >= start[i] && index < start[i] + part[i];
            }
            for (int i = 0; isIn && i < element; i++) {
                expected.add(100 + one * element + i);
            }
        }
        FileView view = FileView.subarray(100, element, whole, part, start);

        assertThat(offsets(view)).isEqualTo(expected);
        assertThat(view.bytes()).isEqualTo(expected.size());
        for (long position = 95; position < 105 + elements * element; position++) {
            long limit = position;
            assertThat(view.before(position)).isEqualTo(expected.stream().filter(offset -> offset < limit).count());
        }
        ByteBuffer encoded = ByteBuffer.allocate(view.encodedBytes());
        view.encode(encoded);
        assertThat(encoded.hasRemaining()).isFalse();
        assertThat(offsets(FileView.decode(encoded.flip()))).isEqualTo(expected);
    }

    @Test
    void aPartOfTheRangesBeginsAndEndsWithinThem() {
        List<String> ranges = new ArrayList<>();
        FileView.vector(0, 3, 4, 10)
                .ranges(2, 9, (from, length, memory) -> ranges.add(from + "+" + length + " at " + memory));
        assertThat(ranges).containsExactly("2+2 at 2", "10+4 at 4", "20+1 at 8");
    }

    @ParameterizedTest
    @CsvSource({"-1,1,1,1", "0,-1,1,1", "0,1,-1,1", "0,2,5,4", "0,9223372036854775807,2,3",
            "9223372036854775807,2,1,1"})
    void aVectorThatOverlapsOrDoesNotExistIsRefused(long offset, long count, long length, long stride) {
        assertThat(catchThrowable(() -> FileView.vector(offset, count, length, stride)))
                .isInstanceOfAny(IllegalArgumentException.class, ArithmeticException.class);
    }

    @Test
    void aSubarrayOutsideItsArrayIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FileView.subarray(0, 1, new long[]{4, 4}, new long[]{2, 2}, new long[]{1, 3}))
                .withMessage("2 elements from 3 in dimension 1, which has 4");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FileView.subarray(0, 1, new long[]{4}, new long[]{2, 2}, new long[]{1}));
    }
}
