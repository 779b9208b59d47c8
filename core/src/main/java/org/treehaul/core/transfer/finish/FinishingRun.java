// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.finish;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.batch.TransferFinisher;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LeaseCheckedCalls;
import org.treehaul.core.operation.EntryOperation;
import org.treehaul.core.operation.FailedPlaces;
import org.treehaul.core.operation.PlannedOperation;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanTotals;
import org.treehaul.core.task.CommandOperation;
import org.treehaul.core.task.TaskWatch;
import org.treehaul.core.transfer.batch.CopiedRoots;
import org.treehaul.core.transfer.batch.DestinationWatch;
import org.treehaul.core.transfer.batch.MountCheck;
import org.treehaul.core.transfer.batch.RootCheck;
import org.treehaul.core.transfer.batch.WorkSettings;
import org.treehaul.core.transfer.directory.Lease;
import org.treehaul.core.transfer.directory.SharedBandwidth;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.directory.WorkerErrors;
import org.treehaul.core.transfer.journal.Attempts;
import org.treehaul.core.transfer.journal.ChunkSort;
import org.treehaul.core.transfer.journal.FailureReader;
import org.treehaul.core.transfer.journal.FinishingHistory;
import org.treehaul.core.transfer.journal.JournalWriter;
import org.treehaul.core.transfer.journal.VerifiedCopy;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.transfer.verify.VerifyFinishing;

/** A claimed finishing: runs its phases, each of which may be repeated. Used by one thread. */
public final class FinishingRun {

    // The user needs an idea of what is left, and status --batches has them all.
    private static final int MOST_NAMED = 10;

    private final FinishingContext context;
    private final DestinationWatch watch;
    private final FileSystemCalls calls;
    private final TransferDirectory directory;
    private final int generation;
    private final Plan plan;
    private final WorkSettings settings;

    public FinishingRun(FileSystemCalls calls, TransferDirectory directory, int generation, int threads,
            JournalWriter journal, Lease lease, EventListener listener, Progress progress, Cancellation stop)
            throws IOException {
        this.calls = calls;
        this.directory = directory;
        this.generation = generation;
        this.plan = Plan.open(directory.plan());
        this.settings = WorkSettings.of(plan, directory, threads);
        this.watch = new DestinationWatch(listener);
        this.context = new FinishingContext(calls, directory, generation, journal, lease, watch, progress, stop, plan,
                settings);
    }

    public TransferResult finish() throws IOException {
        if (!context.mayGoOn()) {
            // Checked before this run touches anything that another process may be working on.
            return TransferResult.empty(generation, TransferResult.State.STOPPED, "finishing was stopped");
        }
        if (!plan.isSealed()) {
            return TransferResult.empty(generation, TransferResult.State.INCOMPLETE,
                    "the plan is incomplete because its walk died; 'treehaul resume' plans again");
        }
        return switch (directory.operation()) {
            case Operation.Copying copying -> copy();
            case Operation.Verify verify -> verify(settings.verified().orElseThrow());
            case Operation.OnEntries each -> perform(each);
        };
    }

