// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.finish;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.batch.TransferFinisher;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.outcome.CopyResult;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LeaseCheckedCalls;
import org.treehaul.core.operation.FailedPlaces;
import org.treehaul.core.operation.PlannedOperation;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanRecords;
import org.treehaul.core.plan.format.PlanTotals;
import org.treehaul.core.plan.format.PlannedDirectory;
import org.treehaul.core.plan.format.PlannedFollow;
import org.treehaul.core.plan.format.PlannedRoot;
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
import org.treehaul.core.transfer.journal.FailureRecord;
import org.treehaul.core.transfer.journal.FinishingHistory;
import org.treehaul.core.transfer.journal.JournalRecord;
import org.treehaul.core.transfer.journal.JournalWriter;
import org.treehaul.core.transfer.journal.RootedPath;
import org.treehaul.core.transfer.journal.VerifiedCopy;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.transfer.verify.VerifyFinishing;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.SelectedEntries;

/** A claimed finishing: runs its phases, each of which may be repeated. Used by one thread. */
public final class FinishingRun {

    private static final String FILES = "files";
    private static final String UNPLANNED = "unplanned";
    private static final String DIRECTORIES = "directories";

    private final FileSystemCalls calls;
    private final TransferDirectory directory;
    private final int generation;
    private final JournalWriter journal;
    private final Lease lease;
    private final EventListener listener;
    private final Progress progress;
    private final Cancellation stop;
    private final Plan plan;
    private final WorkSettings settings;

    public FinishingRun(FileSystemCalls calls, TransferDirectory directory, int generation, int threads,
            JournalWriter journal, Lease lease, EventListener listener, Progress progress, Cancellation stop)
            throws IOException {
        this.calls = calls;
        this.directory = directory;
        this.generation = generation;
        this.journal = journal;
        this.lease = lease;
        this.listener = listener;
        this.progress = progress;
        this.stop = stop;
        this.plan = Plan.open(directory.plan());
        this.settings = WorkSettings.of(plan, directory, threads);
    }

