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
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.outcome.CopyResult;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanRecords;
import org.treehaul.core.plan.format.PlannedDirectory;
import org.treehaul.core.plan.format.PlannedFollow;
import org.treehaul.core.plan.format.PlannedRoot;
import org.treehaul.core.transfer.batch.CopiedRoots;
import org.treehaul.core.transfer.batch.MountCheck;
import org.treehaul.core.transfer.batch.RootCheck;
import org.treehaul.core.transfer.journal.ChunkSort;
import org.treehaul.core.transfer.journal.FinishingHistory;
import org.treehaul.core.transfer.journal.JournalRecord;
import org.treehaul.core.transfer.journal.RootedPath;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.SelectedEntries;

/**
 * The phases of finishing that modify the copy, in the order in which they run. Each may be repeated, and ends early
 * when the finishing may not continue.
 */
final class CopyFinishing {

    private static final String FILES = "files";
    private static final String UNPLANNED = "unplanned";
    private static final String DIRECTORIES = "directories";

    private final FinishingContext context;
    private final FileSystemCalls calls;
    private final Plan plan;
    private final CopyOptions options;
    private final TransferFinisher finisher;
    private final DirectoryMark mark;
    private BatchSurvey survey;
    private final List<CopyPair> pairs = new ArrayList<>();
    private final Set<RootedPath> noDirectories = new HashSet<>();

