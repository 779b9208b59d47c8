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

import org.jspecify.annotations.Nullable;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanTotals;
import org.treehaul.core.plan.format.PlannedBatch;
import org.treehaul.core.transfer.directory.GenerationResult;
import org.treehaul.core.transfer.directory.Generations;
import org.treehaul.core.transfer.directory.ServerClock;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.journal.AttemptName;
import org.treehaul.core.transfer.journal.Attempts;
import org.treehaul.core.transfer.journal.BatchOutcome;
import org.treehaul.core.transfer.journal.BatchProgress;
import org.treehaul.core.transfer.journal.FinishingHistory;
import org.treehaul.core.transfer.journal.JournalRecord;
import org.treehaul.core.transfer.journal.WorkInProgress;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.transfer.request.TransferRequest;

/**
 * Determines the status of a transfer from small files only: about 300 bytes for each batch that was started, and two
 * reads of the journal of a batch whose end is not in its progress file. Clocks of nodes may differ, which only makes a
 * batch look dead, or alive, too early.
 */
final class StatusReader {

    // While a job opens its first files it has no rate: a transfer of minutes would begin with an estimate of months.
    private static final double LEAST_OBSERVED_SECONDS = 1;
    private static final double MOST_EXTRAPOLATION = 1000;

    private final TransferDirectory directory;
    private final InstantSource clock;
    private final SeenWork seen;
    private final Attempts attempts;
    private double entryRate;
    private double dataRate;
    // The newest report of a worker of the newest generation.
    private @Nullable BatchProgress last;

    StatusReader(TransferDirectory directory, InstantSource clock) {
        this(directory, clock, new SeenWork(directory));
    }

    /**
     * Creates a reader.
     *
     * @param seen what earlier readers of the same transfer found
     */
    StatusReader(TransferDirectory directory, InstantSource clock, SeenWork seen) {
        this.directory = directory;
        this.clock = clock;
        this.seen = seen;
        this.attempts = Attempts.atBatches(directory);
    }

    TransferStatus read() throws IOException {
        int generation = directory.generations().newest();
        Optional<TransferResult> result = GenerationResult.of(directory, generation).result();
        Optional<Plan> plan = seen.plan();
        boolean isPlanned = plan.filter(Plan::isSealed).isPresent();
        long unplanned = plan.flatMap(Plan::totals).map(PlanTotals::failures).orElse(0L);
        ReportedProgress progress = plan.isPresent()
                ? ReportedProgress.read(directory, generation > 1, seen)
                : ReportedProgress.none(directory);
        List<BatchStatus> batches = new ArrayList<>();
        if (plan.isPresent()) {
            FinishingHistory history = generation > 1 ? FinishingHistory.read(directory) : FinishingHistory.none();
            for (PlannedBatch batch : plan.get().batches()) {
                batches.add(batch(batch, progress.newest(batch.number()), progress.of(batch.number()), generation,
                        history));
            }
        }
        if (result.filter(end -> end.state() == TransferResult.State.COMPLETE).isPresent()) {
            // Progress files may be missing, or stale in an attribute cache; the result is more reliable.
            batches.replaceAll(BatchStatus::whole);
        }
        TransferStatus.State state = state(generation, isPlanned, batches, result);
        if (state.isActive() && generation > 1) {
            batches.replaceAll(
                    batch -> isOlder(batch, progress.of(batch.number()), generation) ? batch.toBeTriedAgain() : batch);
        }
        Pauses pauses = generation > 1
                ? Pauses.read(directory, generation, state, clock.instant(), progress)
                : Pauses.none();
        Instant began = pauses.began().or(() -> BatchStatus.firstStart(batches)).orElse(directory.created());
        return new TransferStatus(directory.id(), directory.operation(), directory.commandLine(), directory.created(),
                generation, state, batches, isPlanned, unplanned, result, rest(batches), places(plan), began,
                pauses.sum());
    }

    /** Determines the status of one batch. */
    BatchStatus read(PlannedBatch batch) throws IOException {
        int generation = directory.generations().newest();
        FinishingHistory history = generation > 1 ? FinishingHistory.read(directory) : FinishingHistory.none();
        int newest = attempts.newest(batch.number(), Map.of());
        Optional<BatchProgress> reported = newest == 0
                ? Optional.empty()
                : BatchProgress.read(file(new AttemptName(batch.number(), newest)));
        return batch(batch, newest, reported, generation, history);
    }

    private Path file(AttemptName name) {
        return directory.progress().resolve(name.toString());
    }

    private BatchStatus batch(PlannedBatch batch, int newest, Optional<BatchProgress> reported, int generation,
            FinishingHistory history) throws IOException {
        BatchStatus status = batch(batch, newest, reported, generation);
        return status.state() == BatchStatus.State.FAILED
                && history.hasReplaced(batch.number(), newestGeneration(batch.number(), status.attempts()))
                        ? status.with(BatchOutcome.read(attempts, batch.number(), status.attempts(), history).tally())
                        : status;
    }

    private TransferPlaces places(Optional<Plan> plan) throws IOException {
        if (plan.isPresent()) {
            return TransferPlaces.of(plan.get().header().roots(), directory.operation().hasDestination());
        }
        return TransferRequest.find(directory)
                .flatMap(TransferRequest::copy)
                .map(TransferPlaces::of)
                .orElse(TransferPlaces.unknown());
    }

    private boolean isOlder(BatchStatus batch, Optional<BatchProgress> reported, int generation) {
        return batch.attempts() > 0 && reported.map(BatchProgress::generation)
                .orElseGet(() -> newestGeneration(batch.number(), batch.attempts())) < generation;
    }

