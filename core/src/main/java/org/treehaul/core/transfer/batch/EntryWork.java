// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.batch;

import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_PATH;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.target.SyncPoints;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.DirectoryPool;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.operation.EntryOperation;
import org.treehaul.core.operation.PlannedOperation;
import org.treehaul.core.plan.format.ManifestEntry;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.transfer.directory.Lease;
import org.treehaul.core.transfer.journal.FailureRecord;
import org.treehaul.core.transfer.journal.JournalRecord;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.walk.FoundEntry;
import org.treehaul.core.walk.Step;
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.core.walk.WalkDirectory;
import org.treehaul.core.walk.WalkHandler;
import org.treehaul.core.walk.WalkWorker;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;

/**
 * Performs an operation on the entries of a batch. After the lease has lapsed, it begins no further entry, because
 * another worker may be about to begin the same batch. Used by one thread, which starts others.
 */
public final class EntryWork implements BatchWork {

    private final FileSystemCalls calls;
    private final PlannedOperation operation;
    private final WorkSettings settings;
    private final Plan plan;
    private final Claims.Claimed claim;
    private final BatchCounts counts;
    private final Lease lease;
    private final boolean isChange;
    private final SyncPoints syncPoints;
    private final FollowedSymlinks ways;
    private EntryGroup slice;

    public EntryWork(FileSystemCalls calls, EntryOperation operation, WorkSettings settings, Plan plan,
            Claims.Claimed claim, BatchCounts counts, Lease lease) {
        this.operation = new PlannedOperation(operation, settings.directory().operation().repetition(), lease::isGood,
                lease::mayWrite);
        this.calls = this.operation.checked(calls);
        this.syncPoints = new SyncPoints(calls);
        this.settings = settings;
        this.plan = plan;
        this.claim = claim;
        this.counts = counts;
        this.lease = lease;
        this.isChange = settings.directory().operation() instanceof Operation.OnAttributes;
        this.ways = new FollowedSymlinks(plan);
        this.slice = new EntryGroup(plan.header().roots(), ways);
    }

    @Override
    public boolean run(EventListener listener, Progress progress, Cancellation stop) throws IOException {
        boolean isWhole = true;
        try (EntryGroups groups = EntryGroups.open(plan, claim.name().batch(), entry -> true)) {
            while (groups.hasNext() && isWhole && !stop.isCancelled()) {
                take(groups.next());
                if (slice.size() >= BatchAttempt.SLICE) {
                    isWhole = perform(listener, progress, stop);
                }
            }
            if (isWhole && slice.size() > 0) {
                isWhole = perform(listener, progress, stop);
            }
            return isWhole && !stop.isCancelled();
        }
    }

    private void take(List<ManifestEntry> group) {
        int first = group.getFirst().index();
        for (ManifestEntry entry : group) {
            boolean isFurtherName = entry.index() != first;
            if (claim.before().isDone(entry.index())) {
                counts.wasDone(entry, isFurtherName);
            } else {
                slice.add(entry, isFurtherName);
                if (entry.path().isRoot() && isSynced()) {
                    registerAbove(plan.header().roots().get(entry.root()).source());
                }
            }
        }
    }

    private boolean perform(EventListener listener, Progress progress, Cancellation stop) throws IOException {
        claim.journal().flush();
        List<Root> roots = slice.sources();
        List<EntryFailure> directories = new ArrayList<>();
        WalkOptions options = WalkOptions.defaults()
                .withThreads(settings.options().threads())
                .withDirectoryBudget(DirectoryPool.LARGEST_BUDGET);
        boolean isWhole = TreeWalker.of(calls, options)
                .walkWith(roots, (WalkWorker<Boolean> worker) -> new Handler(directories, listener, progress), stop,
                        progress)
                .isComplete();
        progress.setBusy(List::of);
        if (isWhole && lease.isGood()) {
            settle(directories, listener, progress);
        }
        slice = new EntryGroup(plan.header().roots(), ways);
        return isWhole && lease.isGood();
    }

    // Entries below a directory that could not be opened are not reported by the walk.
    private void settle(List<EntryFailure> directories, EventListener listener, Progress progress) {
        if (directories.isEmpty()) {
            return;
        }
        try (FileAccess access = FileAccess.open(calls)) {
            settle(directories, access, listener, progress);
        }
    }

