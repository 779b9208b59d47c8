// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.AclListing;
import org.treehaul.core.fs.DirectoryPool;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.ProcessStatus;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.Cancellation;
import org.treehaul.core.walk.PathSelection;

/** The state that the threads of one copy share. Safe for any number of threads. */
final class CopyRun implements AutoCloseable {

    // Errors that concern the destination as a whole: after this many in a row without a success the copy gives up,
    // because the next 10^8 entries would fail in the same way.
    private static final int HOPELESS_IN_A_ROW = 32;
    private static final Set<Integer> HOPELESS = Set.of(Errno.ENOSPC, Errno.EDQUOT, Errno.EROFS, Errno.ENOTCONN);

    private final @Nullable BatchSettings batch;
    private final @Nullable BatchLedger ledger;
    private final CopyOptions options;
    private final List<CopyPair> pairs;
    private final ProcessStatus process;
    private final EventListener listener;
    private final Progress progress;
    private final Cancellation giveUp;
    private final DirectoryPool targets;
    private final TargetRoots targetRoots;
    private final HardLinks hardLinks = new HardLinks();
    private final FileSystemPairs fileSystems = new FileSystemPairs();
    private final AclListing aclListing = new AclListing();
    private final TemporaryNames temporaries;
    private final RateLimiter limiter;
    private final Map<EntryFailure.Kind, Long> failures = new ConcurrentHashMap<>();
    private final Set<CopyTask> confirmed = ConcurrentHashMap.newKeySet();
    private final Set<String> noticed = ConcurrentHashMap.newKeySet();
    private final AtomicInteger hopeless = new AtomicInteger();

    CopyRun(FileSystemCalls calls, CopyOptions options, List<CopyPair> pairs, ProcessStatus process,
            EventListener listener, Progress progress, Cancellation giveUp, @Nullable BatchSettings batch) {
        this.batch = batch;
        this.ledger = batch == null ? null : batch.ledger();
        this.options = options;
        this.pairs = List.copyOf(pairs);
        this.process = process;
        this.listener = listener;
        this.progress = progress;
        this.giveUp = giveUp;
        this.targets = DirectoryPool.withinLimit(calls, DirectoryPool.LARGEST_BUDGET);
        this.targetRoots = new TargetRoots(targets, this.pairs, this::entered);
        this.temporaries = batch == null ? TemporaryNames.of(pairs) : batch.temporaries();
        this.limiter = batch == null || batch.limiter() == null ? RateLimiter.of(options.bandwidth()) : batch.limiter();
    }

    CopyOptions options() {
        return options;
    }

    CopyPair pair(int rootIndex) {
        return pairs.get(rootIndex);
    }

    ProcessStatus process() {
        return process;
    }

    /** Returns the umask for new entries; that of the process may be different. */
    int umask() {
        return batch == null || batch.umask() == null ? process.umask() : batch.umask();
    }

    /** Returns whether this copies a part of a transfer, which {@link TransferFinisher} finishes. */
    boolean isBatch() {
        return batch != null && !batch.isWhole();
    }

    /** Registers a directory before anything is copied into it. */
    void entered(FileStatus directory, int descriptor) throws SystemCallException {
        if (batch != null) {
            batch.syncPoints().entered(directory.device(), descriptor);
        }
    }

    Progress progress() {
        return progress;
    }

    TargetRoots targetRoots() {
        return targetRoots;
    }

    HardLinks hardLinks() {
        return hardLinks;
    }

    FileSystemPairs fileSystems() {
        return fileSystems;
    }

    AclListing aclListing() {
        return aclListing;
    }

    TemporaryNames temporaries() {
        return temporaries;
    }

    RateLimiter limiter() {
        return limiter;
    }

    boolean preserves(Preserve what) {
        return options.preserve().contains(what);
    }

    boolean requires(Preserve what) {
        return options.required().contains(what);
    }

    /** Closes the target directories without holders; returns whether there were any. */
    boolean closeUnheldDirectories() {
        return targets.closeUnheld();
    }

    void sourceFailed(int rootIndex, TreePath path, SystemCallException cause) {
        failed(atSource(rootIndex, path, cause));
    }

    /**
     * Does the same as {@link #sourceFailed(int, TreePath, SystemCallException)} for an entry with this number of
     * tries.
     */
    void sourceFailed(CopyTask task, SystemCallException cause, int tries) {
        failed(task, atSource(task.rootIndex(), task.path(), cause), tries);
    }

    private EntryFailure atSource(int rootIndex, TreePath path, SystemCallException cause) {
        EntryFailure failure = EntryFailure.of(pair(rootIndex).source().path(), path, cause);
        boolean vanished = cause.errno() == Errno.ENOENT && (isBatch() || !path.isRoot());
        return vanished ? failure.as(EntryFailure.Kind.VANISHED) : failure;
    }

    void sourceChanged(CopyTask task, int tries) {
        failed(task, new EntryFailure(EntryFailure.Kind.CHANGED, pair(task.rootIndex()).source().path(), task.path(),
                "read", 0), tries);
    }

    void targetFailed(int rootIndex, TreePath path, SystemCallException cause) {
        failed(EntryFailure.of(pair(rootIndex).target(), path, cause));
    }

    /** Does the same as {@link #targetFailed(int, TreePath, SystemCallException)} for an entry that was not begun. */
    void targetFailed(int rootIndex, int number, TreePath path, SystemCallException cause) {
        EntryFailure failure = EntryFailure.of(pair(rootIndex).target(), path, cause);
        if (ledger != null) {
            ledger.failed(rootIndex, number, failure, 1);
        }
        failed(failure);
    }