    CopyFinishing(FinishingContext context, TransferFinisher finisher, BatchSurvey survey, DirectoryMark mark) {
        this.context = context;
        this.calls = context.calls();
        this.plan = context.plan();
        this.options = context.settings().options();
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
        if (!context.mayGoOn()) {
            return false;
        }
        List<ChangedKinds.Change> changes = List.of();
        if (survey.hasFailures() || history.mayHaveChangedKinds()) {
            try (ChangedKinds kinds = new ChangedKinds(calls, plan, options.symlinks())) {
                changes = kinds.find(context.directory(), history);
            }
        }
        List<EntryFailure> failures = Collections.synchronizedList(new ArrayList<>());
        if (!changes.isEmpty()) {
            mark.clear();
            changes.stream()
                    .filter(change -> !change.isEntry())
                    .forEach(change -> noDirectories.addAll(change.places()));
            UnplannedRetry rest = new UnplannedRetry(calls, plan, options, finisher, context.journal(), mark,
                    failure -> {
                        if (context.lease().isGood()) {
                            failures.add(failure);
                            context.report(failure);
                        }
                    });
            if (!removeEmpty() || !rest.replace(changes, context.generation(), history, context.listener(),
                    context.progress(), context.stop())) {
                return false;
            }
        }
        noDirectories.addAll(history.replaced(plan));
        if (chunks != null || !changes.isEmpty()) {
            survey = BatchSurvey.of(context.directory(), plan, history, chunks);
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
                            context.listener(), context.stop())
                    .isComplete();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private boolean isNone(PlannedDirectory next) {
        return new RootedPath(next.root(), next.path()).isWithin(noDirectories);
    }

    boolean files(@Nullable ChunkSort chunks) throws IOException {
        if (!context.mayGoOn()) {
            return false;
        }
        if (chunks == null) {
            return true;
        }
        try (ChunkSort.Sorted sorted = chunks.open()) {
            LargeFiles files = new LargeFiles(sorted, survey, context.journal(), context.lease(), mark, finisher::sync,
                    noDirectories);
            CopyResult result = finisher.finishFiles(pairs, files, files, context.listener(), context.progress(),
                    context.stop());
            files.recordComplete();
            return done(FILES, result.isComplete());
        }
    }

    // Not tried again in the first generation: planning reported these failures only a moment ago. In a move they stay at
    // the source, because only what was planned is removed.
    boolean unplanned(FinishingHistory history) throws IOException {
        if (!context.mayGoOn()) {
            return false;
        }
        if (context.generation() == 1 || isMove()) {
            survey.addUnplanned(plan, history);
            // After the removal of sources has begun, the times of the directories above must stay.
            return history.phase(FinishingHistory.REMOVAL).isPresent()
                    || new UnreadDirectories(calls, plan, options, finisher).make(context.stop());
        }
        UnplannedRetry rest = new UnplannedRetry(calls, plan, options, finisher, context.journal(), mark, this::count);
        boolean isWhole = rest.retry(context.generation(), history, context.listener(), context.progress(),
                context.stop());
        survey.addCopied(history);
        return done(UNPLANNED, isWhole);
    }

    // From now on the inodes identify the directories that contained the tokens.
    boolean removeTokens(MountCheck mounts, FinishingHistory history) throws IOException {
        if (!context.mayGoOn()) {
            return false;
        }
        mounts.checkTargets();
        CopiedRoots.require(calls, context.directory(), plan, history);
        JournalRecord.Phase places = new JournalRecord.Phase(FinishingHistory.TOKEN, mounts.inodes());
        context.journal().write(places);
        history.add(context.generation(), places);
        context.journal().makeDurable(finisher::sync);
        mounts.removeTokens();
        return true;
    }

    /**
     * Gives the directories their metadata.
     *
     * @param areSourcesGone whether finishing has begun to remove the sources, so that some directories are gone
     */
    boolean directories(boolean areSourcesGone) throws IOException {
        if (!context.mayGoOn()) {
            return false;
        }
        if (areSourcesGone || keepsBackups()) {
            // Counts all directories of the plan, as below.
            mark.stop();
        }
        if (!noDirectories.isEmpty()) {
            // The mark counts all directories of the plan, but some are left out here.
            mark.clear();
            mark.stop();
        }
        try (PlanRecords<PlannedDirectory> planned = plan.directories(); FileAccess access = FileAccess.open(calls)) {
            for (long i = 0; i < mark.done() && planned.next() != null; i++) {
                // This directory is finished.
            }
            CopyResult result = finisher
                    .finishDirectories(pairs,
                            new FinalDirectories(planned,
                                    next -> !isNone(next) && !(areSourcesGone && isGone(access, next))
                                            && !(keepsBackups() && isAsBefore(access, next))),
                            this::finished, event -> {
                                if (event instanceof Event.Failed failed) {
                                    mark.stop();
                                    count(failed.failure());
                                }
                                context.listener().onEvent(event);
                            }, context.progress(), context.stop());
            if ((!result.isComplete() || isMove()) && context.lease().isGood()) {
                mark.report();
            }
            return done(DIRECTORIES, result.isComplete());
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    // The removal of the sources changes the times of their directories, so these are not finished again after a kill.
    private boolean isMove() {
        return context.directory().operation() instanceof Operation.Move;
    }

    // The sync that follows gives existing directories their metadata, after it has made backups with those of before.
    private boolean keepsBackups() {
        return context.directory().operation() instanceof Operation.Sync sync && sync.options().backup().isPresent();
    }

    private boolean isAsBefore(FileAccess access, PlannedDirectory next) {
        if (next.targetMode().isEmpty()) {
            return false;
        }
        try {
            ByteString path = next.path().below(plan.header().roots().get(next.root()).target());
            return LongPath.status(access, path, false).permissions() == next.targetMode().getAsInt();
        } catch (SystemCallException e) {
            // Its failure is reported where it gets its metadata.
            return false;
        }
    }

    private boolean isGone(FileAccess access, PlannedDirectory next) {
        return RootCheck.isAbsent(access, next.path().below(plan.header().roots().get(next.root()).source()));
    }

    private void finished(int directories) {
        try {
            if (context.lease().isGood()) {
                mark.add(directories);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void count(EntryFailure failure) {
        if (context.lease().isGood()) {
            synchronized (this) {
                survey.failed(failure.kind(), 1);
            }
            context.report(failure);
        }
    }

    private boolean done(String phase, boolean isComplete) throws IOException {
        if (isComplete) {
            context.journal().write(new JournalRecord.Phase(phase, ""));
        }
        return isComplete;
    }

    /** Returns the outcomes of all batches and of the phases so far. */
    BatchSurvey survey() {
        return survey;
    }
}
