// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.batch;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.plan.format.ManifestEntry;
import org.treehaul.core.transfer.journal.JournalRecord;

class BatchCountsTest {

    // Files without data may be that large.
    @Test
    void sizesWhoseSumNoLongHoldsAreTheLargestLong() {
        BatchCounts counts = new BatchCounts();
        for (int index = 0; index < 2; index++) {
            counts.done(new ManifestEntry(index, 0, TreePath.root().child(new byte[]{'f'}), EntryKind.REGULAR, 7L << 60,
                    new Timestamp(0, 0), index, 1, 0, null, 7L << 60), false, false);
        }
        assertThat(counts.end(JournalRecord.Ending.COMPLETE).bytes()).isEqualTo(Long.MAX_VALUE);
        assertThat(counts.newBytes()).isEqualTo(Long.MAX_VALUE);
        assertThat(counts.newData()).isEqualTo(Long.MAX_VALUE);
    }
}
