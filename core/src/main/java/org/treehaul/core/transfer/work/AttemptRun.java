// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.work;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanException;
import org.treehaul.core.task.CommandOperation;
import org.treehaul.core.transfer.batch.BatchCounts;
import org.treehaul.core.transfer.batch.BatchWork;
import org.treehaul.core.transfer.batch.Claims;
import org.treehaul.core.transfer.batch.CommandWork;
import org.treehaul.core.transfer.batch.CopyWork;
import org.treehaul.core.transfer.batch.DestinationWatch;
import org.treehaul.core.transfer.batch.Durability;
import org.treehaul.core.transfer.batch.EntryWork;
import org.treehaul.core.transfer.batch.TaskSlots;
import org.treehaul.core.transfer.batch.WorkSettings;
import org.treehaul.core.transfer.directory.Durations;
import org.treehaul.core.transfer.directory.Heartbeat;
import org.treehaul.core.transfer.directory.Lease;
import org.treehaul.core.transfer.directory.StateDirectory;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.journal.Attempts;
import org.treehaul.core.transfer.journal.BatchProgress;
import org.treehaul.core.transfer.journal.EntryTracker;
import org.treehaul.core.transfer.journal.JournalRecord;
import org.treehaul.core.transfer.journal.JournalWriter;
import org.treehaul.core.transfer.journal.WorkInProgress;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.transfer.verify.VerifyWork;

/** Runs an attempt at a batch with its background work: heartbeat, syncs, progress and the end of its journal. */
final class AttemptRun {

    private static final Logger LOG = LoggerFactory.getLogger(AttemptRun.class);

    private final FileSystemCalls calls;
    private final WorkSettings settings;
    private final Plan plan;
    private final Claims.Claimed claim;
    private final TransferDirectory directory;
    private final Attempts attempts;
    private final Path progressFile;
    private final int generation;
    private final BatchCounts counts = new BatchCounts();
    private final TaskSlots.@Nullable Attempt slots;

    /**
     * The result of an attempt.
     *
     * @param hasGivenUp whether it could not continue
     * @param mustEnd whether the worker must end, because another batch would fail as well
     * @param problem the reason why it did not complete, or empty
     */
    record Ended(Map<EntryFailure.Kind, Long> failures, boolean hasGivenUp, boolean mustEnd, String problem) {}

    private AttemptRun(FileSystemCalls calls, WorkSettings settings, Plan plan, Claims.Claimed claim,
            TaskSlots.@Nullable Attempt slots) throws IOException {
        this.calls = calls;
        this.slots = slots;
        this.settings = settings;
        this.plan = plan;
        this.claim = claim;
        this.directory = settings.directory();
        this.attempts = Attempts.atBatches(directory);
        this.progressFile = directory.progress().resolve(claim.name().toString());
        this.generation = attempts.header(claim.name())
                .map(JournalRecord.Header::generation)
                .orElseThrow(() -> new TransferException(attempts.journal(claim.name()) + " cannot be read back"));
    }

    /**
     * Returns the run of an attempt.
     *
     * @param slots the slots of its tasks; null if its operation runs no tasks
     */
    static AttemptRun of(FileSystemCalls calls, WorkSettings settings, Plan plan, Claims.Claimed claim,
            TaskSlots.@Nullable Attempt slots) throws IOException {
        return new AttemptRun(calls, settings, plan, claim, slots);
    }

    Ended run(EventListener listener, Progress progress, Cancellation whole) throws IOException {
        Cancellation stop = Cancellation.of(whole);
        DestinationWatch watch = new DestinationWatch(listener);
        Lease lease = new Lease(Durations.part(directory.timing().takeover(), 2), stop, claim.since());
        try (JournalWriter journal = claim.journal(); BatchWork work = work(lease)) {
            Optional<IOException> failure;
            boolean isWhole = false;
            EntryTracker tracker = new EntryTracker(progress, slots == null ? progress::busy : slots::busy,
                    Instant.now());
            try (Heartbeat heartbeat = new Heartbeat(lease, directory.timing(), () -> beat(tracker));
                    Durability durability = new Durability(journal, work::sync, directory.timing(), counts::newBytes,
                            stop::cancel)) {
                heartbeat.start();
                Optional<IOException> ofBatch = Optional.empty();
                try {
                    isWhole = work.run(lease.whileGood(watch), progress, stop);
                } catch (IOException e) {
                    ofBatch = Optional.of(e);
                }
                failure = durability.failure().or(() -> makeDurable(durability));
                failure = failure.isPresent() ? failure : ofBatch;
            }
            return end(journal, isWhole && counts.tried() == plan.batches().get(claim.name().batch()).entries(),
                    lease.loss(), failure, whole.isCancelled(), watch);
        }
    }

