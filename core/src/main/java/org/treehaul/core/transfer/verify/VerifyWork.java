// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.verify;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntPredicate;

import org.treehaul.core.compare.DataRange;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.plan.format.ManifestEntry;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.transfer.batch.BatchCounts;
import org.treehaul.core.transfer.batch.BatchWork;
import org.treehaul.core.transfer.batch.Claims;
import org.treehaul.core.transfer.batch.EntryGroups;
import org.treehaul.core.transfer.batch.WorkSettings;
import org.treehaul.core.transfer.journal.FailureRecord;
import org.treehaul.core.transfer.journal.JournalRecord;
import org.treehaul.core.transfer.journal.VerifiedCopy;

/** Compares the copied entries of a batch with their source. Writes only the journal. Used by one thread. */
public final class VerifyWork implements BatchWork {

    private final FileSystemCalls calls;
    private final WorkSettings settings;
    private final Plan plan;
    private final Claims.Claimed claim;
    private final BatchCounts counts;
    private final VerifyRules judge;
    private final IntPredicate leftAlone;
    private final Map<Integer, Asked> entries = new HashMap<>();
    private ComparisonSlice slice;
    private boolean isWhole = true;

    private record Asked(ManifestEntry entry, boolean isFurtherName) {}

    private VerifyWork(FileSystemCalls calls, WorkSettings settings, Plan plan, Claims.Claimed claim,
            BatchCounts counts, VerifyRules judge, IntPredicate leftAlone) {
        this.calls = calls;
        this.settings = settings;
        this.plan = plan;
        this.claim = claim;
        this.counts = counts;
        this.judge = judge;
        this.leftAlone = leftAlone;
        this.slice = ComparisonSlice.ofEntries(plan);
    }

    public static VerifyWork of(FileSystemCalls calls, WorkSettings settings, Plan plan, Claims.Claimed claim,
            BatchCounts counts) throws IOException {
        VerifiedCopy copy = settings.verified().orElseThrow();
        return new VerifyWork(calls, settings, plan, claim, counts,
                new VerifyRules(plan.header(), settings.options(), copy),
                copy.leftAlone(settings.directory(), claim.name().batch()));
    }

    @Override
    public boolean run(EventListener listener, Progress progress, Cancellation stop) throws IOException {
        // The chunks of a file with further names have a group number too, but are compared separately.
        try (EntryGroups groups = EntryGroups.open(plan, claim.name().batch(), entry -> entry.chunk() == null)) {
            while (groups.hasNext() && isWhole && !stop.isCancelled()) {
                take(groups.next(), listener, progress, stop);
                if (slice.isFull()) {
                    compare(listener, progress, stop);
                }
            }
            compare(listener, progress, stop);
            return isWhole && !stop.isCancelled();
        }
    }

    // Whether names are hard links to one file is visible only if they are compared together.
    private void take(List<ManifestEntry> group, EventListener listener, Progress progress, Cancellation stop)
            throws IOException {
        int first = group.getFirst().index();
        if (group.stream().allMatch(entry -> claim.before().isDone(entry.index()))) {
            group.forEach(entry -> counts.wasDone(entry, entry.index() != first));
            return;
        }
        for (ManifestEntry entry : group) {
            if (leftAlone.test(entry.index()) || !judge.isComparable(entry.kind())) {
                claim.journal().add(JournalRecord.Fact.SKIPPED, entry.index());
                counts.done(entry, entry.index() != first, false);
                continue;
            }
            if (slice.has(entry.root(), entry.path())) {
                compare(listener, progress, stop);
            }
            entries.put(entry.index(), new Asked(entry, entry.index() != first));
            slice.add(entry.index(), entry.root(), entry.path(), entry.kind(), entry.group(), range(entry),
                    entry.data());
        }
    }

    // The last chunk extends to the current end of the file.
    private static DataRange range(ManifestEntry entry) {
        if (entry.chunk() == null) {
            return DataRange.ALL;
        }
        boolean isLast = entry.chunk().number() == entry.chunk().count() - 1;
        return new DataRange(entry.chunk().from(), isLast ? Long.MAX_VALUE : entry.chunk().to());
    }

    private void compare(EventListener listener, Progress progress, Cancellation stop) throws IOException {
        if (isWhole && !slice.isEmpty()) {
            claim.journal().flush();
            isWhole = slice.compare(calls, judge.comparison(), settings.options().symlinks(), progress, stop);
            if (isWhole) {
                slice.findings().forEach(finding -> report(finding, listener));
            }
            entries.clear();
            slice = ComparisonSlice.ofEntries(plan);
        }
    }

    private void report(ComparisonSlice.Finding finding, EventListener listener) {
        Asked asked = entries.get(finding.number());
        if (asked == null || finding.isUnknown()) {
            // Not counted, so the attempt remains incomplete.
            return;
        }
        Optional<EntryFailure> failure = judge.judge(finding, asked.entry);
        if (failure.isEmpty()) {
            claim.journal().add(JournalRecord.Fact.DONE, finding.number());
            counts.done(asked.entry, asked.isFurtherName, false);
        } else {
            claim.journal()
                    .writeQuietly(new JournalRecord.Failed(new FailureRecord(finding.number(), failure.get(), 1)));
            counts.failed(finding.number(), failure.get().kind());
            listener.onEvent(new Event.Failed(failure.get()));
        }
    }

    @Override
    public void sync() {
        // Nothing is written.
    }

    @Override
    public void close() {
        // No resource is held between two slices.
    }
}
