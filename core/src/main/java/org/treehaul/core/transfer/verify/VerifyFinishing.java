// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.verify;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.compare.CompareOptions;
import org.treehaul.core.compare.DataRange;
import org.treehaul.core.compare.DifferenceKind;
import org.treehaul.core.compare.TreeComparer;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.Preserve;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanRecords;
import org.treehaul.core.plan.format.PlannedDirectory;
import org.treehaul.core.plan.format.PlannedFailure;
import org.treehaul.core.plan.format.PlannedFile;
import org.treehaul.core.plan.format.PlannedRoot;
import org.treehaul.core.transfer.batch.WorkSettings;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.journal.FinishingHistory;
import org.treehaul.core.transfer.journal.RootedPath;
import org.treehaul.core.transfer.journal.VerifiedCopy;
import org.treehaul.core.transfer.operation.CopySettings;
import org.treehaul.core.walk.options.EntryFilter;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.SelectedPaths;

/** Compares entries outside of batches: directories, and further names of files in chunks. Used by one thread. */
public final class VerifyFinishing {

    private final FileSystemCalls calls;
    private final Plan plan;
    private final WorkSettings settings;
    private final Consumer<EntryFailure> consumer;
    private final VerifyRules judge;
    private final Map<EntryFailure.Kind, Long> failures = new EnumMap<>(EntryFailure.Kind.class);

    /**
     * Creates an instance.
     *
     * @param consumer receives the failures
     */
    public VerifyFinishing(FileSystemCalls calls, Plan plan, WorkSettings settings, VerifiedCopy copy,
            Consumer<EntryFailure> consumer) {
        this.calls = calls;
        this.plan = plan;
        this.settings = settings;
        this.consumer = consumer;
        this.judge = new VerifyRules(plan.header(), settings.options(), copy);
    }

    /** Compares; returns whether the comparison completed. */
    public boolean compare(FinishingHistory ofCopy, Progress progress, Cancellation stop) throws IOException {
        Set<RootedPath> replaced = ofCopy.replaced(plan);
        return compareNames(replaced, progress, stop) && compareDirectories(replaced, progress, stop)
                && compareRetried(ofCopy, replaced, progress, stop);
    }

    // Entries that could not be planned or changed their kind, and were copied when the copy was resumed, are in no
    // list of the plan.
    private boolean compareRetried(FinishingHistory ofCopy, Set<RootedPath> replaced, Progress progress,
            Cancellation stop) throws IOException {
        Optional<EntryFilter> filter = CopySettings.filter(plan.header().settings());
        if (filter.isEmpty()) {
            return true;
        }
        CompareOptions comparison = judge.comparison().withFilter(filter.get()).withWhere(settings.options().where());
        try (PlanRecords<PlannedFailure> planned = plan.failures()) {
            for (PlannedFailure one = planned.next(); one != null; one = planned.next()) {
                RootedPath place = new RootedPath(one.root(), one.failure().path());
                if (ofCopy.wasCopied(one) && !compare(place, comparison, progress, stop)) {
                    return false;
                }
            }
        }
        for (RootedPath place : replaced) {
            if (!compare(place, comparison, progress, stop)) {
                return false;
            }
        }
        return true;
    }

    private boolean compare(RootedPath resolved, CompareOptions comparison, Progress progress, Cancellation stop) {
        PlannedRoot root = plan.header().roots().get(resolved.root());
        Root source = Root.of(root.source());
        if (!resolved.path().isRoot()) {
            SelectedPaths selection = SelectedPaths.strict();
            selection.add(resolved.path());
            plan.followed()
                    .stream()
                    .filter(link -> link.root() == resolved.root())
                    .forEach(link -> selection.follow(link.path()));
            source = Root.of(root.source(), selection);
        }
        return TreeComparer.of(calls, comparison)
                .ofCopy(settings.options().symlinks())
                .compare(source.named(CopySettings.given(plan.header().settings(), resolved.root(), root.source())),
                        root.target(),
                        difference -> judge.judgeTree(resolved.root(), difference).ifPresent(this::failed), event -> {
                            if (event instanceof Event.Failed failed) {
                                failed(failed.failure());
                            }
                        }, progress, stop)
                .isComplete();
    }

    private synchronized void failed(EntryFailure failure) {
        failures.merge(failure.kind(), 1L, Long::sum);
        consumer.accept(failure);
    }

    /** Returns the number of failures by kind. */
    public Map<EntryFailure.Kind, Long> failures() {
        return failures;
    }

    private boolean compareDirectories(Set<RootedPath> replaced, Progress progress, Cancellation stop)
            throws IOException {
        CompareOptions comparison = judge.comparison().withContent(false);
        try (PlanRecords<PlannedDirectory> planned = plan.directories();
                MergedSources merged = new MergedSources(FileAccess.open(calls), plan.header().roots())) {
            Function<ComparisonSlice.Finding, Optional<EntryFailure>> verdict = finding -> judge.judgeDirectory(finding,
                    merged);
            int number = 0;
            ComparisonSlice slice = ComparisonSlice.ofDirectories(plan);
            for (PlannedDirectory next = planned.next(); next != null; next = planned.next()) {
                if (new RootedPath(next.root(), next.path()).isWithin(replaced)) {
                    continue;
                }
                slice.add(number++, next.root(), next.path(), EntryKind.DIRECTORY, 0, DataRange.ALL, 0);
                if (slice.isFull()) {
                    if (!compare(slice, comparison, verdict, progress, stop)) {
                        return false;
                    }
                    slice = ComparisonSlice.ofDirectories(plan);
                }
            }
            return compare(slice, comparison, verdict, progress, stop);
        }
    }

