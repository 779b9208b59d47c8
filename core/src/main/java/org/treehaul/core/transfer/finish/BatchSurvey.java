// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.finish;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.plan.format.ManifestEntry;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanRecords;
import org.treehaul.core.plan.format.PlannedBatch;
import org.treehaul.core.plan.format.PlannedFailure;
import org.treehaul.core.sync.SyncResult;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.journal.Attempts;
import org.treehaul.core.transfer.journal.BatchOutcome;
import org.treehaul.core.transfer.journal.ChunkSort;
import org.treehaul.core.transfer.journal.FinishingHistory;
import org.treehaul.core.transfer.journal.JournalRecord;

/** The outcome of all batches, according to the journals of the attempts, each of which is read once. */
final class BatchSurvey {

    private final Map<EntryFailure.Kind, Long> failures = new EnumMap<>(EntryFailure.Kind.class);
    private final List<Integer> open = new ArrayList<>();
    private long entries;
    private long done;
    private long skipped;
    private long changed;
    private long unplanned;
    private long removed;

    private BatchSurvey() {}

    /**
     * Reads the journals.
     *
     * @param chunks receives each chunk that is done or skipped, or null
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
                } else if (entry.chunk() != null && outcome.isSkipped(entry.index())) {
                    chunks.addSkipped(entry);
                }
            }
        }
    }

    /** Counts the entries that could not be planned and were not copied by a retry. */
    void addUnplanned(Plan plan, FinishingHistory history) throws IOException {
        try (PlanRecords<PlannedFailure> failed = plan.failures()) {
            for (PlannedFailure failure = failed.next(); failure != null; failure = failed.next()) {
                if (!history.wasCopied(failure)) {
                    failed(failure.failure().kind(), 1);
                }
            }
        }
    }

    /** Counts the entries that could not be planned but were copied by a retry. */
    void addCopied(FinishingHistory history) {
        unplanned = history.unplanned();
    }

    /** Counts what a sync did after the batches. */
    void addSync(SyncResult sync) {
        unplanned += sync.copied();
        removed = sync.removed();
    }

    /** Returns whether entries failed for another reason than that they vanished or changed. */
    boolean hasErrors() {
        return failures.containsKey(EntryFailure.Kind.ERROR) || failures.containsKey(EntryFailure.Kind.CORRUPT);
    }

    /** Counts a further name of a large file that belongs to another file than was planned. */
    void addChanged() {
        changed++;
    }

    void failed(EntryFailure.Kind kind, long count) {
        failures.merge(kind, count, Long::sum);
    }

    /** Returns the batches that are not complete. */
    List<Integer> open() {
        return open;
    }

    TransferResult result(TransferResult.State state, int generation, String problem) {
        return new TransferResult(state, generation, Instant.now(), entries, done, skipped, changed, unplanned, removed,
                failures, open.size(), problem);
    }

    boolean hasFailures() {
        return !failures.isEmpty();
    }
}