    private TransferResult copy() throws IOException {
        if (plan.totals().map(PlanTotals::chunked).orElse(0L) == 0) {
            return copy(null);
        }
        try (ChunkSort chunks = ChunkSort.make(directory.finish())) {
            chunks.add(plan);
            return copy(chunks);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private TransferResult copy(@Nullable ChunkSort chunks) throws IOException {
        FinishingHistory history = FinishingHistory.read(Attempts.atFinishing(directory), file -> {
            if (chunks != null) {
                chunks.add(file);
            }
        });
        boolean isMove = directory.operation() instanceof Operation.Move;
        // Skipped in the first generation, like the retry of entries that could not be planned, and in moves, which remove
        // only what was planned.
        boolean mayReplace = generation > 1 && !isMove;
        boolean isRemoving = history.phase(FinishingHistory.REMOVAL).isPresent();
        BatchSurvey survey = BatchSurvey.of(directory, plan, history, mayReplace ? null : chunks);
        if (!survey.open().isEmpty()) {
            survey.addUnplanned(plan, history);
            survey.addCopied(history);
            return notComplete(survey);
        }
        try (MountCheck mounts = MountCheck.of(LeaseCheckedCalls.over(calls, context.lease()::isGood, name -> false),
                plan, settings, history);
                SharedBandwidth bandwidth = SharedBandwidth.join(directory, generation, settings.options().bandwidth());
                TransferFinisher finisher = TransferFinisher.of(calls, settings.options(), directory.id().text())
                        .withUmask(settings.umask())
                        .withLimiter(bandwidth.limiter())
                        .withFence(context.lease()::mayWrite)) {
            mounts.check();
            CopiedRoots.require(calls, directory, plan, history);
            CopyFinishing phases = new CopyFinishing(context, finisher, survey,
                    DirectoryMark.of(directory, history, context.journal(), finisher::sync));
            // A directory that contained a token gets its times after the token is removed.
            if (!((!mayReplace || phases.replaced(history, chunks)) && phases.files(chunks) && phases.unplanned(history)
                    && phases.removeTokens(mounts, history) && phases.directories(isRemoving) && context.mayGoOn())) {
                return stopped(phases.survey());
            }
            context.journal().makeDurable(finisher::sync);
            checkMountsAgain(history);
            if (isMove && !new MovedSources(context, phases.survey(), history).remove()) {
                return phases.survey()
                        .result(TransferResult.State.STOPPED, generation,
                                "the removal of the sources was stopped; each entry is at its source or complete at "
                                        + "its destination; " + remedy());
            }
            if (!(directory.operation() instanceof Operation.Sync sync)) {
                return ended(phases.survey());
            }
            TransferResult synced = new SyncFinishing(context, phases.survey(), sync, finisher::sync).run();
            return synced.state() == TransferResult.State.STOPPED ? stopped(phases.survey()) : synced;
        }
    }

    // What was written since the tokens were removed may be on a file system that others do not see. A source that is not
    // mounted any more looks as if all its entries had been removed.
    private void checkMountsAgain(FinishingHistory history) throws IOException {
        try (MountCheck mounts = MountCheck.of(calls, plan, settings, history)) {
            if (directory.operation() instanceof Operation.Copy) {
                mounts.checkTargets();
            } else {
                mounts.check();
            }
        }
    }

    // Finishing that no user, time limit or newer generation has stopped ends because the destination fails as a whole or
    // a backup cannot be made. It is reported as incomplete: a worker repeats a stopped one, which would fail again.
    private TransferResult stopped(BatchSurvey survey) throws IOException {
        boolean hasGivenUp = context.mayGoOn();
        return survey.result(hasGivenUp ? TransferResult.State.INCOMPLETE : TransferResult.State.STOPPED, generation,
                watch.problem().orElse(hasGivenUp ? "not everything could be finished" : "finishing was stopped") + "; "
                        + remedy());
    }

    private TransferResult perform(Operation.OnEntries operation) throws IOException {
        FinishingHistory history = FinishingHistory.read(directory);
        BatchSurvey survey = BatchSurvey.of(directory, plan, history, null);
        survey.addUnplanned(plan, history);
        if (!survey.open().isEmpty()) {
            return notComplete(survey);
        }
        if (!operation.isAtData()) {
            RootCheck.check(calls, plan, directory.generations().trustsMounts());
        }
        FailedPlaces failed = new FailedPlaces();
        new FailureReader(directory, record -> failed.add(record.failure())).read();
        PlannedOperation checked = new PlannedOperation(settings.entryOperation(), operation.repetition(),
                context.lease()::isGood, context.lease()::mayWrite);
        PerformedMark mark = PerformedMark.of(history, context.journal());
        try (OperationFinishing rest = new OperationFinishing(calls, plan, checked, failed, mark, context::failed);
                TaskWatch _ = watch(settings.entryOperation())) {
            if (!(context.mayGoOn() && rest.run(context.progress(), context.stop()) && context.mayGoOn())) {
                return survey.result(TransferResult.State.STOPPED, generation, "finishing was stopped; " + remedy());
            }
            rest.failures().forEach(survey::failed);
        }
        return ended(survey);
    }

    // A command may run for hours, and the finishing looks whether it must stop only between two of them.
    private @Nullable TaskWatch watch(EntryOperation operation) {
        return operation instanceof CommandOperation command
                ? TaskWatch.start(() -> !context.stop().isCancelled() && context.lease().isGood(), command::stop)
                : null;
    }

    private String remedy() {
        return "'treehaul resume " + directory.id() + "' continues";
    }

    private TransferResult notComplete(BatchSurvey survey) throws IOException {
        List<Integer> open = survey.open();
        String some = open.stream().limit(MOST_NAMED).map(String::valueOf).collect(Collectors.joining(", "))
                + (open.size() > MOST_NAMED ? " and " + (open.size() - MOST_NAMED) + " more" : "");
        return survey.result(TransferResult.State.INCOMPLETE, generation,
                "not complete: " + open.size() + " of " + plan.batchCount() + " batches are not done: " + some + "; "
                        + remedy() + WorkerErrors.of(directory, generation).shown());
    }

    private TransferResult ended(BatchSurvey survey) {
        return survey.result(survey.hasFailures() ? TransferResult.State.PARTIAL : TransferResult.State.COMPLETE,
                generation, "");
    }

    private TransferResult verify(VerifiedCopy copy) throws IOException {
        FinishingHistory history = FinishingHistory.read(directory);
        FinishingHistory ofCopy = copy.history(directory);
        BatchSurvey survey = BatchSurvey.of(directory, plan, history, null);
        survey.addUnplanned(plan, ofCopy);
        if (!survey.open().isEmpty()) {
            return notComplete(survey);
        }
        try (MountCheck mounts = MountCheck.of(calls, plan, settings, history)) {
            mounts.check();
        }
        VerifyFinishing rest = new VerifyFinishing(calls, plan, settings, copy, context::failed);
        if (!(context.mayGoOn() && rest.compare(ofCopy, context.progress(), context.stop()) && context.mayGoOn())) {
            return survey.result(TransferResult.State.STOPPED, generation, "finishing was stopped; " + remedy());
        }
        rest.failures().forEach(survey::failed);
        return ended(survey);
    }
}
