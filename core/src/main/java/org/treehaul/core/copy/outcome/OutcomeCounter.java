// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.outcome;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.failure.FailureTranslator;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.target.CopyTask;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Errno;

/**
 * Counts and reports the outcome of each entry, and cancels the copy when the destination fails as a whole. Safe for
 * any number of threads.
 */
public final class OutcomeCounter {

    // Errors that concern the destination as a whole: after this many in a row without a success the copy gives up,
    // because the next 10^8 entries would fail in the same way.
    private static final int HOPELESS_IN_A_ROW = 32;
    private static final Set<Integer> HOPELESS = Set.of(Errno.ENOSPC, Errno.EDQUOT, Errno.EROFS, Errno.ENOTCONN);

    private final List<CopyPair> pairs;
    private final boolean reportsDone;
    private final FailureTranslator failures;
    private final @Nullable BatchLedger ledger;
    private final @Nullable CompletedEntries completed;
    private final EventListener listener;
    private final Progress progress;
    private final Cancellation giveUp;
    private final Map<EntryFailure.Kind, Long> counts = new ConcurrentHashMap<>();
    private final Set<String> noticed = ConcurrentHashMap.newKeySet();
    private final AtomicInteger hopeless = new AtomicInteger();
    private final LongAdder unverified = new LongAdder();

    /**
     * Creates a counter.
     *
     * @param reportsDone whether each entry that is done is an event
     * @param ledger receives the outcomes of the entries of a batch; null without a batch
     * @param completed receives the entries that are complete; null if they are not wanted
     * @param listener receives failures, notices and entries done, on any thread
     * @param giveUp is cancelled when the destination fails as a whole
     */
    public OutcomeCounter(FailureTranslator failures, boolean reportsDone, @Nullable BatchLedger ledger,
            @Nullable CompletedEntries completed, EventListener listener, Progress progress, Cancellation giveUp) {
        this.pairs = failures.pairs();
        this.reportsDone = reportsDone;
        this.failures = failures;
        this.ledger = ledger;
        this.completed = completed;
        this.listener = listener;
        this.progress = progress;
        this.giveUp = giveUp;
    }

    /** Counts an entry as failed. */
    public void failed(CopyTask task, Exception cause, int tries) {
        failed(task.rootIndex(), task.number(), task.path(), cause, tries);
    }

    /** Counts an entry of a batch as failed before its copy was begun. */
    public void failed(int rootIndex, int number, TreePath path, Exception cause) {
        failed(rootIndex, number, path, cause, 1);
    }

    private void failed(int rootIndex, int number, TreePath path, Exception cause, int tries) {
        EntryFailure failure = failures.of(rootIndex, path, cause);
        ended(rootIndex, number, path, new EntryOutcome.Failed(failure, tries));
        failed(failure);
    }

    /** Counts a directory, or another entry that is not in a ledger, as failed; returns the failure. */
    public EntryFailure failed(int rootIndex, TreePath path, Exception cause) {
        EntryFailure failure = failures.of(rootIndex, path, cause);
        failed(failure);
        return failure;
    }

    /** Counts a failure of the walk, or of a directory on the way to entries. */
    public void walkFailed(int rootIndex, EntryFailure failure) {
        if (ledger != null) {
            int number = failure.path().isRoot() ? ledger.rootNumber(rootIndex) : -1;
            if (number >= 0) {
                ledger.ended(rootIndex, number, failure.path(), new EntryOutcome.Failed(failure, 1));
            } else {
                ledger.directoryFailed(rootIndex, failure);
            }
        }
        failed(failure);
    }

    /** Returns whether a failure concerns the destination as a whole, as if it is full. */
    public static boolean isOfDestination(EntryFailure failure) {
        return HOPELESS.contains(failure.errno());
    }

