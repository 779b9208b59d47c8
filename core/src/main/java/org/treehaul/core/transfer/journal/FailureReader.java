// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.journal;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.plan.format.ManifestEntry;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanRecords;
import org.treehaul.core.plan.format.PlanTotals;
import org.treehaul.core.plan.format.PlannedBatch;
import org.treehaul.core.plan.format.PlannedFailure;
import org.treehaul.core.transfer.directory.TransferDirectory;

/**
 * Reads the failures that no later attempt resolved. It reports a file in chunks once, and a directory that failed as a
 * whole instead of its entries. Memory grows with the failures of one batch, those of planning, and the reported files
 * in chunks and directories.
 */
public final class FailureReader {

    /** Receives failures. */
    public interface Consumer {

        /** Receives a failure; its index has no meaning here. */
        void accept(FailureRecord failure);
    }

    private final TransferDirectory directory;
    private final Consumer consumer;
    // Reported files in chunks and directories, as text: each is reported once, regardless of its number of batches.
    private final Set<String> reported = new HashSet<>();

    public FailureReader(TransferDirectory directory, Consumer consumer) {
        this.directory = directory;
        this.consumer = consumer;
    }

    public void read() throws IOException {
        Plan plan = Plan.open(directory.plan());
        Attempts attempts = Attempts.atBatches(directory);
        FinishingHistory history = FinishingHistory.read(directory);
        RetriedPlaces retried = finishing();
        if (plan.isSealed()) {
            planned(plan, retried);
        }
        Map<Integer, Integer> newest = attempts.newest();
        for (PlannedBatch batch : plan.batches()) {
            batch(plan, attempts, batch.number(), newest.getOrDefault(batch.number(), 0), history);
        }
    }

    // A planned failure that finishing retried is reported by that finishing, if it still fails.
    private void planned(Plan plan, RetriedPlaces retried) throws IOException {
        Optional<VerifiedCopy> verified = VerifiedCopy.of(directory);
        FinishingHistory history = verified.isPresent()
                ? verified.get().history(directory)
                : FinishingHistory.read(directory);
        try (PlanRecords<PlannedFailure> failed = plan.failures()) {
            for (PlannedFailure failure = failed.next(); failure != null; failure = failed.next()) {
                ByteString path = ByteString.of(failure.failure().path().toBytes());
                if (!history.wasCopied(failure) && !retried.isWhole(failure.root(), path)) {
                    consumer.accept(new FailureRecord(FailureRecord.NO_ENTRY, failure.failure(), 1));
                }
            }
        }
    }

    private void batch(Plan plan, Attempts attempts, int batch, int newest, FinishingHistory history)
            throws IOException {
        BatchOutcome outcome = BatchOutcome.read(attempts, batch, newest, history);
        if (outcome.tally().failures().isEmpty()) {
            return;
        }
        Map<Integer, FailureRecord> last = new HashMap<>();
        Map<String, EntryFailure> directories = new HashMap<>();
        for (int number = 1; number <= newest; number++) {
            read(attempts, new AttemptName(batch, number), last, directories);
        }
        last.keySet().removeIf(index -> !outcome.isFailed(index));
        Set<Integer> chunks = chunks(plan, batch);
        last.forEach((index, failure) -> {
            FailureRecord folded = above(directories, failure);
            boolean isFolded = !folded.equals(failure) || chunks.contains(index);
            if (!isFolded || reported.add(folded.failure().toString())) {
                consumer.accept(folded);
            }
        });
    }

    private static Set<Integer> chunks(Plan plan, int batch) throws IOException {
        Set<Integer> chunks = new HashSet<>();
        if (plan.totals().map(PlanTotals::chunked).orElse(1L) > 0) {
            try (PlanRecords<ManifestEntry> manifest = plan.manifest(batch)) {
                for (ManifestEntry entry = manifest.next(); entry != null; entry = manifest.next()) {
                    if (entry.chunk() != null) {
                        chunks.add(entry.index());
                    }
                }
            }
        }
        return chunks;
    }

    // An entry that failed because its directory failed is replaced by the failure of that directory.
    private static FailureRecord above(Map<String, EntryFailure> directories, FailureRecord record) {
        EntryFailure failure = record.failure();
        TreePath path = failure.path();
        while (!directories.isEmpty() && path.depth() > 0) {
            path = path.parent();
            EntryFailure known = directories
                    .get(new EntryFailure(failure.kind(), failure.root(), path, failure.operation(), failure.errno())
                            .toString());
            if (known != null) {
                return new FailureRecord(FailureRecord.NO_ENTRY, known, record.tries());
            }
        }
        return record;
    }

    private static void read(Attempts attempts, AttemptName name, Map<Integer, FailureRecord> last,
            Map<String, EntryFailure> directories) throws IOException {
        try {
            attempts.read(name, (offset, record) -> {
                if (record instanceof JournalRecord.Failed failed) {
                    FailureRecord latest = failed.failure();
                    if (latest.index() == FailureRecord.NO_ENTRY) {
                        directories.put(latest.failure().toString(), latest.failure());
                    } else {
                        last.put(latest.index(), latest);
                    }
                }
            });
        } catch (NoSuchFileException e) {
            // Without a journal there are no records.
        }
    }

    // Only the newest finishing counts: it has retried everything that earlier ones could not do.
    private RetriedPlaces finishing() throws IOException {
        RetriedPlaces retried = new RetriedPlaces();
        Attempts finishing = Attempts.atFinishing(directory);
        Map<Integer, Integer> newest = finishing.newest();
        int generation = newest.keySet().stream().mapToInt(Integer::intValue).max().orElse(0);
        if (generation > 0) {
            finishing.read(new AttemptName(generation, newest.getOrDefault(generation, 0)), (offset, record) -> {
                if (record instanceof JournalRecord.Failed failed) {
                    reported.add(failed.failure().failure().toString());
                    consumer.accept(failed.failure());
                } else if (record instanceof JournalRecord.Retried again) {
                    // Whatever became of it.
                    retried.put(again.root(), again.path(), true, 0);
                }
            });
        }
        return retried;
    }
}
