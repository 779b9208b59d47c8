// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import org.treehaul.core.copy.ChunkedCopy;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.plan.ManifestEntry;
import org.treehaul.core.plan.Plan;
import org.treehaul.core.plan.PlanRecords;
import org.treehaul.core.plan.PlannedBatch;
import org.treehaul.core.plan.PlannedFailure;
import org.treehaul.core.plan.PlannedFile;

/** What became of all batches, by the attempts' own journals. Memory grows with the number of chunks. */
final class BatchSurvey {

    private final Map<EntryFailure.Kind, Long> failures = new EnumMap<>(EntryFailure.Kind.class);
    private final List<Integer> open = new ArrayList<>();
    private final Map<FileName, LargeFile> largeFiles = new HashMap<>();
    private long entries;
    private long done;
    private long skipped;
    private long changed;

    /** A file of a root. */
    record FileName(int root, TreePath path) {

        static FileName of(PlannedFile file) {
            return new FileName(file.root(), file.path());
        }
    }

    /** A chunk that is done, and which entry of which batch it is. */
    record DoneChunk(int batch, int index, ChunkedCopy.Chunk chunk) {}

    /** What is known of a file in chunks: those that are done, and how many were left alone. */
    static final class LargeFile {

        final TreeMap<Integer, DoneChunk> chunks = new TreeMap<>();
        int skipped;
    }

    private BatchSurvey() {}

    static BatchSurvey of(TransferDirectory directory, Plan plan, FinishingHistory history) throws IOException {
        BatchSurvey survey = new BatchSurvey();
        Attempts attempts = Attempts.atBatches(directory);
        Map<Integer, Integer> newest = attempts.newest();
        for (PlannedBatch batch : plan.batches()) {
            survey.add(batch,
                    BatchOutcome.read(attempts, batch.number(), newest.getOrDefault(batch.number(), 0), history));
        }
        try (PlanRecords<PlannedFailure> failed = plan.failures()) {
            for (PlannedFailure failure = failed.next(); failure != null; failure = failed.next()) {
                survey.failed(failure.failure().kind(), 1);
            }
        }
        boolean hasChunks = plan.totals().filter(totals -> totals.chunked() > 0).isPresent();
        if (survey.open.isEmpty() && hasChunks) {
            for (PlannedBatch batch : plan.batches()) {
                survey.addChunks(plan, batch,
                        BatchOutcome.read(attempts, batch.number(), newest.getOrDefault(batch.number(), 0), history));
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

    private void addChunks(Plan plan, PlannedBatch batch, BatchOutcome outcome) throws IOException {
        try (PlanRecords<ManifestEntry> manifest = plan.manifest(batch.number())) {
            for (ManifestEntry entry = manifest.next(); entry != null; entry = manifest.next()) {
                if (entry.chunk() == null) {
                    continue;
                }
                LargeFile file = largeFiles.computeIfAbsent(new FileName(entry.root(), entry.path()),
                        name -> new LargeFile());
                Optional<JournalRecord.Chunk> chunk = outcome.chunk(entry.index());
                if (chunk.isPresent()) {
                    file.chunks.put(entry.chunk().number(),
                            new DoneChunk(batch.number(), entry.index(), new ChunkedCopy.Chunk(entry.chunk().from(),
                                    entry.chunk().to(), chunk.get().source(), chunk.get().proof())));
                } else if (outcome.isDone(entry.index())) {
                    file.skipped++;
                }
            }
        }
    }

    void failed(EntryFailure.Kind kind, long count) {
        failures.merge(kind, count, Long::sum);
    }

    /** Returns the batches that are not complete. */
    List<Integer> open() {
        return open;
    }

    LargeFile largeFile(PlannedFile file) {
        return largeFiles.getOrDefault(FileName.of(file), new LargeFile());
    }

    TransferResult result(TransferResult.State state, int generation, String problem) {
        return new TransferResult(state, generation, Instant.now(), entries, done, skipped, changed, failures,
                open.size(), problem);
    }

    boolean hasFailures() {
        return !failures.isEmpty();
    }
}
