// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import org.treehaul.core.copy.CopyArguments;
import org.treehaul.core.copy.CopyLayout;
import org.treehaul.core.copy.CopyOptions;
import org.treehaul.core.copy.CopyPair;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.copy.CopyResult;
import org.treehaul.core.copy.TransferFinisher;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.plan.Plan;
import org.treehaul.core.plan.PlanHeader;
import org.treehaul.core.plan.PlanRecords;
import org.treehaul.core.plan.PlannedFailure;
import org.treehaul.core.plan.PlannedRoot;
import org.treehaul.core.walk.Cancellation;
import org.treehaul.core.walk.EntryFilter;
import org.treehaul.core.walk.PathSelection;
import org.treehaul.core.walk.Root;

/**
 * Tries again what could not be planned: sources that were not there, directories that could not be read. Nobody has
 * divided what is below them into batches, so each is walked and copied here. Used by one thread.
 */
final class Unplanned {

    // A sync for so many of them.
    private static final int UNTOLD = 500;

    private final FileSystemCalls calls;
    private final Plan plan;
    private final CopyOptions options;
    private final Optional<EntryFilter> filter;
    private final TransferFinisher finisher;
    private final JournalWriter journal;
    private final Consumer<EntryFailure> failures;
    private final List<JournalRecord.Retried> untold = new ArrayList<>();

    /**
     * Makes one.
     *
     * @param failures is told what still fails
     */
    Unplanned(FileSystemCalls calls, Plan plan, CopyOptions options, TransferFinisher finisher, JournalWriter journal,
            Consumer<EntryFailure> failures) {
        this.calls = calls;
        this.plan = plan;
        this.options = options;
        this.filter = CopySettings.filter(plan.header().settings());
        this.finisher = finisher;
        this.journal = journal;
        this.failures = failures;
    }

    /** Tries all that was never mended; returns whether it came to its end. */
    boolean retry(FinishingHistory history, EventListener listener, Progress progress, Cancellation stop)
            throws IOException {
        try (PlanRecords<PlannedFailure> planned = plan.failures()) {
            for (PlannedFailure failure = planned.next(); failure != null; failure = planned.next()) {
                if (history.isMended(failure)) {
                    continue;
                }
                if (stop.isCancelled() || !retry(failure, listener, progress, stop)) {
                    return false;
                }
                if (untold.size() >= UNTOLD) {
                    tell(history);
                }
            }
        }
        tell(history);
        return true;
    }

    private void tell(FinishingHistory history) throws IOException {
        if (!untold.isEmpty()) {
            finisher.sync();
            for (JournalRecord.Retried retried : untold) {
                journal.write(retried);
                history.add(retried);
            }
            untold.clear();
        }
    }

    private boolean retry(PlannedFailure planned, EventListener listener, Progress progress, Cancellation stop) {
        AtomicBoolean isWhole = new AtomicBoolean(true);
        long before = copied(progress);
        List<CopyPair> pairs = pairs(planned, failure -> {
            isWhole.set(false);
            failures.accept(failure);
            listener.onEvent(new Event.Failed(failure));
        });
        if (!pairs.isEmpty()) {
            CopyOptions asked = options.toBuilder().filter(filter.orElse(EntryFilter.none())).build();
            CopyResult result = finisher.copyTrees(pairs, asked, event -> {
                if (event instanceof Event.Failed failed) {
                    isWhole.set(false);
                    failures.accept(failed.failure());
                }
                listener.onEvent(event);
            }, progress, stop);
            if (!result.isComplete()) {
                return false;
            }
        }
        untold.add(new JournalRecord.Retried(planned.root(), ByteString.of(planned.failure().path().toBytes()),
                isWhole.get(), copied(progress) - before));
        return true;
    }

    // Directories stand in no batch either.
    private static long copied(Progress progress) {
        Progress.Snapshot counts = progress.snapshot();
        return counts.entries() - counts.directories();
    }

    // Nothing where it can be told without a copy that it fails again.
    private List<CopyPair> pairs(PlannedFailure planned, Consumer<EntryFailure> again) {
        PlanHeader header = plan.header();
        PlannedRoot root = header.roots().get(planned.root());
        TreePath path = planned.failure().path();
        if (!path.isRoot() && filter.isEmpty()) {
            // What a program left out cannot be known here.
            again.accept(planned.failure());
            return List.of();
        }
        if (!path.isRoot()) {
            PathSelection selection = PathSelection.strict();
            selection.add(path);
            plan.followed()
                    .stream()
                    .filter(link -> link.root() == planned.root() && isAbove(link.path(), path))
                    .forEach(link -> selection.follow(link.path()));
            return List.of(new CopyPair(Root.of(root.source(), selection), root.target()));
        }
        boolean isTaken = header.roots().stream().filter(other -> other.place().equals(root.place())).count() > 1;
        if (isTaken || filter.isEmpty()) {
            again.accept(planned.failure());
            return List.of();
        }
        try {
            // As if it were said now: it may be a directory, stand in its own copy, or still not be there.
            CopyLayout layout = CopyLayout.of(calls,
                    CopyArguments.of(List.of(root.source(), root.target())).withNoTargetDirectory(true), options);
            layout.failures().forEach(again);
            return layout.pairs();
        } catch (CopyRefusedException e) {
            again.accept(
                    new EntryFailure(EntryFailure.Kind.ERROR, root.source(), path, String.valueOf(e.getMessage()), 0));
            return List.of();
        }
    }

    private static boolean isAbove(TreePath directory, TreePath path) {
        TreePath above = path;
        while (above.depth() > directory.depth()) {
            above = above.parent();
        }
        return above.equals(directory);
    }
}