    // The chunks cover all other properties of such a file. Every name that is not a link is reported, unless it may be
    // that of a file which the copy had to keep.
    private boolean compareNames(Set<RootedPath> replaced, Progress progress, Cancellation stop) throws IOException {
        CompareOptions comparison = mayBeKept()
                ? only(DifferenceKind.ONLY_IN_A)
                : only(DifferenceKind.ONLY_IN_A, DifferenceKind.HARD_LINKS);
        if (!settings.options().preserve().contains(Preserve.LINKS)) {
            return true;
        }
        try (PlanRecords<PlannedFile> planned = plan.chunked()) {
            for (PlannedFile file = planned.next(); file != null; file = planned.next()) {
                boolean isReplaced = new RootedPath(file.root(), file.path()).isWithin(replaced);
                List<PlannedFile.Name> links = file.links()
                        .stream()
                        .filter(name -> !new RootedPath(name.root(), name.path()).isWithin(replaced))
                        .toList();
                if (!links.isEmpty() && !isReplaced && !compareNames(file, links, comparison, progress, stop)) {
                    return false;
                }
            }
            return true;
        }
    }

    // No journal says which further names finishing skipped.
    private boolean mayBeKept() {
        return settings.options().existing() != CopyOptions.Existing.REPLACE;
    }

    private CompareOptions only(DifferenceKind... kinds) {
        Set<DifferenceKind> others = EnumSet.allOf(DifferenceKind.class);
        others.removeAll(Set.of(kinds));
        return judge.comparison().ignoring(others);
    }

    private boolean compareNames(PlannedFile file, List<PlannedFile.Name> links, CompareOptions comparison,
            Progress progress, Cancellation stop) throws IOException {
        List<PlannedFile.Name> names = new ArrayList<>(List.of(new PlannedFile.Name(file.root(), file.path())));
        names.addAll(links);
        ComparisonSlice slice = ComparisonSlice.ofEntries(plan);
        for (int i = 0; i < names.size(); i++) {
            slice.add(i, names.get(i).root(), names.get(i).path(), EntryKind.REGULAR, 1, DataRange.ALL, 0);
        }
        List<ComparisonSlice.Finding> found = new ArrayList<>();
        // The comparison of its chunks has reported a missing first name. The copy fails if a directory is in the way.
        return compare(slice, comparison, finding -> {
            found.add(finding);
            boolean isLeftOut = finding.number() == 0 && finding.a() == null || mayBeKept() && isNoFile(finding.b());
            return isLeftOut ? Optional.empty() : judge.judgeName(finding);
        }, progress, stop) && compareCopiedNames(file, found, progress, stop);
    }

    // Finishing copies further names that it cannot link to the first, because the first is missing or the file system
    // makes no links. The chunks do not cover their data. Names of one file on both sides are compared once.
    private boolean compareCopiedNames(PlannedFile file, List<ComparisonSlice.Finding> names, Progress progress,
            Cancellation stop) throws IOException {
        List<ComparisonSlice.Finding> compared = new ArrayList<>();
        ComparisonSlice slice = ComparisonSlice.ofEntries(plan);
        for (ComparisonSlice.Finding name : names) {
            if (isRegular(name.a()) && isRegular(name.b()) && compared.stream().noneMatch(name::isSameFile)) {
                compared.add(name);
                if (name.number() > 0) {
                    slice.add(name.number(), name.root(), name.path(), EntryKind.REGULAR, 0, DataRange.ALL,
                            file.size());
                }
            }
        }
        CompareOptions comparison = mayBeKept()
                ? only(DifferenceKind.KIND, DifferenceKind.SIZE, DifferenceKind.CONTENT)
                        .comparing(Set.of(DifferenceKind.MTIME))
                : judge.comparison().ignoring(Set.of(DifferenceKind.ONLY_IN_A, DifferenceKind.HARD_LINKS));
        return compare(slice, comparison,
                finding -> mayBeKept() && isOther(finding) ? Optional.empty() : judge.judgeCopiedName(finding, file),
                progress, stop);
    }

    private static boolean isOther(ComparisonSlice.Finding finding) {
        return finding.differences().stream().anyMatch(difference -> difference.kind() != DifferenceKind.CONTENT);
    }

    private static boolean isNoFile(@Nullable FileStatus status) {
        return status != null && status.kind() != EntryKind.REGULAR && status.kind() != EntryKind.DIRECTORY;
    }

    private static boolean isRegular(@Nullable FileStatus status) {
        return status != null && status.kind() == EntryKind.REGULAR;
    }

    private boolean compare(ComparisonSlice slice, CompareOptions comparison,
            Function<ComparisonSlice.Finding, Optional<EntryFailure>> verdict, Progress progress, Cancellation stop)
            throws IOException {
        if (slice.isEmpty()) {
            return true;
        }
        if (!slice.compare(calls, comparison, settings.options().symlinks(), progress, stop)) {
            return false;
        }
        Set<Integer> unknown = new HashSet<>();
        for (ComparisonSlice.Finding finding : slice.findings()) {
            if (finding.isUnknown()) {
                unknown.add(finding.number());
            }
            verdict.apply(finding).ifPresent(this::failed);
        }
        if (!unknown.isEmpty()) {
            throw new TransferException("entries were skipped by the comparison; 'treehaul resume' tries them again");
        }
        return true;
    }
}