    /**
     * Does the same as {@link #targetFailed(int, TreePath, SystemCallException)} for an entry with this number of
     * tries.
     */
    void targetFailed(CopyTask task, SystemCallException cause, int tries) {
        failed(task, EntryFailure.of(pair(task.rootIndex()).target(), task.path(), cause), tries);
    }

    void targetCorrupt(CopyTask task, int tries) {
        failed(task,
                new EntryFailure(EntryFailure.Kind.CORRUPT, pair(task.rootIndex()).target(), task.path(), "verify", 0),
                tries);
    }

    private void failed(CopyTask task, EntryFailure failure, int tries) {
        if (ledger != null) {
            ledger.failed(task, failure, tries);
        }
        failed(failure);
    }

    /** Converts an exception thrown while copying into the failure to report for the file. */
    EntryFailure failureOf(int rootIndex, TreePath path, Exception cause) {
        ByteString source = pair(rootIndex).source().path();
        return switch (cause) {
            case ChangedException e ->
                new EntryFailure(EntryFailure.Kind.CHANGED, source, path, String.valueOf(e.getMessage()), 0);
            case CorruptException e ->
                new EntryFailure(EntryFailure.Kind.CORRUPT, pair(rootIndex).target(), path, "verify", 0);
            case SystemCallException e -> atSource(rootIndex, path, e);
            case TargetException e -> EntryFailure.of(pair(rootIndex).target(), path, e.call());
            default -> throw new IllegalStateException(cause);
        };
    }

    /** Counts a failure of the walk, or of a directory. */
    void walkFailed(int rootIndex, EntryFailure failure) {
        if (ledger != null) {
            int number = failure.path().isRoot() ? rootNumber(rootIndex) : -1;
            if (number >= 0) {
                ledger.failed(rootIndex, number, failure, 1);
            } else {
                ledger.directoryFailed(rootIndex, failure);
            }
        }
        failed(failure);
    }

    private int rootNumber(int rootIndex) {
        return pair(rootIndex).source().selection().map(PathSelection::rootNumber).orElse(-1);
    }

    /** Counts a skipped entry. */
    void skipped(CopyTask task) {
        progress.entrySkipped();
        if (ledger != null) {
            ledger.skipped(task);
        }
    }

    /** Counts an entry as done. If its verification is still pending, {@link #proved} must be called later. */
    void done(String action, CopyTask task, FileStatus source, boolean isProved) {
        done(action, task.rootIndex(), task.path());
        if (isProved) {
            proved(task, source);
        }
    }

    /** Reports that an entry is finished, including its verification. */
    void proved(CopyTask task, FileStatus source) {
        if (ledger != null) {
            ledger.done(task, source);
        }
    }

    void failed(EntryFailure failure) {
        failures.merge(failure.kind(), 1L, Long::sum);
        progress.entryFailed();
        listener.onEvent(new Event.Failed(failure));
        if (!HOPELESS.contains(failure.errno())) {
            return;
        }
        int inARow = hopeless.incrementAndGet();
        if (inARow >= HOPELESS_IN_A_ROW) {
            // Cancels first, and for each failure that counts: reporting may take a while, during which other entries
            // would fail.
            giveUp.cancel();
        }
        // An entry in progress may succeed and reset the count.
        if (inARow == HOPELESS_IN_A_ROW && noticed.add("giving up")) {
            listener.onEvent(new Event.Notice("giving up after " + HOPELESS_IN_A_ROW + " failures in a row: "
                    + Errno.describe(failure.errno()) + "; the entries not yet looked at were not copied"));
        }
    }

    /** Counts an entry as done, and resets the count of failures of the destination. */
    void done(String action, int rootIndex, TreePath path) {
        if (hopeless.get() != 0) {
            hopeless.set(0);
        }
        progress.entryDone();
        if (options.reportDone()) {
            CopyPair pair = pair(rootIndex);
            listener.onEvent(new Event.Done(action, join(pair.source().path(), path), join(pair.target(), path)));
        }
    }

    /** Returns the path of a source, beginning with the root as the user gave it. */
    ByteString sourcePath(CopyTask task) {
        return join(pair(task.rootIndex()).source().path(), task.path());
    }

    /** Returns whether an entry may replace or write to an existing one; asks the user if the options require it. */
    boolean mayReplace(CopyTask task) {
        if (options.confirmation().isEmpty() || confirmed.contains(task)) {
            return true;
        }
        boolean isAllowed = options.confirmation().get().test(join(pair(task.rootIndex()).target(), task.path()));
        if (isAllowed) {
            // Remembered because the copy may be begun again.
            confirmed.add(task);
        }
        return isAllowed;
    }

    private static ByteString join(ByteString root, TreePath path) {
        return ByteString.of(new EntryFailure(EntryFailure.Kind.ERROR, root, path, "", 0).fullPath());
    }

    /** Sends a notice to the user, only once for each text. */
    void notice(String text) {
        if (noticed.add(text)) {
            listener.onEvent(new Event.Notice(text));
        }
    }

    /** Syncs the directories that contain the copies of the roots. */
    void syncParents(FileAccess access) {
        targetRoots.sync(access, (path, e) -> failed(EntryFailure.of(path, TreePath.root(), e)));
    }

    CopyResult result(boolean isComplete) {
        return new CopyResult(progress.snapshot(), failures, isComplete && !giveUp.isCancelled());
    }

    @Override
    public void close() {
        targetRoots.close();
        targets.close();
    }
}