    private int newestGeneration(int batch, int attempt) {
        return header(new AttemptName(batch, attempt)).map(JournalRecord.Header::generation).orElse(Integer.MAX_VALUE);
    }

    private BatchStatus batch(PlannedBatch batch, int newest, Optional<BatchProgress> reported, int generation)
            throws IOException {
        if (newest == 0) {
            return status(batch, BatchStatus.State.WAITING, 0, reported);
        }
        reported.filter(progress -> progress.generation() == generation
                && (last == null || progress.reported() > last.reported())).ifPresent(progress -> last = progress);
        AttemptName name = new AttemptName(batch.number(), newest);
        BatchStatus.State state;
        if (reported.isPresent() && reported.get().state() != BatchProgress.State.RUNNING) {
            state = ended(reported.get().state(), reported.get().failed());
        } else {
            Optional<JournalRecord.End> end = end(name);
            if (end.isPresent()) {
                // The worker could not write its last progress because the file system was full.
                state = ended(BatchProgress.State.of(end.get().ending()), end.get().failed());
                return status(batch, state, newest, reported).with(end.get());
            }
            int of = reported.isPresent()
                    ? reported.get().generation()
                    : header(name).map(JournalRecord.Header::generation).orElse(generation);
            state = of < generation
                    ? BatchStatus.State.WAITING
                    : isDead(name, file(name)) ? BatchStatus.State.DEAD : BatchStatus.State.RUNNING;
        }
        if (reported.isPresent() && state == BatchStatus.State.RUNNING) {
            BatchProgress p = reported.get();
            double seconds = Math.max(1, p.reported() - p.started()) / 1000.0;
            entryRate += p.newEntries() / seconds;
            dataRate += (p.newData() + p.current().bytes()) / seconds;
            return status(batch, state, newest, reported).with(p.current());
        }
        return status(batch, state, newest, reported);
    }

    private Optional<JournalRecord.End> end(AttemptName name) throws IOException {
        try {
            return attempts.end(name);
        } catch (NoSuchFileException e) {
            // The transfer is being planned again, and the results of the old plan were just removed.
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
                .compareTo(directory.silenceLimit()) > 0;
    }

    private boolean isFinishing(int generation) throws IOException {
        Attempts finishing = Attempts.atFinishing(directory);
        AttemptName name = new AttemptName(generation, finishing.newest().getOrDefault(generation, 0));
        try {
            return name.number() > 0 && finishing.end(name).isEmpty()
                    && !isDead(finishing, name, directory.finishingHeartbeat(generation));
        } catch (NoSuchFileException e) {
            // The transfer is being planned again.
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
            Optional<BatchProgress> reported) {
        if (reported.isEmpty()) {
            return new BatchStatus(batch.number(), state, attempts, batch.entries(), batch.files(), batch.bytes(),
                    batch.data(), 0, 0, 0, 0, 0, "", "", Optional.empty(), Optional.empty(), WorkInProgress.none());
        }
        BatchProgress p = reported.get();
        return new BatchStatus(batch.number(), state, attempts, batch.entries(), batch.files(), batch.bytes(),
                batch.data(), p.entries(), p.files(), p.bytes(), p.data(), p.failed(), p.host(), p.job(),
                Optional.of(Instant.ofEpochMilli(p.started())), Optional.of(Instant.ofEpochMilli(p.reported())),
                WorkInProgress.none());
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
        if (batches.stream().anyMatch(batch -> batch.state() == BatchStatus.State.RUNNING)
                || isBetweenBatches(batches)) {
            return TransferStatus.State.RUNNING;
        }
        if (Refusal.of(directory, generation).isPresent()) {
            return TransferStatus.State.NOT_SUBMITTED;
        }
        if (!isPlanned) {
            return TransferStatus.State.PLANNING;
        }
        return isFinishing(generation) ? TransferStatus.State.FINISHING : TransferStatus.State.WAITING;
    }

    // Batches that take less time than this reading were not begun when it began, or are done: its worker has the next one.
    private boolean isBetweenBatches(List<BatchStatus> batches) {
        return last != null && last.state() == BatchProgress.State.COMPLETE
                && Math.abs(clock.millis() - last.reported()) < directory.timing().heartbeat().toMillis()
                && batches.stream()
                        .anyMatch(batch -> batch.state() != BatchStatus.State.DONE
                                && batch.state() != BatchStatus.State.FAILED);
    }

    private static Duration observed(List<BatchStatus> batches) {
        Optional<Instant> began = BatchStatus.firstStart(batches);
        Optional<Instant> last = BatchStatus.lastReport(batches);
        return began.isPresent() && last.isPresent() ? Duration.between(began.get(), last.get()) : Duration.ZERO;
    }

    // The slower of the two counts: many small files, or few large ones. Holes take no time.
    private Optional<Duration> rest(List<BatchStatus> batches) {
        long entries = batches.stream().mapToLong(b -> b.entries() - b.entriesDone() - b.failed()).sum();
        long data = directory.operation() instanceof Operation.OnEntries
                ? 0
                : batches.stream().mapToLong(b -> b.data() - b.dataDone()).sum();
        if (entryRate <= 0 && dataRate <= 0) {
            return Optional.empty();
        }
        double seconds = Math.max(entryRate > 0 ? entries / entryRate : 0, dataRate > 0 ? data / dataRate : 0);
        double observed = observed(batches).toMillis() / 1000.0;
        if (observed < LEAST_OBSERVED_SECONDS || seconds > observed * MOST_EXTRAPOLATION) {
            return Optional.empty();
        }
        return Optional.of(Duration.ofSeconds(Math.max(0, Math.round(seconds))));
    }
}
