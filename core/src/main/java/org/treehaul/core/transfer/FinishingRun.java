// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.CopyPair;
import org.treehaul.core.copy.CopyResult;
import org.treehaul.core.copy.TransferFinisher;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FencedCalls;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.plan.Plan;
import org.treehaul.core.plan.PlanRecords;
import org.treehaul.core.plan.PlanTotals;
import org.treehaul.core.plan.PlannedDirectory;
import org.treehaul.core.plan.PlannedFollow;
import org.treehaul.core.plan.PlannedRoot;
import org.treehaul.core.walk.Cancellation;
import org.treehaul.core.walk.PathSelection;
import org.treehaul.core.walk.Root;

/** One finishing, once it is claimed: its phases, each of which may be done again. Used by one thread. */
final class FinishingRun {

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
    private final Worker.Settings settings;

    FinishingRun(FileSystemCalls calls, TransferDirectory directory, int generation, int threads, JournalWriter journal,
            Lease lease, EventListener listener, Progress progress, Cancellation stop) throws IOException {
        this.calls = calls;
        this.directory = directory;
        this.generation = generation;
        this.journal = journal;
        this.lease = lease;
        this.listener = listener;
        this.progress = progress;
        this.stop = stop;
        this.plan = Plan.open(directory.plan());
        this.settings = Worker.Settings.of(plan, directory, threads);
    }

    TransferResult finish() throws IOException {
        if (!mayGoOn()) {
            // Before anything is touched that another may be at.
            return TransferResult.empty(generation, TransferResult.State.STOPPED, "finishing was stopped");
        }
        if (!plan.isSealed()) {
            return TransferResult.empty(generation, TransferResult.State.INCOMPLETE,
                    "the plan is not complete, its walk has died: resume plans again");
        }
        if (settings.verified().isPresent()) {
            return verify(settings.verified().get());
        }
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
        BatchSurvey survey = BatchSurvey.of(directory, plan, history, chunks);
        if (!survey.open().isEmpty()) {
            survey.addUnplanned(plan, history);
            survey.addCopied(history);
            return notComplete(survey);
        }
        try (MountCheck mounts = MountCheck.of(FencedCalls.over(calls, lease::isGood, name -> false), plan, settings,
                history);
                SharedBandwidth bandwidth = SharedBandwidth.join(directory, generation, settings.options().bandwidth());
                TransferFinisher finisher = TransferFinisher.of(calls, settings.options(), directory.id().text())
                        .withUmask(settings.umask())
                        .withLimiter(bandwidth.limiter())
                        .withFence(lease::mayWrite)) {
            mounts.check();
            Phases phases = new Phases(finisher, survey);
            // A directory that a token stood in gets its times after that is gone.
            if (!(phases.files(chunks) && phases.unplanned(history) && phases.removeTokens(mounts)
                    && phases.directories() && mayGoOn())) {
                return survey.result(TransferResult.State.STOPPED, generation,
                        "finishing was stopped, or the destination failed as a whole; resume goes on");
            }
            journal.makeDurable(finisher::sync);
        }
        return ended(survey);
    }

    private TransferResult notComplete(BatchSurvey survey) throws IOException {
        List<Integer> some = survey.open().subList(0, Math.min(10, survey.open().size()));
        return survey.result(TransferResult.State.INCOMPLETE, generation,
                "not complete: " + survey.open().size() + " of " + plan.batchCount() + " batches, of them " + some
                        + "; resume goes on with them" + Troubles.of(directory, generation).shown());
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
            return survey.result(TransferResult.State.STOPPED, generation, "finishing was stopped; resume goes on");
        }
        rest.failures().forEach(survey::failed);
        return ended(survey);
    }

    private void failed(EntryFailure failure) {
        tell(failure);
        listener.onEvent(new Event.Failed(failure));
    }

    private void tell(EntryFailure failure) {
        journal.writeQuietly(new JournalRecord.Failed(new FailureRecord(FailureRecord.NO_ENTRY, failure, 1)));
    }

    private boolean mayGoOn() throws IOException {
        return !stop.isCancelled() && lease.isGood() && directory.generations().newest() == generation;
    }

    /** What is done to the copy. */
    private final class Phases {

        private final TransferFinisher finisher;
        private final BatchSurvey survey;
        private final List<CopyPair> pairs = new ArrayList<>();

        Phases(TransferFinisher finisher, BatchSurvey survey) {
            this.finisher = finisher;
            this.survey = survey;
            List<PlannedRoot> roots = plan.header().roots();
            List<PathSelection> marks = roots.stream().map(root -> PathSelection.ofEntries()).toList();
            for (PlannedFollow link : plan.followed()) {
                marks.get(link.root()).follow(link.path());
            }
            for (int i = 0; i < roots.size(); i++) {
                pairs.add(new CopyPair(Root.of(roots.get(i).source(), marks.get(i)), roots.get(i).target()));
            }
        }

        boolean files(@Nullable ChunkSort chunks) throws IOException {
            if (!mayGoOn()) {
                return false;
            }
            if (chunks == null) {
                return true;
            }
            try (ChunkSort.Sorted sorted = chunks.open()) {
                LargeFiles files = new LargeFiles(sorted, survey, journal, lease, finisher::sync);
                CopyResult result = finisher.finishFiles(pairs, files, files, listener, progress, stop);
                files.tellWhole();
                return done(FILES, result.isComplete());
            }
        }

        // Not at the first try: then all that could not be planned was told a moment ago.
        boolean unplanned(FinishingHistory history) throws IOException {
            if (!mayGoOn()) {
                return false;
            }
            if (generation == 1) {
                survey.addUnplanned(plan, history);
                return true;
            }
            Unplanned rest = new Unplanned(calls, plan, settings.options(), finisher, journal, failure -> {
                count(failure);
            });
            boolean isWhole = rest.retry(history, listener, progress, stop);
            survey.addCopied(history);
            return done(UNPLANNED, isWhole);
        }

        // From now on the directories that they stood in are known by their inodes.
        boolean removeTokens(MountCheck mounts) throws IOException {
            if (!mayGoOn()) {
                return false;
            }
            journal.write(new JournalRecord.Phase(Finishing.TOKEN, mounts.inodes()));
            journal.makeDurable(finisher::sync);
            mounts.removeTokens();
            return true;
        }

        boolean directories() throws IOException {
            if (!mayGoOn()) {
                return false;
            }
            try (PlanRecords<PlannedDirectory> planned = plan.directories()) {
                CopyResult result = finisher.finishDirectories(pairs, new FinalDirectories(planned), event -> {
                    if (event instanceof Event.Failed failed) {
                        count(failed.failure());
                    }
                    listener.onEvent(event);
                }, progress, stop);
                return done(DIRECTORIES, result.isComplete());
            } catch (UncheckedIOException e) {
                throw e.getCause();
            }
        }

        private void count(EntryFailure failure) {
            if (lease.isGood()) {
                synchronized (survey) {
                    survey.failed(failure.kind(), 1);
                }
                tell(failure);
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
