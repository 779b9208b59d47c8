// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.batch;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.batch.BatchCopier;
import org.treehaul.core.copy.outcome.CopyResult;
import org.treehaul.core.copy.outcome.EntryOutcome;
import org.treehaul.core.copy.outcome.OutcomeListener;
import org.treehaul.core.copy.target.SourceIdentity;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.plan.format.ManifestEntry;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.transfer.directory.Lease;
import org.treehaul.core.transfer.journal.FailureRecord;
import org.treehaul.core.transfer.journal.JournalRecord;

/** One attempt at a batch: copies the entries that earlier attempts left and records each outcome. */
final class BatchAttempt implements OutcomeListener {

    /** Entries copied in one call: a few MB of memory, and frequent moments at which all threads are done. */
    static final int SLICE = 10_000;

    private final BatchCopier copier;
    private final Plan plan;
    private final Claims.Claimed claim;
    private final BatchCounts counts;
    private final Lease lease;
    private final List<DirectoryFailure> failedDirectories = new ArrayList<>();
    private final FollowedSymlinks ways;
    private final CopiedRoots roots;
    private EntryGroup slice;
    private boolean isWhole = true;

    private record DirectoryFailure(int root, TreePath path, EntryFailure failure) {}

    BatchAttempt(BatchCopier copier, Plan plan, Claims.Claimed claim, BatchCounts counts, Lease lease,
            CopiedRoots roots) {
        this.copier = copier;
        this.plan = plan;
        this.claim = claim;
        this.counts = counts;
        this.lease = lease;
        this.roots = roots;
        this.ways = new FollowedSymlinks(plan);
        this.slice = new EntryGroup(plan.header().roots(), ways);
    }

    /**
     * Copies the rest of the batch.
     *
     * @return whether every entry was tried; false after a cancellation and if the destination failed as a whole
     */
    boolean run(EventListener listener, Progress progress, Cancellation stop) throws IOException {
        // The chunks of a file with further names have a group number too, but finishing links the names.
        try (EntryGroups groups = EntryGroups.open(plan, claim.name().batch(), entry -> entry.chunk() == null)) {
            while (groups.hasNext() && isWhole && !stop.isCancelled()) {
                take(groups.next());
                if (slice.size() >= SLICE) {
                    copy(listener, progress, stop);
                }
            }
            if (isWhole && slice.size() > 0) {
                copy(listener, progress, stop);
            }
            return isWhole && !stop.isCancelled();
        }
    }

    // Names of one file become hard links only if one call copies them, so these are copied completely or not at all.
    private void take(List<ManifestEntry> names) {
        List<ManifestEntry> group = new ArrayList<>(names.size());
        boolean isDone = true;
        for (ManifestEntry entry : names) {
            if (claim.before().isReplaced(entry.index())) {
                counts.wasDone(entry, false);
            } else {
                group.add(entry);
                isDone &= claim.before().isDone(entry.index());
            }
        }
        if (group.isEmpty()) {
            return;
        }
        int first = group.getFirst().index();
        if (isDone) {
            group.forEach(entry -> counts.wasDone(entry, entry.index() != first));
            return;
        }
        for (ManifestEntry entry : group) {
            // A kill in between would leave some names linked to the old copy and others to the new one.
            if (entry.group() != 0 && claim.before().isDone(entry.index())) {
                claim.journal().add(JournalRecord.Fact.AGAIN, entry.index());
            }
            slice.add(entry, entry.index() != first);
        }
    }

    private void copy(EventListener listener, Progress progress, Cancellation stop) throws IOException {
        claim.journal().flush();
        roots.check(slice.rootsAbove());
        if (slice.hasWholeEntries()) {
            took(copier.copy(slice.pairs(), this, listener, progress, stop));
        }
        if (isWhole && !slice.chunks().isEmpty()) {
            took(copier.copyChunks(slice.pairs(), slice.chunks(), this, listener, progress, stop));
        }
        if (isWhole) {
            attribute();
        }
        slice = new EntryGroup(plan.header().roots(), ways);
    }

    private void took(CopyResult result) {
        isWhole &= result.isComplete();
    }

    // Entries below a failed directory are not reported individually: they failed like the directory.
    private void attribute() {
        List<DirectoryFailure> failed;
        synchronized (failedDirectories) {
            failed = List.copyOf(failedDirectories);
            failedDirectories.clear();
        }
        for (ManifestEntry entry : slice.entries()) {
            if (!counts.isReported(entry.index())) {
                DirectoryFailure above = above(failed, entry);
                if (above != null) {
                    EntryFailure failure = above.failure;
                    failed(entry.index(), new EntryFailure(failure.kind(), failure.root(), entry.path(),
                            failure.operation(), failure.errno()), 1);
                }
            }
        }
    }

    private static @Nullable DirectoryFailure above(List<DirectoryFailure> failed, ManifestEntry entry) {
        for (DirectoryFailure failure : failed) {
            if (failure.root == entry.root() && entry.path().startsWith(failure.path)) {
                return failure;
            }
        }
        return null;
    }

    @Override
    public void ended(int root, int number, TreePath path, EntryOutcome outcome) {
        ManifestEntry entry = slice.entry(number);
        if (!(outcome instanceof EntryOutcome.Failed) && !path.isRoot()) {
            roots.copied(entry.root());
        }
        switch (outcome) {
            case EntryOutcome.Done done -> {
                FileStatus source = done.source();
                boolean isChanged = source.size() != entry.size() || !source.mtime().equals(entry.mtime())
                        || source.kind() != entry.kind();
                recordChange(number, isChanged);
                claim.journal().add(JournalRecord.Fact.DONE, number);
                counts.done(entry, slice.isFurtherName(number), isChanged);
            }
            case EntryOutcome.ChunkDone chunk -> {
                SourceIdentity source = chunk.source();
                boolean isChanged = source.size() != entry.size() || source.mtimeSeconds() != entry.mtime().seconds()
                        || source.mtimeNanos() != entry.mtime().nanos();
                recordChange(number, isChanged);
                claim.journal().writeQuietly(new JournalRecord.Chunk(number, source, chunk.proof()));
                counts.done(entry, slice.isFurtherName(number), isChanged);
            }
            case EntryOutcome.Skipped skipped -> {
                claim.journal().add(JournalRecord.Fact.SKIPPED, number);
                counts.done(entry, slice.isFurtherName(number), false);
            }
            case EntryOutcome.Failed failed -> failed(number, failed.failure(), failed.tries());
        }
    }

    @Override
    public void took(int root, int number, long nanos) {
        ManifestEntry entry = slice.entry(number);
        counts.took(entry, plan.header().roots().get(entry.root()).source(), nanos);
    }

    private void recordChange(int number, boolean isChanged) {
        if (isChanged) {
            claim.journal().add(JournalRecord.Fact.CHANGED, number);
        }
    }

    private void failed(int number, EntryFailure failure, int tries) {
        if (!lease.isGood()) {
            return;
        }
        claim.journal().writeQuietly(new JournalRecord.Failed(new FailureRecord(number, failure, tries)));
        counts.failed(number, failure.kind());
    }

    @Override
    public void directoryFailed(int root, TreePath path, EntryFailure failure) {
        if (!lease.isGood()) {
            return;
        }
        claim.journal().writeQuietly(new JournalRecord.Failed(new FailureRecord(FailureRecord.NO_ENTRY, failure, 1)));
        synchronized (failedDirectories) {
            failedDirectories.add(new DirectoryFailure(root, path, failure));
        }
    }
}
