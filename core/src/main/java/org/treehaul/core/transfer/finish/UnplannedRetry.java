// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.finish;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import org.treehaul.core.copy.CopyArguments;
import org.treehaul.core.copy.CopyLayout;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.copy.batch.TransferFinisher;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.outcome.CopyResult;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanHeader;
import org.treehaul.core.plan.format.PlanRecords;
import org.treehaul.core.plan.format.PlannedFailure;
import org.treehaul.core.plan.format.PlannedRoot;
import org.treehaul.core.transfer.journal.FinishingHistory;
import org.treehaul.core.transfer.journal.IndexSet;
import org.treehaul.core.transfer.journal.JournalFormat;
import org.treehaul.core.transfer.journal.JournalRecord;
import org.treehaul.core.transfer.journal.JournalWriter;
import org.treehaul.core.transfer.journal.RootedPath;
import org.treehaul.core.transfer.operation.CopySettings;
import org.treehaul.core.walk.options.EntryFilter;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.SelectedPaths;

/**
 * Copies entries that no batch contains: those that could not be planned, because a source was missing or a directory
 * unreadable, and those whose kind has changed since planning. The trees below these are not divided into batches, so
 * each is walked and copied here. Used by one thread.
 */
final class UnplannedRetry {

    // Results recorded with one sync.
    private static final int UNRECORDED = 500;

    private final FileSystemCalls calls;
    private final Plan plan;
    private final CopyOptions options;
    private final Optional<EntryFilter> filter;
    private final TransferFinisher finisher;
    private final JournalWriter journal;
    private final DirectoryMark mark;
    private final Consumer<EntryFailure> failures;
    private final List<JournalRecord> unrecorded = new ArrayList<>();

    /**
     * Creates an instance.
     *
     * @param failures receives the remaining failures
     */
    UnplannedRetry(FileSystemCalls calls, Plan plan, CopyOptions options, TransferFinisher finisher,
            JournalWriter journal, DirectoryMark mark, Consumer<EntryFailure> failures) {
        this.calls = calls;
        this.plan = plan;
        this.options = options;
        this.filter = CopySettings.filter(plan.header().settings());
        this.finisher = finisher;
        this.journal = journal;
        this.mark = mark;
        this.failures = failures;
    }

    /** Retries every failure that is not resolved; returns whether it completed. */
    boolean retry(int generation, FinishingHistory history, EventListener listener, Progress progress,
            Cancellation stop) throws IOException {
        try (PlanRecords<PlannedFailure> planned = plan.failures()) {
            for (PlannedFailure failure = planned.next(); failure != null; failure = planned.next()) {
                if (history.wasCopied(failure)) {
                    continue;
                }
                mark.clear();
                if (stop.isCancelled() || !retry(failure, listener, progress, stop)) {
                    return false;
                }
                if (unrecorded.size() >= UNRECORDED) {
                    record(generation, history);
                }
            }
        }
        record(generation, history);
        return true;
    }

    /**
     * Copies the entries that exist in place of planned ones; returns whether it completed.
     *
     * @param generation the generation that is being finished
     */
    boolean replace(List<ChangedKinds.Change> changes, int generation, FinishingHistory history, EventListener listener,
            Progress progress, Cancellation stop) throws IOException {
        for (ChangedKinds.Change change : changes) {
            if (stop.isCancelled()) {
                return false;
            }
            List<PlannedFailure> places = change.places().stream().map(this::asFailure).toList();
            Optional<Copied> copied = copy(places, listener, progress, stop);
            if (copied.isEmpty()) {
                return false;
            }
            // An entry planned at the place already counts as one; the further names of a large file never count.
            int known = places.size() - (change.isEntry() && !change.isDirectory() ? 0 : 1);
            long more = Math.max(0, copied.get().entries() - known);
            boolean isWhole = copied.get().isWhole();
            for (PlannedFailure place : places) {
                unrecorded.add(retried(place, isWhole, place.equals(places.getFirst()) ? more : 0));
            }
            change.entries().forEach((batch, entries) -> {
                IndexSet indexes = new IndexSet();
                entries.forEach(indexes::add);
                indexes.takeRanges(JournalFormat.MOST_RANGES)
                        .forEach(ranges -> unrecorded.add(new JournalRecord.Replaced(batch, ranges, isWhole)));
            });
            if (unrecorded.size() >= UNRECORDED) {
                record(generation, history);
            }
        }
        record(generation, history);
        return true;
    }

