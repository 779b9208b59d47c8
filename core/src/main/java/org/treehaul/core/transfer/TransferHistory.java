// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.journal.AttemptName;
import org.treehaul.core.transfer.journal.Attempts;
import org.treehaul.core.transfer.journal.BatchProgress;
import org.treehaul.core.transfer.journal.JournalRecord;
import org.treehaul.core.transfer.journal.ProgressReader;

/** Reads all attempts at the batches of a transfer: two small reads for each. */
final class TransferHistory {

    private TransferHistory() {}

    /** Returns the attempts in the order of their beginning. Attempts without a readable header are left out. */
    static List<AttemptRecord> read(TransferDirectory transfer) throws IOException {
        Attempts attempts = Attempts.atBatches(transfer);
        return read(transfer, attempts, attempts.newest());
    }

    /** Returns the attempts at one batch, in the same order. */
    static List<AttemptRecord> read(TransferDirectory transfer, int batch) throws IOException {
        Attempts attempts = Attempts.atBatches(transfer);
        return read(transfer, attempts, Map.of(batch, attempts.newest(batch, Map.of())));
    }

    private static List<AttemptRecord> read(TransferDirectory transfer, Attempts attempts,
            Map<Integer, Integer> numbers) throws IOException {
        List<AttemptRecord> all = new ArrayList<>();
        try (ProgressReader progress = new ProgressReader(transfer)) {
            for (Map.Entry<Integer, Integer> newest : numbers.entrySet()) {
                for (int number = 1; number <= newest.getValue(); number++) {
                    attempt(attempts, progress, new AttemptName(newest.getKey(), number)).ifPresent(all::add);
                }
            }
        }
        all.sort(Comparator.comparing(AttemptRecord::started)
                .thenComparingInt(AttemptRecord::batch)
                .thenComparingInt(AttemptRecord::number));
        return all;
    }

    private static Optional<AttemptRecord> attempt(Attempts attempts, ProgressReader progress, AttemptName name)
            throws IOException {
        Optional<JournalRecord.Header> found;
        Optional<JournalRecord.End> end;
        try {
            found = attempts.header(name);
            end = attempts.end(name);
        } catch (NoSuchFileException e) {
            // The transfer is being planned again.
            return Optional.empty();
        }
        if (found.isEmpty()) {
            return Optional.empty();
        }
        JournalRecord.Header header = found.get();
        Optional<BatchProgress> reported = progress.read(name);
        return Optional.of(new AttemptRecord(name.batch(), name.number(), header.generation(), worker(header),
                end.map(e -> state(e.ending())).orElse(AttemptRecord.State.OPEN), header.time(),
                reported.map(p -> Instant.ofEpochMilli(p.reported())).orElse(header.time()),
                reported.map(BatchProgress::newEntries).or(() -> end.map(JournalRecord.End::done)).orElse(0L),
                reported.map(p -> p.newData() + p.current().bytes())
                        .or(() -> end.map(JournalRecord.End::bytes))
                        .orElse(0L),
                reported.map(BatchProgress::failed).or(() -> end.map(JournalRecord.End::failed)).orElse(0L),
                reported.map(BatchProgress::slowest).orElse(List.of())));
    }

    private static AttemptRecord.State state(JournalRecord.Ending ending) {
        return switch (ending) {
            case COMPLETE -> AttemptRecord.State.COMPLETE;
            case STOPPED -> AttemptRecord.State.STOPPED;
            case GAVE_UP -> AttemptRecord.State.GAVE_UP;
        };
    }

    // Jobs of different generations may have the same process id.
    private static String worker(JournalRecord.Header header) {
        return header.host() + (header.job().isEmpty() ? "" : ", job " + header.job()) + ", process " + header.pid();
    }
}
