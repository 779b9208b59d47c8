// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.HashMap;
import java.util.Map;

import org.treehaul.core.plan.Plan;
import org.treehaul.core.plan.PlanRecords;
import org.treehaul.core.plan.PlannedBatch;
import org.treehaul.core.plan.PlannedFailure;

/** Lists what failed and was not mended by a later attempt. Memory grows with the failures of one batch. */
final class FailureReader {

    /** Takes failures. */
    interface Consumer {

        /** Takes one; the index means nothing here. */
        void accept(FailureRecord failure);
    }

    private final TransferDirectory directory;
    private final Consumer consumer;

    FailureReader(TransferDirectory directory, Consumer consumer) {
        this.directory = directory;
        this.consumer = consumer;
    }

    void read() throws IOException {
        Plan plan = Plan.open(directory.plan());
        if (plan.isSealed()) {
            try (PlanRecords<PlannedFailure> failed = plan.failures()) {
                for (PlannedFailure failure = failed.next(); failure != null; failure = failed.next()) {
                    consumer.accept(new FailureRecord(FailureRecord.NO_ENTRY, failure.failure(), 1));
                }
            }
        }
        Attempts attempts = Attempts.atBatches(directory);
        FinishingHistory history = FinishingHistory.read(directory);
        Map<Integer, Integer> newest = attempts.newest();
        for (PlannedBatch batch : plan.batches()) {
            batch(attempts, batch.number(), newest.getOrDefault(batch.number(), 0), history);
        }
        finishing();
    }

    private void batch(Attempts attempts, int batch, int newest, FinishingHistory history) throws IOException {
        BatchOutcome outcome = BatchOutcome.read(attempts, batch, newest, history);
        if (outcome.tally().failures().isEmpty()) {
            return;
        }
        Map<Integer, FailureRecord> last = new HashMap<>();
        for (int number = 1; number <= newest; number++) {
            read(attempts, new AttemptName(batch, number), last);
        }
        last.keySet().removeIf(index -> !outcome.isFailed(index));
        last.values().forEach(consumer::accept);
    }

    private static void read(Attempts attempts, AttemptName name, Map<Integer, FailureRecord> last) throws IOException {
        try {
            attempts.read(name, (offset, record) -> {
                if (record instanceof JournalRecord.Failed failed
                        && failed.failure().index() != FailureRecord.NO_ENTRY) {
                    last.put(failed.failure().index(), failed.failure());
                }
            });
        } catch (NoSuchFileException e) {
            // Then it tells nothing.
        }
    }

    // Only the newest finishing counts: whatever an earlier one could not do it has tried again.
    private void finishing() throws IOException {
        Attempts finishing = Attempts.atFinishing(directory);
        Map<Integer, Integer> newest = finishing.newest();
        int generation = newest.keySet().stream().mapToInt(Integer::intValue).max().orElse(0);
        if (generation > 0) {
            finishing.read(new AttemptName(generation, newest.getOrDefault(generation, 0)), (offset, record) -> {
                if (record instanceof JournalRecord.Failed failed) {
                    consumer.accept(failed.failure());
                }
            });
        }
    }
}