    private PlannedFailure asFailure(RootedPath place) {
        return new PlannedFailure(place.root(),
                new EntryFailure(EntryFailure.Kind.CHANGED, plan.header().roots().get(place.root()).source(),
                        place.path(), "has changed its kind since planning", 0));
    }

    private void record(int generation, FinishingHistory history) throws IOException {
        if (!unrecorded.isEmpty()) {
            finisher.sync();
            for (JournalRecord record : unrecorded) {
                journal.write(record);
                history.add(generation, record);
            }
            unrecorded.clear();
        }
    }

    private boolean retry(PlannedFailure planned, EventListener listener, Progress progress, Cancellation stop) {
        Optional<Copied> copied = copy(List.of(planned), listener, progress, stop);
        copied.ifPresent(result -> unrecorded.add(retried(planned, result.isWhole(), result.entries())));
        return copied.isPresent();
    }

    private static JournalRecord.Retried retried(PlannedFailure place, boolean isWhole, long entries) {
        return new JournalRecord.Retried(place.root(), ByteString.of(place.failure().path().toBytes()), isWhole,
                entries);
    }

    private record Copied(boolean isWhole, long entries) {}

    // Copies the places in one call, so that names of one file stay hard links; returns empty if the call did not
    // complete.
    private Optional<Copied> copy(List<PlannedFailure> places, EventListener listener, Progress progress,
            Cancellation stop) {
        AtomicBoolean isWhole = new AtomicBoolean(true);
        long before = copied(progress);
        List<CopyPair> pairs = new ArrayList<>();
        for (PlannedFailure place : places) {
            pairs.addAll(pairs(place, failure -> {
                isWhole.set(false);
                failures.accept(failure);
                listener.onEvent(new Event.Failed(failure));
            }));
        }
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
                return Optional.empty();
            }
        }
        return Optional.of(new Copied(isWhole.get(), copied(progress) - before));
    }

    // Directories do not count in batches either.
    private static long copied(Progress progress) {
        Progress.Snapshot counts = progress.snapshot();
        return counts.entries() - counts.directories();
    }

    // Returns no pairs if the retry is certain to fail; the failure is then reported at once.
    private List<CopyPair> pairs(PlannedFailure planned, Consumer<EntryFailure> again) {
        PlanHeader header = plan.header();
        PlannedRoot root = header.roots().get(planned.root());
        TreePath path = planned.failure().path();
        if (!path.isRoot() && filter.isEmpty()) {
            // The result of a program's own filter is unknown here.
            again.accept(planned.failure());
            return List.of();
        }
        if (!path.isRoot()) {
            SelectedPaths selection = SelectedPaths.strict();
            selection.add(path);
            plan.followed()
                    .stream()
                    .filter(link -> link.root() == planned.root() && path.startsWith(link.path()))
                    .forEach(link -> selection.follow(link.path()));
            return List.of(new CopyPair(Root.of(root.source(), selection).named(given(planned.root())), root.target()));
        }
        boolean isTaken = header.roots().stream().filter(other -> other.place().equals(root.place())).count() > 1;
        if (isTaken || filter.isEmpty()) {
            again.accept(planned.failure());
            return List.of();
        }
        try {
            // Checks the arguments like a new copy: the source may be a directory, contain its own copy, or still be
            // missing.
            CopyLayout layout = CopyLayout.of(calls,
                    CopyArguments.of(List.of(root.source(), root.target())).withNoTargetDirectory(true), options);
            layout.failures().forEach(again);
            return layout.pairs()
                    .stream()
                    .map(pair -> new CopyPair(pair.source().named(given(planned.root())), pair.target()))
                    .toList();
        } catch (CopyRefusedException e) {
            again.accept(
                    new EntryFailure(EntryFailure.Kind.ERROR, root.source(), path, String.valueOf(e.getMessage()), 0));
            return List.of();
        }
    }

    private ByteString given(int root) {
        return CopySettings.given(plan.header().settings(), root, plan.header().roots().get(root).source());
    }
}
