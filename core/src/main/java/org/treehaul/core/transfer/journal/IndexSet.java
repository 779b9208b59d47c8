// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.journal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Collects indexes in any order and returns them as ranges. Used by one thread. */
public final class IndexSet {

    private int[] indexes = new int[64];
    private int size;

    public void add(int index) {
        if (size == indexes.length) {
            indexes = Arrays.copyOf(indexes, size * 2);
        }
        indexes[size++] = index;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    /** Removes all indexes and returns them as ranges, in lists of at most the given length. */
    public List<List<JournalRecord.Range>> takeRanges(int most) {
        Arrays.sort(indexes, 0, size);
        List<List<JournalRecord.Range>> all = new ArrayList<>();
        List<JournalRecord.Range> ranges = new ArrayList<>();
        int at = 0;
        while (at < size) {
            int from = indexes[at];
            int to = from + 1;
            at++;
            while (at < size && indexes[at] <= to) {
                to = Math.max(to, indexes[at] + 1);
                at++;
            }
            ranges.add(new JournalRecord.Range(from, to));
            if (ranges.size() == most) {
                all.add(ranges);
                ranges = new ArrayList<>();
            }
        }
        if (!ranges.isEmpty()) {
            all.add(ranges);
        }
        size = 0;
        return all;
    }
}