    private void settle(List<EntryFailure> directories, FileAccess access, EventListener listener, Progress progress) {
        for (ManifestEntry entry : slice.entries()) {
            EntryFailure above = counts.isReported(entry.index()) ? null : above(directories, entry);
            if (above == null) {
                continue;
            }
            boolean isGone = above.errno() == Errno.ENOENT
                    || above.path().isRoot() && RootCheck.isAbsent(access, above.root());
            if (isGone && operation.removes()) {
                done(entry, progress);
            } else {
                EntryFailure.Kind kind = kind(isGone ? Errno.ENOENT : above.errno(), above.kind());
                entryFailed(entry, new EntryFailure(kind, above.root(), entry.path(), above.operation(), above.errno()),
                        listener, progress);
            }
        }
    }

    private static EntryFailure.Kind kind(int errno, EntryFailure.Kind other) {
        return switch (errno) {
            case Errno.ENOENT -> EntryFailure.Kind.VANISHED;
            case Errno.ENOTDIR, Errno.ELOOP -> EntryFailure.Kind.CHANGED;
            default -> other;
        };
    }

    private @Nullable EntryFailure above(List<EntryFailure> directories, ManifestEntry entry) {
        for (EntryFailure directory : directories) {
            if (entry.path().startsWith(directory.path())
                    && directory.root().equals(plan.header().roots().get(entry.root()).source())) {
                return directory;
            }
        }
        return null;
    }

    private void done(ManifestEntry entry, Progress progress) {
        claim.journal().add(JournalRecord.Fact.DONE, entry.index());
        counts.done(entry, slice.isFurtherName(entry.index()), false);
        progress.entryDone();
        if (entry.kind().hasData()) {
            progress.fileDone();
        }
    }

    // After the loss of the lease every call fails because of the loss.
    private void entryFailed(ManifestEntry entry, EntryFailure failure, EventListener listener, Progress progress) {
        if (lease.isGood()) {
            claim.journal().writeQuietly(new JournalRecord.Failed(new FailureRecord(entry.index(), failure, 1)));
            counts.failed(entry.index(), failure.kind());
            progress.entryFailed();
            listener.onEvent(new Event.Failed(failure));
        }
    }

    /** Handles the entries of one thread. */
    private final class Handler implements WalkHandler<Boolean> {

        private final List<EntryFailure> directories;
        private final EventListener listener;
        private final Progress progress;

        Handler(List<EntryFailure> directories, EventListener listener, Progress progress) {
            this.directories = directories;
            this.listener = listener;
            this.progress = progress;
        }

        @Override
        public Step entry(FoundEntry<Boolean> found) {
            if (found.number() < 0) {
                // A directory on the way.
                return Step.CONTINUE;
            }
            if (!lease.isGood()) {
                return Step.QUIT;
            }
            ManifestEntry entry = slice.entry(found.number());
            ByteString root = plan.header().roots().get(entry.root()).source();
            long began = System.nanoTime();
            operation
                    .perform(found.access(),
                            new PlannedOperation.Planned(found.parentDescriptor(), found.name(),
                                    isChange ? entry.identityOfFile() : entry.identity(), root, entry.path()))
                    .ifPresentOrElse(failure -> entryFailed(entry, failure, listener, progress),
                            () -> done(entry, progress));
            counts.took(entry, root, System.nanoTime() - began);
            return Step.SKIP;
        }

        @Override
        public Boolean enter(WalkDirectory<Boolean> directory, WalkWorker<Boolean> worker) {
            if (isSynced()) {
                register(directory.status().device(), directory.handle().descriptor());
            }
            return true;
        }

        @Override
        public void failed(EntryFailure failure) {
            synchronized (directories) {
                directories.add(failure);
            }
        }
    }

    private void register(long device, int directory) {
        try {
            syncPoints.entered(device, directory);
        } catch (SystemCallException e) {
            // It can be entered but not read; another directory of its file system takes its place.
        }
    }

    // The walk enters no directory for a root that is not one itself.
    private void registerAbove(ByteString root) {
        try (FileAccess access = FileAccess.open(calls)) {
            int descriptor = LongPath.open(access, RootCheck.above(root), O_DIRECTORY | O_PATH);
            try {
                register(access.status(descriptor).device(), descriptor);
            } finally {
                access.closeQuietly(descriptor);
            }
        } catch (SystemCallException e) {
            // The entry fails in the same way.
        }
    }

    // A removal that a crash undoes is found by finishing, whose directories are not empty then.
    private boolean isSynced() {
        return operation.writes() && !operation.removes();
    }

    @Override
    public void sync() throws SystemCallException {
        syncPoints.sync();
    }

    @Override
    public void close() {
        syncPoints.close();
    }
}
