// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.plan.ManifestEntry;
import org.treehaul.core.plan.Plan;
import org.treehaul.core.plan.PlanRecords;
import org.treehaul.core.plan.PlannedBatch;
import org.treehaul.core.plan.PlannedFailure;

/** What became of all batches, by the attempts' own journals, each of which is read once. */
final class BatchSurvey {

    private final Map<EntryFailure.Kind, Long> failures = new EnumMap<>(EntryFailure.Kind.class);
    private final List<Integer> open = new ArrayList<>();
    private long entries;
    private long done;
    private long skipped;
    private long changed;
    private long unplanned;

    private BatchSurvey() {}

    /**
     * Reads the journals.
     *
     * @param chunks gets each chunk that is done; null where nobody wants them
     */
    static BatchSurvey of(TransferDirectory directory, Plan plan, FinishingHistory history, @Nullable ChunkSort chunks)
            throws IOException {
        BatchSurvey survey = new BatchSurvey();
        Attempts attempts = Attempts.atBatches(directory);
        Map<Integer, Integer> newest = attempts.newest();
        for (PlannedBatch batch : plan.batches()) {
            BatchOutcome outcome = BatchOutcome.read(attempts, batch.number(), newest.getOrDefault(batch.number(), 0),
                    history);
            survey.add(batch, outcome);
            if (chunks != null && survey.open.isEmpty()) {
                addChunks(plan, batch, outcome, chunks);
            }
        }
        return survey;
    }

    private void add(PlannedBatch batch, BatchOutcome outcome) {
        entries += batch.entries();
        if (!outcome.isComplete(batch.entries())) {
            open.add(batch.number());
        }
        BatchOutcome.Tally tally = outcome.tally();
        done += tally.done();
        skipped += tally.skipped();
        changed += tally.changed();
        tally.failures().forEach(this::failed);
    }

    private static void addChunks(Plan plan, PlannedBatch batch, BatchOutcome outcome, ChunkSort chunks)
            throws IOException {
        try (PlanRecords<ManifestEntry> manifest = plan.manifest(batch.number())) {
            for (ManifestEntry entry = manifest.next(); entry != null; entry = manifest.next()) {
                Optional<JournalRecord.Chunk> chunk = entry.chunk() == null
                        ? Optional.empty()
                        : outcome.chunk(entry.index());
                if (chunk.isPresent()) {
                    chunks.add(entry, batch.number(), chunk.get());
                }
            }
        }
    }

    /** Counts what could not be planned and was not tried again. */
    void addUnplanned(Plan plan, FinishingHistory history) throws IOException {
        try (PlanRecords<PlannedFailure> failed = plan.failures()) {
            for (PlannedFailure failure = failed.next(); failure != null; failure = failed.next()) {
                if (!history.isMended(failure)) {
                    failed(failure.failure().kind(), 1);
                }
            }
        }
    }

    /** Counts what could not be planned and was copied all the same. */
    void addCopied(FinishingHistory history) {
        unplanned = history.unplanned();
    }

    void failed(EntryFailure.Kind kind, long count) {
        failures.merge(kind, count, Long::sum);
    }

    /** Returns the batches that are not complete. */
    List<Integer> open() {
        return open;
    }

    TransferResult result(TransferResult.State state, int generation, String problem) {
        return new TransferResult(state, generation, Instant.now(), entries, done, skipped, changed, unplanned,
                failures, open.size(), problem);
    }

    boolean hasFailures() {
        return !failures.isEmpty();
    }
}