    public TransferResult finish() throws IOException {
        if (!mayGoOn()) {
            // Checked before this run touches anything that another process may be working on.
            return TransferResult.empty(generation, TransferResult.State.STOPPED, "finishing was stopped");
        }
        if (!plan.isSealed()) {
            return TransferResult.empty(generation, TransferResult.State.INCOMPLETE,
                    "the plan is incomplete because its walk died; 'treehaul resume' plans again");
        }
        return switch (directory.operation()) {
            case Operation.Copy copy -> copy();
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
        // Skipped in the first generation, like the retry of entries that could not be planned.
        boolean mayReplace = generation > 1;
        BatchSurvey survey = BatchSurvey.of(directory, plan, history, mayReplace ? null : chunks);
        if (!survey.open().isEmpty()) {
            survey.addUnplanned(plan, history);
            survey.addCopied(history);
            return notComplete(survey);
        }
        try (MountCheck mounts = MountCheck.of(LeaseCheckedCalls.over(calls, lease::isGood, name -> false), plan,
                settings, history);
                SharedBandwidth bandwidth = SharedBandwidth.join(directory, generation, settings.options().bandwidth());
                TransferFinisher finisher = TransferFinisher.of(calls, settings.options(), directory.id().text())
                        .withUmask(settings.umask())
                        .withLimiter(bandwidth.limiter())
                        .withFence(lease::mayWrite)) {
            mounts.check();
            Phases phases = new Phases(finisher, survey, DirectoryMark.of(directory, history, journal, finisher::sync));
            // A directory that contained a token gets its times after the token is removed.
            if (!((!mayReplace || phases.replaced(history, chunks)) && phases.files(chunks) && phases.unplanned(history)
                    && phases.removeTokens(mounts) && phases.directories() && mayGoOn())) {
                return phases.survey.result(TransferResult.State.STOPPED, generation,
                        "finishing was stopped, or the destination failed as a whole; 'treehaul resume' continues");
            }
            journal.makeDurable(finisher::sync);
            return ended(phases.survey);
        }
    }

    private TransferResult perform(Operation.OnEntries operation) throws IOException {
        FinishingHistory history = FinishingHistory.read(directory);
        BatchSurvey survey = BatchSurvey.of(directory, plan, history, null);
        survey.addUnplanned(plan, history);
        if (!survey.open().isEmpty()) {
            return notComplete(survey);
        }
        RootCheck.check(calls, plan, directory.generations().trustsMounts());
        FailedPlaces failed = new FailedPlaces();
        new FailureReader(directory, record -> failed.add(record.failure())).read();
        PlannedOperation checked = new PlannedOperation(settings.entryOperation(), operation.repetition(),
                lease::isGood, lease::mayWrite);
        try (OperationFinishing rest = new OperationFinishing(calls, plan, checked, failed, this::failed)) {
            if (!(mayGoOn() && rest.run(progress, stop) && mayGoOn())) {
                return survey.result(TransferResult.State.STOPPED, generation,
                        "finishing was stopped; 'treehaul resume' continues");
            }
            rest.failures().forEach(survey::failed);
        }
        return ended(survey);
    }

    private TransferResult notComplete(BatchSurvey survey) throws IOException {
        List<Integer> some = survey.open().subList(0, Math.min(10, survey.open().size()));
        return survey.result(TransferResult.State.INCOMPLETE, generation,
                "not complete: " + survey.open().size() + " of " + plan.batchCount() + " batches, of them " + some
                        + "; 'treehaul resume' continues with them" + WorkerErrors.of(directory, generation).shown());
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
        VerifyFinishing rest = new VerifyFinishing(calls, plan, settings, copy, this::failed);
        if (!(mayGoOn() && rest.compare(ofCopy, progress, stop) && mayGoOn())) {
            return survey.result(TransferResult.State.STOPPED, generation,
                    "finishing was stopped; 'treehaul resume' continues");
        }
        rest.failures().forEach(survey::failed);
        return ended(survey);
    }

    // After the loss of the lease every call fails because of the loss.
    private void failed(EntryFailure failure) {
        if (lease.isGood()) {
            report(failure);
            listener.onEvent(new Event.Failed(failure));
        }
    }

    private void report(EntryFailure failure) {
        journal.writeQuietly(new JournalRecord.Failed(new FailureRecord(FailureRecord.NO_ENTRY, failure, 1)));
    }

    private boolean mayGoOn() throws IOException {
        return !stop.isCancelled() && lease.isGood() && directory.generations().newest() == generation;
    }

    /** The phases that modify the copy. */
    private final class Phases {

        private final TransferFinisher finisher;
        private BatchSurvey survey;
        private final DirectoryMark mark;
        private final List<CopyPair> pairs = new ArrayList<>();
        private final Set<RootedPath> noDirectories = new HashSet<>();

        Phases(TransferFinisher finisher, BatchSurvey survey, DirectoryMark mark) {
            this.finisher = finisher;
            this.survey = survey;
            this.mark = mark;
            List<PlannedRoot> roots = plan.header().roots();
            List<SelectedEntries> marks = roots.stream().map(root -> SelectedEntries.ofNonDirectories()).toList();
            for (PlannedFollow link : plan.followed()) {
                marks.get(link.root()).follow(link.path());
            }
            for (int i = 0; i < roots.size(); i++) {
                pairs.add(new CopyPair(Root.of(roots.get(i).source(), marks.get(i)), roots.get(i).target()));
            }
        }

        // The first phase, because large files may be affected.
        boolean replaced(FinishingHistory history, @Nullable ChunkSort chunks) throws IOException {
            if (!mayGoOn()) {
                return false;
            }
            List<ChangedKinds.Change> changes = List.of();
            if (survey.hasFailures() || history.mayHaveChangedKinds()) {
                try (ChangedKinds kinds = new ChangedKinds(calls, plan, settings.options().symlinks())) {
                    changes = kinds.find(directory, history);
                }
            }
            List<EntryFailure> failures = Collections.synchronizedList(new ArrayList<>());
            if (!changes.isEmpty()) {
                mark.clear();
                changes.stream()
                        .filter(change -> !change.isEntry())
                        .forEach(change -> noDirectories.addAll(change.places()));
                UnplannedRetry rest = new UnplannedRetry(calls, plan, settings.options(), finisher, journal, mark,
                        failure -> {
                            if (lease.isGood()) {
                                failures.add(failure);
                                report(failure);
                            }
                        });
                if (!removeEmpty() || !rest.replace(changes, generation, history, listener, progress, stop)) {
                    return false;
                }
            }
            noDirectories.addAll(history.replaced(plan));
            if (chunks != null || !changes.isEmpty()) {
                survey = BatchSurvey.of(directory, plan, history, chunks);
                failures.forEach(failure -> survey.failed(failure.kind(), 1));
            }
            survey.addCopied(history);
            return true;
        }

        // Workers created these directories on the way to entries that no longer exist.
        private boolean removeEmpty() throws IOException {
            try (PlanRecords<PlannedDirectory> planned = plan.directories()) {
                return finisher
                        .removeEmpty(pairs,
                                new FinalDirectories(planned, next -> next.targetMode().isEmpty() && isNone(next)),
                                listener, stop)
                        .isComplete();
            } catch (UncheckedIOException e) {
                throw e.getCause();
            }
        }

        private boolean isNone(PlannedDirectory next) {
            return new RootedPath(next.root(), next.path()).isWithin(noDirectories);
        }

        boolean files(@Nullable ChunkSort chunks) throws IOException {
            if (!mayGoOn()) {
                return false;
            }
            if (chunks == null) {
                return true;
            }
            try (ChunkSort.Sorted sorted = chunks.open()) {
                LargeFiles files = new LargeFiles(sorted, survey, journal, lease, mark, finisher::sync, noDirectories);
                CopyResult result = finisher.finishFiles(pairs, files, files, listener, progress, stop);
                files.recordComplete();
                return done(FILES, result.isComplete());
            }
        }

        // Skipped in the first generation: planning reported these failures only a moment ago.
        boolean unplanned(FinishingHistory history) throws IOException {
            if (!mayGoOn()) {
                return false;
            }
            if (generation == 1) {
                survey.addUnplanned(plan, history);
                return true;
            }
            UnplannedRetry rest = new UnplannedRetry(calls, plan, settings.options(), finisher, journal, mark,
                    failure -> {
                        count(failure);
                    });
            boolean isWhole = rest.retry(generation, history, listener, progress, stop);
            survey.addCopied(history);
            return done(UNPLANNED, isWhole);
        }

        // From now on the inodes identify the directories that contained the tokens.
        boolean removeTokens(MountCheck mounts) throws IOException {
            if (!mayGoOn()) {
                return false;
            }
            journal.write(new JournalRecord.Phase(FinishingHistory.TOKEN, mounts.inodes()));
            journal.makeDurable(finisher::sync);
            mounts.removeTokens();
            return true;
        }

        boolean directories() throws IOException {
            if (!mayGoOn()) {
                return false;
            }
            if (!noDirectories.isEmpty()) {
                // The mark counts all directories of the plan, but some are left out here.
                mark.clear();
                mark.stop();
            }
            try (PlanRecords<PlannedDirectory> planned = plan.directories()) {
                for (long i = 0; i < mark.done() && planned.next() != null; i++) {
                    // This directory is finished.
                }
                CopyResult result = finisher.finishDirectories(pairs,
                        new FinalDirectories(planned, next -> !isNone(next)), this::finished, event -> {
                            if (event instanceof Event.Failed failed) {
                                mark.stop();
                                count(failed.failure());
                            }
                            listener.onEvent(event);
                        }, progress, stop);
                if (!result.isComplete() && lease.isGood()) {
                    mark.report();
                }
                return done(DIRECTORIES, result.isComplete());
            } catch (UncheckedIOException e) {
                throw e.getCause();
            }
        }

        private void finished(int directories) {
            try {
                if (lease.isGood()) {
                    mark.add(directories);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private void count(EntryFailure failure) {
            if (lease.isGood()) {
                synchronized (this) {
                    survey.failed(failure.kind(), 1);
                }
                report(failure);
            }
        }

        private boolean done(String phase, boolean isComplete) throws IOException {
            if (isComplete) {
                journal.write(new JournalRecord.Phase(phase, ""));
            }
            return isComplete;
        }
    }
}
