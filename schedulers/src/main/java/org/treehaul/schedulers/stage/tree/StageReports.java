// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.tree;

import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.schedulers.stage.StageException;

/** Receives what happens to the entries of a tree, and counts the failures. Thread-safe. */
public final class StageReports {

    private final ByteString root;
    private final boolean isTop;
    private final EventListener listener;
    private final Progress progress;
    private final Cancellation cancellation;
    private final Map<EntryFailure.Kind, Long> failures = new ConcurrentHashMap<>();
    private final AtomicBoolean isMissing = new AtomicBoolean();

    /**
     * Creates reports without failures.
     *
     * @param root the root that failures name
     */
    public StageReports(ByteString root, EventListener listener, Progress progress, Cancellation cancellation) {
        this(root, false, listener, progress, cancellation);
    }

    /**
     * Creates reports without failures.
     *
     * @param root the root that failures name
     * @param isTop whether it is the top of a stage, {@code NAME:}, which no slash follows
     */
    public StageReports(ByteString root, boolean isTop, EventListener listener, Progress progress,
            Cancellation cancellation) {
        this.root = root;
        this.isTop = isTop;
        this.listener = listener;
        this.progress = progress;
        this.cancellation = cancellation;
    }

    Progress progress() {
        return progress;
    }

    Cancellation cancellation() {
        return cancellation;
    }

    boolean isCancelled() {
        return cancellation.isCancelled();
    }

    void failed(EntryFailure failure) {
        failures.merge(failure.kind(), 1L, Long::sum);
        progress.entryFailed();
        listener.onEvent(new Event.Failed(failure));
    }

    void failed(EntryFailure.Kind kind, TreePath path, String operation, int errno) {
        failed(isTop
                ? new EntryFailure(kind, fullPath(path), TreePath.root(), operation, errno)
                : new EntryFailure(kind, root, path, operation, errno));
    }

    private ByteString fullPath(TreePath path) {
        return isTop ? root.plus(ByteString.of(path.toBytes())) : path.below(root);
    }

    void failed(TreePath path, StageException e) {
        failed(EntryFailure.Kind.ERROR, path, words(e), e.errno());
    }

    /** Reports a failure of the data of a file. */
    void failed(TreePath path, IOException e) {
        switch (e) {
            case StripeRead.DamagedException damaged -> failed(EntryFailure.Kind.CORRUPT, path, damaged.problem(), 0);
            case StageException staged -> failed(path, staged);
            default -> failed(EntryFailure.Kind.ERROR, path, e.toString(), 0);
        }
    }

    void failed(TreePath path, SystemCallException e) {
        failed(EntryFailure.Kind.ERROR, path, e.operation(), e.errno());
    }

    /** Returns a failure for the walk, which adds the path. */
    static SystemCallException failure(StageException e) {
        // The walk would take the absence of a server for that of the source, which has vanished then.
        return e.errno() == Errno.ENOENT
                ? new SystemCallException(words(e) + ": " + Errno.describe(e.errno()), 0)
                : new SystemCallException(words(e), e.errno());
    }

    private static String words(StageException e) {
        return e.operation() + " (" + e.subject() + ")";
    }

    /** Says that another copy was read in place of one that failed. */
    void otherCopy(TreePath path, IOException failure) {
        notice(fullPath(path) + ": " + problem(failure)
                + "; another copy was read, and 'treehaul stage repair' rebuilds this one");
    }

    /** Says once that copies could not be written. */
    void missedCopies(TreePath path, String stale) {
        if (!isMissing.getAndSet(true)) {
            notice("copies of some files could not be written, first " + fullPath(path) + " (segment@server " + stale
                    + "): 'treehaul stage repair' builds them");
        }
    }

    /** Returns what was wrong with a copy, in a few words. */
    static String problem(IOException failure) {
        return failure instanceof StripeRead.DamagedException damaged
                ? damaged.problem()
                : failure instanceof StageException e
                        ? words(e) + (e.errno() == 0 ? "" : ": " + Errno.describe(e.errno()))
                        : failure.toString();
    }

    void notice(String text) {
        listener.onEvent(new Event.Notice(text));
    }

    /** Returns the number of failures of each kind. */
    public Map<EntryFailure.Kind, Long> failures() {
        Map<EntryFailure.Kind, Long> all = new EnumMap<>(EntryFailure.Kind.class);
        all.putAll(failures);
        return all;
    }
}
