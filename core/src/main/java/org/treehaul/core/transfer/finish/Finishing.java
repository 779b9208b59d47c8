// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.finish;

import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlannedBatch;
import org.treehaul.core.state.StateFile;
import org.treehaul.core.transfer.directory.Durations;
import org.treehaul.core.transfer.directory.GenerationResult;
import org.treehaul.core.transfer.directory.Heartbeat;
import org.treehaul.core.transfer.directory.Lease;
import org.treehaul.core.transfer.directory.ServerClock;
import org.treehaul.core.transfer.directory.StateDirectory;
import org.treehaul.core.transfer.directory.ThisProcess;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.directory.WrongMountException;
import org.treehaul.core.transfer.journal.AttemptName;
import org.treehaul.core.transfer.journal.Attempts;
import org.treehaul.core.transfer.journal.BatchOutcome;
import org.treehaul.core.transfer.journal.FinishingHistory;
import org.treehaul.core.transfer.journal.JournalRecord;
import org.treehaul.core.transfer.journal.JournalWriter;

/**
 * Completes a transfer once its workers have ended: gives large files their names and directories their metadata,
 * removes the remains of dead workers, and reports. It trusts only the journals of the attempts. After a kill at any
 * moment the whole of it can be repeated.
 */
public final class Finishing {

    private static final long NAP_MILLIS = 50;
    private static final long MOST_NAP_MILLIS = 1_000;

    private final FileSystemCalls calls;
    private final TransferDirectory directory;
    private final int generation;
    private final Attempts attempts;
    private int threads;
    private boolean isFollowed;

    private Finishing(FileSystemCalls calls, TransferDirectory directory, int generation) {
        this.calls = calls;
        this.directory = directory;
        this.generation = generation;
        this.attempts = Attempts.atFinishing(directory);
    }

    /** Returns the finishing of a generation of a transfer. */
    public static Finishing of(FileSystemCalls calls, TransferDirectory directory, int generation) {
        return new Finishing(calls, directory, generation);
    }

    /** Sets the number of threads; 0 uses the options of the transfer. */
    public Finishing withThreads(int number) {
        threads = number;
        return this;
    }

    /**
     * Declares that another finishing of this generation will follow if this one is cancelled, so that a cancellation
     * records no result.
     */
    public Finishing withAnother() {
        isFollowed = true;
        return this;
    }

    /**
     * Finishes and records the result, unless there is a newer generation or this one is cancelled. If several
     * processes call this at once, one waits for the other. A generation that is already finished is left as it is, and
     * its result returned.
     *
     * @param listener receives failures and notices, on any thread
     * @param progress counts the work done
     * @throws WrongMountException if this host does not see the source or destination; nothing was written there
     * @throws IOException if the plan or the state directory cannot be read or written; the message names the remedy
     */
    public TransferResult finish(EventListener listener, Progress progress, Cancellation cancellation)
            throws IOException {
        Optional<Claimed> won = claim(cancellation, false);
        if (won.isPresent()) {
            return finish(won.get(), false, listener, progress, cancellation);
        }
        return ended().orElseGet(() -> TransferResult.empty(generation,
                cancellation.isCancelled() ? TransferResult.State.STOPPED : TransferResult.State.SUPERSEDED, ""));
    }

    /**
     * Finishes on behalf of an idle worker if all batches are done and no other process is finishing, so that a job
     * waiting in a queue does not delay the completion of the copy. The result is recorded only if everything was
     * tried: a finishing that is stopped or fails is left to the finishing job.
     *
     * @param listener receives failures and notices, on any thread
     * @param progress counts the work done
     * @return the result; empty if batches are left, or another process is finishing or has finished
     * @throws IOException as for {@link #finish}
     */
    public Optional<TransferResult> finishIfLast(EventListener listener, Progress progress, Cancellation cancellation)
            throws IOException {
        if (isOutdated() || !areBatchesDone()) {
            return Optional.empty();
        }
        Optional<Claimed> won = claim(cancellation, true);
        return won.isEmpty()
                ? Optional.empty()
                : Optional.of(finish(won.get(), true, listener, progress, cancellation));
    }