    private BatchWork work(Lease lease) throws IOException {
        return switch (directory.operation()) {
            case Operation.Copying copying -> new CopyWork(calls, settings, plan, claim, counts, lease);
            case Operation.Verify verify -> VerifyWork.of(calls, settings, plan, claim, counts);
            case Operation.Run run -> new CommandWork(calls, (CommandOperation) settings.entryOperation(), settings,
                    plan, claim, counts, lease, Objects.requireNonNull(slots));
            case Operation.OnEntries each ->
                new EntryWork(calls, settings.entryOperation(), settings, plan, claim, counts, lease);
        };
    }

    private static Optional<IOException> makeDurable(Durability durability) {
        try {
            durability.make();
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of(e);
        }
    }

    private Ended end(JournalWriter journal, boolean isWhole, Optional<Lease.Loss> loss, Optional<IOException> failure,
            boolean isAsked, DestinationWatch watch) {
        JournalRecord.Ending ending = failure.isPresent()
                ? JournalRecord.Ending.GAVE_UP
                : isWhole
                        ? JournalRecord.Ending.COMPLETE
                        : isAsked || loss.isPresent() ? JournalRecord.Ending.STOPPED : JournalRecord.Ending.GAVE_UP;
        String problem = failure.map(StateDirectory::reason).orElse("");
        try {
            journal.end(counts.end(ending));
        } catch (IOException e) {
            problem = problem.isEmpty() ? StateDirectory.reason(e) : problem;
            return new Ended(counts.failures(), true, true, "batch " + claim.name().batch() + ": " + problem);
        }
        try {
            report(BatchProgress.State.of(ending), WorkInProgress.none());
        } catch (IOException e) {
            LOG.warn("cannot write the progress of batch {}: {}", claim.name(), StateDirectory.reason(e));
        }
        if (ending == JournalRecord.Ending.GAVE_UP && problem.isEmpty()) {
            problem = watch.problem().orElse("some entries were not tried");
        }
        if (loss.isPresent() && ending == JournalRecord.Ending.STOPPED) {
            problem = switch (loss.get()) {
                case SUPERSEDED -> "the transfer was resumed or cancelled";
                case TAKEN_OVER -> "another worker took it over";
                case LAPSED -> "the state directory was not reachable for too long";
                case BROKEN -> "the state directory cannot be written";
            };
        }
        boolean hasGivenUp = ending == JournalRecord.Ending.GAVE_UP;
        // A damaged manifest does not affect other batches.
        boolean mustEnd = hasGivenUp && failure.filter(PlanException.class::isInstance).isEmpty();
        return new Ended(counts.failures(), hasGivenUp, mustEnd,
                problem.isEmpty() ? "" : "batch " + claim.name().batch() + ": " + problem);
    }

    private void report(BatchProgress.State state, WorkInProgress current) throws IOException {
        counts.progress(generation, state, current).write(progressFile);
    }

    private Optional<Lease.Loss> beat(EntryTracker tracker) throws IOException {
        try {
            claim.journal().beat();
        } catch (IOException e) {
            LOG.warn("{}", StateDirectory.reason(e));
            return Optional.of(Lease.Loss.BROKEN);
        }
        report(BatchProgress.State.RUNNING, tracker.look(counts.newData(), Instant.now()));
        if (directory.generations().newest() != generation) {
            return Optional.of(Lease.Loss.SUPERSEDED);
        }
        return attempts.exists(claim.name().next()) ? Optional.of(Lease.Loss.TAKEN_OVER) : Optional.empty();
    }
}