    /** Counts and reports a failure. */
    public void failed(EntryFailure failure) {
        counts.merge(failure.kind(), 1L, Long::sum);
        progress.entryFailed();
        listener.onEvent(new Event.Failed(failure));
        if (!isOfDestination(failure)) {
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
                    + Errno.describe(failure.errno())
                    + "; the remaining entries were not copied: repeat the copy when the destination is usable again"));
        }
    }

    /** Counts a skipped entry. */
    public void skipped(CopyTask task) {
        skipped(task, true);
    }

    /**
     * Counts a skipped entry. If its comparison with the source is still pending, {@link #provedKept} must be called
     * later.
     */
    public void skipped(CopyTask task, boolean isProved) {
        progress.entrySkipped();
        if (isProved) {
            provedKept(task);
        }
    }

    /** Reports that a skipped entry is finished, including its comparison with the source. */
    public void provedKept(CopyTask task) {
        ended(task.rootIndex(), task.number(), task.path(), new EntryOutcome.Skipped());
    }

    /** Counts a skipped file that should be verified, but is no copy of its source. */
    public void unverified() {
        unverified.increment();
    }

    /**
     * Counts an entry as done, and resets the count of failures of the destination. If its verification is still
     * pending, {@link #proved} must be called later.
     */
    public void done(String action, CopyTask task, FileStatus source, boolean isProved) {
        // A finished directory does not show that: it was created earlier.
        targetWorks();
        done(action, task.rootIndex(), task.path());
        if (isProved) {
            proved(task, source);
        }
    }

    /** Reports that an entry is finished, including its verification. */
    public void proved(CopyTask task, FileStatus source) {
        ended(task.rootIndex(), task.number(), task.path(), new EntryOutcome.Done(source));
        if (completed != null) {
            completed.copied(task.rootIndex(), task.path(), source);
        }
    }

    /** Returns the time by {@link System#nanoTime} if a ledger records times, else 0. */
    public long began() {
        return ledger == null ? 0 : System.nanoTime();
    }

    /**
     * Reports how long the copy of a file took, if a ledger records the times.
     *
     * @param began the result of {@link #began} when it began
     */
    public void took(CopyTask task, long began) {
        if (ledger != null) {
            ledger.took(task.rootIndex(), task.number(), System.nanoTime() - began);
        }
    }

    private void ended(int rootIndex, int number, TreePath path, EntryOutcome outcome) {
        if (ledger != null) {
            ledger.ended(rootIndex, number, path, outcome);
        }
    }

    /** Resets the count of failures of the destination as a whole: a new name shows that it works. */
    public void targetWorks() {
        if (hopeless.get() != 0) {
            hopeless.set(0);
        }
    }

    /** Counts a finished directory, or another entry that is not in a ledger, as done. */
    public void done(String action, int rootIndex, TreePath path) {
        progress.entryDone();
        if (reportsDone) {
            CopyPair pair = pairs.get(rootIndex);
            listener.onEvent(new Event.Done(action, pair.sourcePath(path), pair.targetPath(path)));
        }
    }

    /** Counts a finished directory as done. */
    public void directoryDone(int rootIndex, TreePath path, FileStatus source) {
        progress.directoryDone();
        done("directory", rootIndex, path);
        if (completed != null) {
            completed.directoryCopied(rootIndex, path, source);
        }
    }

    /** Sends a notice to the user, only once for each text. */
    public void notice(String text) {
        if (noticed.add(text)) {
            listener.onEvent(new Event.Notice(text));
        }
    }

    /** Returns the result of the copy. If files were skipped and not verified, a notice says how many. */
    public CopyResult result(boolean isComplete) {
        noteUnverified();
        return new CopyResult(progress.snapshot(), counts, isComplete && !giveUp.isCancelled());
    }

    private void noteUnverified() {
        long files = unverified.sum();
        if (files > 0) {
            listener.onEvent(new Event.Notice("left alone without verification: "
                    + (files == 1 ? "1 file that differs" : String.format(Locale.ROOT, "%,d files that differ", files))
                    + " from the source in size or time; 'treehaul cmp' compares source and copy"));
        }
    }
}