    private TransferResult finish(Claimed won, boolean isByWorker, EventListener listener, Progress progress,
            Cancellation cancellation) throws IOException {
        Cancellation stop = Cancellation.of(cancellation);
        Lease lease = new Lease(Durations.part(directory.timing().takeover(), 2), stop, won.since());
        try (JournalWriter journal = won.journal();
                Heartbeat heartbeat = new Heartbeat(lease, directory.timing(), () -> beat(journal, won.name()))) {
            heartbeat.start();
            TransferResult result;
            try {
                result = !Plan.exists(directory.plan())
                        ? TransferResult.empty(generation, TransferResult.State.INCOMPLETE,
                                "there is no plan: the output of the planning job " + "is in " + directory.log()
                                        + "; 'treehaul resume' plans again")
                        : new FinishingRun(calls, directory, generation, threads, journal, lease,
                                lease.whileGood(listener), progress, stop).finish();
            } catch (IOException e) {
                if (isOvertaken(won.name())) {
                    // The other process has removed files that this one used.
                    journal.end(new JournalRecord.End(JournalRecord.Ending.STOPPED, 0, 0, 0, 0));
                    return TransferResult.empty(generation, TransferResult.State.SUPERSEDED, "");
                }
                if (!isByWorker) {
                    // The record saves the user from searching the output of jobs.
                    GenerationResult.of(directory, generation)
                            .record(TransferResult.empty(generation, TransferResult.State.STOPPED,
                                    StateDirectory.reason(e)));
                }
                journal.end(new JournalRecord.End(JournalRecord.Ending.GAVE_UP, 0, 0, 0, 0));
                throw e;
            }
            boolean isReported = result.isFinal() || !isByWorker && !(isFollowed && cancellation.isCancelled());
            if (isOvertaken(won.name()) || isReported && !GenerationResult.of(directory, generation).record(result)) {
                result = TransferResult.empty(generation, TransferResult.State.SUPERSEDED, "");
            }
            boolean isEnd = isReported && result.state() != TransferResult.State.STOPPED
                    && result.state() != TransferResult.State.SUPERSEDED;
            journal.end(new JournalRecord.End(isEnd ? JournalRecord.Ending.COMPLETE : JournalRecord.Ending.STOPPED,
                    result.done(), result.failed(), result.changed(), 0));
            return result;
        }
    }

    // Reads only the ends of the newest attempts, and after a resume the journals of batches that were not tried since:
    // finishing reads the complete journals before it trusts them.
    private boolean areBatchesDone() throws IOException {
        if (!Plan.exists(directory.plan())) {
            return false;
        }
        Plan plan = Plan.open(directory.plan());
        if (!plan.isSealed()) {
            return false;
        }
        Attempts batches = Attempts.atBatches(directory);
        Map<Integer, Integer> newest = batches.newest();
        for (int batch = 0; batch < plan.batchCount(); batch++) {
            AttemptName last = new AttemptName(batch, newest.getOrDefault(batch, 0));
            if (last.number() == 0 || !hasEnded(batches, last, JournalRecord.Ending.COMPLETE)) {
                return false;
            }
        }
        return generation == 1 || areRetried(batches, newest, plan);
    }

    // Workers that take only the batches of their own hosts leave failures of an earlier generation to those of others.
    private boolean areRetried(Attempts batches, Map<Integer, Integer> newest, Plan plan) throws IOException {
        FinishingHistory history = FinishingHistory.read(directory);
        for (PlannedBatch batch : plan.batches()) {
            AttemptName last = new AttemptName(batch.number(), newest.getOrDefault(batch.number(), 0));
            boolean isOfNow = batches.header(last).filter(header -> header.generation() == generation).isPresent();
            if (!isOfNow
                    && !BatchOutcome.read(batches, batch.number(), last.number(), history).isWhole(batch.entries())) {
                return false;
            }
        }
        return true;
    }

