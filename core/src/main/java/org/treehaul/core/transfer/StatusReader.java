// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.treehaul.core.plan.Plan;
import org.treehaul.core.plan.PlanTotals;
import org.treehaul.core.plan.PlannedBatch;

/**
 * Says how far a transfer is from small files alone: for each batch that was begun one of some 200 bytes, and two looks
 * at the journal of one that did not tell its end. Clocks of nodes may differ: that only makes a batch look dead, or
 * alive, too early.
 */
final class StatusReader {

    private final TransferDirectory directory;
    private final InstantSource clock;
    private final Attempts attempts;
    private double entryRate;
    private double byteRate;

    StatusReader(TransferDirectory directory, InstantSource clock) {
        this.directory = directory;
        this.clock = clock;
        this.attempts = Attempts.atBatches(directory);
    }

    TransferStatus read() throws IOException {
        int generation = directory.generations().newest();
        Optional<TransferResult> result = GenerationEnd.of(directory, generation).result();
        List<BatchStatus> batches = new ArrayList<>();
        boolean isPlanned = false;
        long unplanned = 0;
        if (Plan.exists(directory.plan())) {
            Plan plan = Plan.open(directory.plan());
            isPlanned = plan.isSealed();
            unplanned = plan.totals().map(PlanTotals::failures).orElse(0L);
            Map<Integer, Integer> newest = attempts.newest();
            for (PlannedBatch batch : plan.batches()) {
                batches.add(batch(batch, newest.getOrDefault(batch.number(), 0), generation));
            }
        }
        if (result.filter(end -> end.state() == TransferResult.State.COMPLETE).isPresent()) {
            // What workers told may be missing, or old behind a cache of attributes: that all is copied is known better.
            batches.replaceAll(BatchStatus::whole);
        }
        TransferStatus.State state = state(generation, isPlanned, batches, result);
        return new TransferStatus(directory.id(), directory.kind(), directory.commandLine(), directory.created(),
                generation, state, batches, isPlanned, unplanned, result, rest(batches));
    }

    private BatchStatus batch(PlannedBatch batch, int newest, int generation) throws IOException {
        if (newest == 0) {
            return status(batch, BatchStatus.State.WAITING, 0, Optional.empty());
        }
        AttemptName name = new AttemptName(batch.number(), newest);
        Path file = directory.progress().resolve(name.toString());
        Optional<BatchProgress> told = BatchProgress.read(file);
        BatchStatus.State state;
        if (told.isPresent() && told.get().state() != BatchProgress.State.RUNNING) {
            state = ended(told.get().state(), told.get().failed());
        } else {
            Optional<JournalRecord.End> end = end(name);
            if (end.isPresent()) {
                // It could not tell: there was no room for that.
                state = ended(BatchProgress.State.of(end.get().ending()), end.get().failed());
                return status(batch, state, newest, told).with(end.get());
            }
            int of = told.map(BatchProgress::generation)
                    .or(() -> header(name).map(JournalRecord.Header::generation))
                    .orElse(generation);
            state = of < generation
                    ? BatchStatus.State.WAITING
                    : isDead(name, file) ? BatchStatus.State.DEAD : BatchStatus.State.RUNNING;
        }
        if (told.isPresent() && state == BatchStatus.State.RUNNING) {
            BatchProgress p = told.get();
            double seconds = Math.max(1, p.told() - p.started()) / 1000.0;
            entryRate += p.newEntries() / seconds;
            byteRate += p.newBytes() / seconds;
        }
        return status(batch, state, newest, told);
    }

    private Optional<JournalRecord.End> end(AttemptName name) throws IOException {
        try {
            return attempts.end(name);
        } catch (NoSuchFileException e) {
            // It is planned anew: what was done by the old plan was removed just now.
            return Optional.empty();
        }
    }

    private Optional<JournalRecord.Header> header(AttemptName name) {
        try {
            return attempts.header(name);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private boolean isDead(AttemptName name, Path progressFile) throws IOException {
        return isDead(attempts, name, progressFile);
    }

    private boolean isDead(Attempts of, AttemptName name, Path heartbeat) throws IOException {
        FileTime now = FileTime.from(clock.instant());
        return ServerClock.age(now, of.journal(name), heartbeat)
                .orElse(Duration.ZERO)
                .compareTo(directory.silence()) > 0;
    }

    private boolean isFinishing(int generation) throws IOException {
        Attempts finishing = Attempts.atFinishing(directory);
        AttemptName name = new AttemptName(generation, finishing.newest().getOrDefault(generation, 0));
        try {
            return name.number() > 0 && finishing.end(name).isEmpty()
                    && !isDead(finishing, name, Finishing.heartbeatFile(directory, generation));
        } catch (NoSuchFileException e) {
            // It is planned anew.
            return false;
        }
    }

    private static BatchStatus.State ended(BatchProgress.State how, long failed) {
        return switch (how) {
            case COMPLETE -> failed > 0 ? BatchStatus.State.FAILED : BatchStatus.State.DONE;
            case GAVE_UP -> BatchStatus.State.GAVE_UP;
            case STOPPED, RUNNING -> BatchStatus.State.WAITING;
        };
    }

    private static BatchStatus status(PlannedBatch batch, BatchStatus.State state, int attempts,
            Optional<BatchProgress> told) {
        return new BatchStatus(batch.number(), state, attempts, batch.entries(), batch.files(), batch.bytes(),
                told.map(BatchProgress::entries).orElse(0L), told.map(BatchProgress::files).orElse(0L),
                told.map(BatchProgress::bytes).orElse(0L), told.map(BatchProgress::failed).orElse(0L),
                told.map(BatchProgress::host).orElse(""), told.map(BatchProgress::job).orElse(""),
                told.map(BatchProgress::started).map(Instant::ofEpochMilli),
                told.map(BatchProgress::told).map(Instant::ofEpochMilli));
    }

    private TransferStatus.State state(int generation, boolean isPlanned, List<BatchStatus> batches,
            Optional<TransferResult> result) throws IOException {
        if (generation == 0) {
            return TransferStatus.State.PLANNING;
        }
        if (directory.generations().reason().filter(Generations.Reason.CANCEL::equals).isPresent()) {
            return TransferStatus.State.CANCELLED;
        }
        if (result.isPresent()) {
            return switch (result.get().state()) {
                case COMPLETE -> TransferStatus.State.COMPLETE;
                case PARTIAL -> TransferStatus.State.PARTIAL;
                default -> TransferStatus.State.INCOMPLETE;
            };
        }
        if (batches.stream().anyMatch(batch -> batch.state() == BatchStatus.State.RUNNING)) {
            return TransferStatus.State.RUNNING;
        }
        if (!isPlanned) {
            return TransferStatus.State.PLANNING;
        }
        return isFinishing(generation) ? TransferStatus.State.FINISHING : TransferStatus.State.WAITING;
    }

    // By whichever takes longer: many small files, or few large ones.
    private Optional<Duration> rest(List<BatchStatus> batches) {
        long entries = batches.stream().mapToLong(b -> b.entries() - b.entriesDone() - b.failed()).sum();
        long bytes = batches.stream().mapToLong(b -> b.bytes() - b.bytesDone()).sum();
        if (entryRate <= 0) {
            return Optional.empty();
        }
        double seconds = Math.max(entries / entryRate, byteRate > 0 ? bytes / byteRate : 0);
        return Optional.of(Duration.ofSeconds(Math.max(0, Math.round(seconds))));
    }
}
