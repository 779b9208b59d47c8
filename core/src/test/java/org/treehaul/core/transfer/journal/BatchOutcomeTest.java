// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.transfer.directory.TransferId;

/** Commands that must run once: which of them have an unknown end. */
class BatchOutcomeTest {

    private static final int ENTRY = 3;

    @AutoClose
    private final TestDirectory directory = TestDirectory.onTmpfs();
    private final Attempts attempts = new Attempts(directory.path(), new TransferId("20261126-125017-tqk0"));

    private void attempt(int number, JournalRecord... records) throws IOException {
        try (JournalWriter journal = attempts.claim(new AttemptName(0, number), 1).orElseThrow()) {
            for (JournalRecord record : records) {
                if (record instanceof JournalRecord.Indexes indexes) {
                    indexes.forEach(index -> journal.add(indexes.fact(), index));
                    journal.settle();
                } else {
                    journal.write(record);
                }
            }
        }
    }

    private static JournalRecord fact(JournalRecord.Fact fact) {
        return new JournalRecord.Indexes(fact, List.of(new JournalRecord.Range(ENTRY, ENTRY + 1)));
    }

    private static JournalRecord failed() {
        return new JournalRecord.Failed(new FailureRecord(ENTRY, new EntryFailure(EntryFailure.Kind.ERROR,
                ByteString.of("/data"), TreePath.root(), "the command ended with 1", 0), 1));
    }

    private boolean isBegun(int newest) throws IOException {
        return BatchOutcome.read(attempts, 0, newest, FinishingHistory.none()).isBegun(ENTRY);
    }

    @Test
    void anEndInTheSameAttemptIsKnown() throws Exception {
        attempt(1, fact(JournalRecord.Fact.BEGUN), failed());
        assertThat(isBegun(1)).isFalse();
        attempt(2, fact(JournalRecord.Fact.BEGUN));
        assertThat(isBegun(2)).isTrue();
        attempt(3, fact(JournalRecord.Fact.BEGUN), fact(JournalRecord.Fact.DONE));
        assertThat(isBegun(3)).isFalse();
    }

    @Test
    void aLaterReportDoesNotMakeTheEndKnown() throws Exception {
        attempt(1, fact(JournalRecord.Fact.BEGUN));
        // The worker was killed directly after this record.
        attempt(2, failed());
        assertThat(isBegun(2)).isTrue();
    }
}
