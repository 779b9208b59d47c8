// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;

class FinishingHistoryTest {

    private static final ByteString ROOT = ByteString.of("/data");

    private static TreePath path(int number) {
        return TreePath.of(("f" + number).getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void anyNumberOfChangedEntriesIsRememberedAndFewExactly() {
        FinishingHistory history = FinishingHistory.none();
        for (int i = 0; i < 100_000; i++) {
            add(history, i);
        }
        assertThat(history.mayBeChanged(ROOT, path(99_999))).isTrue();
        assertThat(history.mayBeChanged(ROOT, path(100_000))).isFalse();
        add(history, 100_000);
        // Those that are not kept are examined.
        assertThat(history.mayBeChanged(ROOT, path(100_000))).isTrue();
        assertThat(history.mayBeChanged(ROOT, path(100_001))).isTrue();
        assertThat(history.mayHaveChangedKinds()).isTrue();
    }

    private static void add(FinishingHistory history, int number) {
        history.add(1, new JournalRecord.Failed(new FailureRecord(FailureRecord.NO_ENTRY,
                new EntryFailure(EntryFailure.Kind.CHANGED, ROOT, path(number), "openat", 0), 1)));
    }
}
