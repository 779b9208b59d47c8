// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.entry.ByteString;
import org.treehaul.tuplespace.Lease;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;

class ListingSumsTest {

    private static final EntrySum SUMS = new EntrySum(1);

    private static ByteString path(int number) {
        return ByteString.of("/root/d" + number);
    }

    private static TupleSpace space(int count) {
        TupleSpace space = TupleSpaces.memory(FileIndex.SPACE);
        List<DirectoryTotals> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            DirectoryTotals totals = DirectoryTotals.of(path(i), 1, 0, 1, 0, 0, 0, 0, 0);
            all.add(i % 5 == 4 ? totals : totals.withListing(i % 3L));
        }
        if (count > 0) {
            space.writeAll(all, Lease.FOREVER);
        }
        return space;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 1000, 4095})
    void theSumOfEachDirectoryIsKnown(int count) {
        try (TupleSpace space = space(count)) {
            ListingSums known = ListingSums.read(space, SUMS);

            assertThat(known.isComplete()).isTrue();
            for (int i = 0; i < count; i++) {
                for (long sum = 0; sum < 3; sum++) {
                    assertThat(known.has(path(i), sum)).isEqualTo(i % 5 != 4 && i % 3 == sum);
                }
            }
            assertThat(known.has(path(count), 0)).isFalse();
        }
    }

    @Test
    void noSumIsKnownIfThereAreMoreThanFit() {
        try (TupleSpace space = space(10)) {
            ListingSums known = ListingSums.read(space, SUMS, 9);

            assertThat(known.isComplete()).isFalse();
            assertThat(known.has(path(0), 0)).isFalse();
            assertThat(ListingSums.read(space, SUMS, 10).has(path(0), 0)).isTrue();
        }
    }
}
