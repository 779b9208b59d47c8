// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.journal;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanRecords;
import org.treehaul.core.plan.format.PlannedFailure;
import org.treehaul.core.transfer.directory.TransferDirectory;

/**
 * Every failure that was recorded for a transfer, also those that a later attempt resolved, unlike
 * {@link FailureReader}. Memory grows with the failures of one batch.
 */
public final class FailureHistory {

    private final TransferDirectory directory;
    private final Plan plan;
    private final Attempts attempts;
    private final FinishingHistory history;

    private FailureHistory(TransferDirectory directory, Plan plan) throws IOException {
        this.directory = directory;
        this.plan = plan;
        this.attempts = Attempts.atBatches(directory);
        this.history = FinishingHistory.read(directory);
    }

    /** Opens the failures of a transfer that has this plan. */
    public static FailureHistory of(TransferDirectory directory, Plan plan) throws IOException {
        return new FailureHistory(directory, plan);
    }

    /** Returns the failures of all attempts at a batch. */
    public List<AttemptFailure> ofBatch(int batch) throws IOException {
        int newest = attempts.newest(batch, Map.of());
        List<AttemptFailure> all = new ArrayList<>();
        for (int number = 1; number <= newest; number++) {
            read(attempts, new AttemptName(batch, number), batch, false, all::add);
        }
        if (all.isEmpty()) {
            return all;
        }
        BatchOutcome outcome = BatchOutcome.read(attempts, batch, newest, history);
        all.replaceAll(failure -> {
            int index = failure.record().index();
            return resolved(failure,
                    index == FailureRecord.NO_ENTRY ? failure.attempt() < newest : outcome.isDone(index));
        });
        return all;
    }

    private static AttemptFailure resolved(AttemptFailure failure, boolean isResolved) {
        return new AttemptFailure(failure.batch(), failure.attempt(), failure.generation(), failure.host(),
                failure.record(), isResolved);
    }

    /** Passes the failures of planning and of all finishing on, one after another. */
    public void ofNoBatch(Consumer<AttemptFailure> consumer) throws IOException {
        if (plan.isSealed()) {
            Optional<VerifiedCopy> verified = VerifiedCopy.of(directory);
            FinishingHistory copied = verified.isPresent() ? verified.get().history(directory) : history;
            try (PlanRecords<PlannedFailure> failures = plan.failures()) {
                for (PlannedFailure failure = failures.next(); failure != null; failure = failures.next()) {
                    consumer.accept(new AttemptFailure(AttemptFailure.NO_BATCH, 0, 0, plan.header().host(),
                            new FailureRecord(FailureRecord.NO_ENTRY, failure.failure(), 1),
                            copied.wasCopied(failure)));
                }
            }
        }
        Attempts finishing = Attempts.atFinishing(directory);
        Map<Integer, Integer> newest = new TreeMap<>(finishing.newest());
        int last = newest.keySet().stream().mapToInt(Integer::intValue).max().orElse(0);
        for (Map.Entry<Integer, Integer> generation : newest.entrySet()) {
            for (int number = 1; number <= generation.getValue(); number++) {
                // The newest finishing has retried everything that earlier ones could not do.
                boolean isNewest = generation.getKey() == last && number == generation.getValue();
                read(finishing, new AttemptName(generation.getKey(), number), AttemptFailure.NO_BATCH, !isNewest,
                        consumer);
            }
        }
    }

    private static void read(Attempts from, AttemptName name, int batch, boolean isResolved,
            Consumer<AttemptFailure> to) throws IOException {
        try {
            JournalRecord.Header header = from.header(name).orElse(null);
            if (header == null) {
                return;
            }
            from.read(name, (offset, record) -> {
                if (record instanceof JournalRecord.Failed failed) {
                    to.accept(new AttemptFailure(batch, name.number(), header.generation(), header.host(),
                            failed.failure(), isResolved));
                }
            });
        } catch (NoSuchFileException e) {
            // The transfer is being planned again.
        }
    }
}
