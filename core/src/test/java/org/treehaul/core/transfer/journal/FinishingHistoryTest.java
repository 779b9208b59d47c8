// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.plan.format.PlannedFailure;

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

    private static void retried(FinishingHistory history, int number, boolean isWhole, long entries) {
        history.add(1, new JournalRecord.Retried(0, ByteString.of("f" + number), isWhole, entries));
    }

    private static boolean wasCopied(FinishingHistory history, int number) {
        return history.wasCopied(
                new PlannedFailure(0, new EntryFailure(EntryFailure.Kind.ERROR, ROOT, path(number), "openat", 13)));
    }

    @Test
    void entriesOfWhichNoRetryCopiedAnythingTakeNoMemory() {
        FinishingHistory history = FinishingHistory.none();
        for (int i = 0; i < 1000; i++) {
            retried(history, i, false, 0);
        }
        assertThat(history.retries()).isZero();
        retried(history, 1, false, 5);
        retried(history, 2, true, 7);
        retried(history, 3, false, 4);
        assertThat(history.unplanned()).isEqualTo(16);
        // The latest result counts, but what was copied as a whole is not retried.
        retried(history, 1, false, 0);
        retried(history, 3, true, 0);
        assertThat(history.unplanned()).isEqualTo(7);
        assertThat(history.retries()).isEqualTo(3);
        assertThat(wasCopied(history, 1)).isFalse();
        assertThat(wasCopied(history, 2)).isTrue();
        assertThat(wasCopied(history, 3)).isTrue();
    }

    @Test
    @Tag("rig")
    void entriesThatRetriesCopiedTakeLittleMemoryHoweverLongTheirPathsAre() {
        // More than the heap of the tests.
        int entries = 60_000;
        String directory = "d".repeat(4000);
        FinishingHistory history = FinishingHistory.none();
        for (int i = 0; i < entries; i++) {
            history.add(1, new JournalRecord.Retried(0, ByteString.of(directory + i), true, 2));
        }
        assertThat(history.unplanned()).isEqualTo(2L * entries);
        assertThat(history.retries()).isEqualTo(entries);
        for (int i : new int[]{0, 1, entries / 2, entries - 1, entries}) {
            assertThat(history.wasCopied(new PlannedFailure(0,
                    new EntryFailure(EntryFailure.Kind.ERROR, ROOT,
                            TreePath.of((directory + i).getBytes(StandardCharsets.US_ASCII)), "openat", 13))))
                    .isEqualTo(i < entries);
        }
    }

    private static void add(FinishingHistory history, int number) {
        history.add(1, new JournalRecord.Failed(new FailureRecord(FailureRecord.NO_ENTRY,
                new EntryFailure(EntryFailure.Kind.CHANGED, ROOT, path(number), "openat", 0), 1)));
    }
}