    private static boolean hasEnded(Attempts attempts, AttemptName name, JournalRecord.Ending how) throws IOException {
        return attempts.end(name).filter(end -> end.ending() == how).isPresent();
    }

    private Optional<TransferResult> ended() throws IOException {
        return GenerationResult.of(directory, generation).result().filter(TransferResult::isFinal);
    }

    /**
     * Records that no process will continue or finish this generation, unless it is already finished or superseded.
     *
     * @throws IOException if the state directory cannot be written
     */
    public void giveUp(String problem) throws IOException {
        GenerationResult end = GenerationResult.of(directory, generation);
        if (end.result().isEmpty() && !isOutdated()) {
            end.record(TransferResult.empty(generation, TransferResult.State.INCOMPLETE, problem));
        }
    }

    private boolean isOvertaken(AttemptName name) throws IOException {
        return isOutdated() || attempts.exists(name.next());
    }

    private boolean isOutdated() throws IOException {
        return directory.generations().newest() != generation;
    }

    /**
     * A claim on the finishing of a generation.
     *
     * @param since a moment before it was made
     */
    private record Claimed(AttemptName name, JournalWriter journal, Lease.Moment since) {}

    // Waits until another process that is finishing this generation ends or dies. A worker does not wait for one that
    // is alive, and does not retry a finishing that failed: that is left to the finishing job.
    private Optional<Claimed> claim(Cancellation cancellation, boolean isByWorker) throws IOException {
        Optional<FileTime> firstHeard = Optional.empty();
        long nap = NAP_MILLIS;
        try (ServerClock clock = new ServerClock(directory.progress())) {
            while (!cancellation.isCancelled() && !isOutdated() && ended().isEmpty()) {
                AttemptName last = new AttemptName(generation, attempts.newest().getOrDefault(generation, 0));
                boolean isOver = last.number() == 0 || attempts.end(last).isPresent();
                if (isByWorker && last.number() > 0 && hasEnded(attempts, last, JournalRecord.Ending.GAVE_UP)) {
                    return Optional.empty();
                }
                if (isOver || isDead(clock, last)) {
                    Lease.Moment since = Lease.Moment.now();
                    Optional<JournalWriter> journal = attempts.claim(last.next(), generation);
                    if (journal.isPresent()) {
                        return journal.map(own -> new Claimed(last.next(), own, since));
                    }
                } else if (isByWorker) {
                    Optional<FileTime> heard = ServerClock.newest(attempts.journal(last),
                            directory.finishingHeartbeat(generation));
                    if (firstHeard.isPresent() && heard.isPresent() && heard.get().compareTo(firstHeard.get()) > 0) {
                        return Optional.empty();
                    }
                    firstHeard = firstHeard.isPresent() ? firstHeard : heard;
                }
                try {
                    Thread.sleep(nap);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    cancellation.cancel();
                }
                nap = Math.min(2 * nap, Math.min(MOST_NAP_MILLIS, directory.timing().heartbeat().toMillis()));
            }
        }
        return Optional.empty();
    }

    private boolean isDead(ServerClock clock, AttemptName name) throws IOException {
        Path journal = attempts.journal(name);
        Path alive = directory.finishingHeartbeat(generation);
        Duration silenceLimit = directory.silenceLimit();
        return ServerClock.age(clock.now(), journal, alive).orElse(Duration.ZERO).compareTo(silenceLimit) > 0
                && clock.ageAtServer(journal, alive).orElse(Duration.ZERO).compareTo(silenceLimit) > 0;
    }

    private Optional<Lease.Loss> beat(JournalWriter journal, AttemptName name) throws IOException {
        journal.beat();
        StateFile.empty()
                .withEscaped("host", ThisProcess.host())
                .replace(directory.finishingHeartbeat(generation), false);
        if (isOutdated()) {
            return Optional.of(Lease.Loss.SUPERSEDED);
        }
        return attempts.exists(name.next()) ? Optional.of(Lease.Loss.TAKEN_OVER) : Optional.empty();
    }
}
