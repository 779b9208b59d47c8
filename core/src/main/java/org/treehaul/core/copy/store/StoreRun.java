// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.store;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.copy.data.CopyControl;
import org.treehaul.core.copy.data.FileSystemPairs;
import org.treehaul.core.copy.data.WholeFile;
import org.treehaul.core.copy.failure.FailureTranslator;
import org.treehaul.core.copy.failure.RetryPolicy;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.outcome.CopyResult;
import org.treehaul.core.copy.outcome.OutcomeCounter;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.event.RateLimiter;
import org.treehaul.core.walk.frontier.Frontier;

/** The parts that the threads of one copy between stores share. Safe for any number of threads. */
final class StoreRun {

    private final CopyOptions options;
    private final ByteString root;
    private final Progress progress;
    private final Cancellation stop;
    private final Frontier<StoreDirectory> frontier;
    private final OutcomeCounter outcomes;
    private final RetryPolicy retries = new RetryPolicy(() -> false);
    private final RateLimiter limiter;
    private final FileSystemPairs fileSystems = new FileSystemPairs();
    private final AtomicBoolean isUnopened = new AtomicBoolean();

    StoreRun(CopyOptions options, CopyPair names, EventListener listener, Progress progress, Cancellation stop,
            int threads) {
        this.options = options;
        this.root = names.source().name();
        this.progress = progress;
        this.stop = stop;
        this.frontier = new Frontier<>(threads, threads);
        this.outcomes = new OutcomeCounter(new FailureTranslator(List.of(names), false), options.reportDone(), null,
                null, listener, progress, stop);
        this.limiter = RateLimiter.of(options.bandwidth());
    }

    Frontier<StoreDirectory> frontier() {
        return frontier;
    }

    WholeFile wholeFile(MemorySegment buffer, CopyControl control) {
        return new WholeFile(options, limiter, progress, fileSystems, buffer, control);
    }

    boolean isStopped() {
        return stop.isCancelled();
    }

    /** Ends the copy after the entries in progress. */
    void cancel() {
        stop.cancel();
        frontier.stop();
    }

    // Data that are hashed or searched for zeros must pass through this process.
    boolean isOffloaded() {
        return options.verify() == CopyOptions.Verify.NONE && options.sparse() == CopyOptions.When.AUTO
                && options.reflink() != CopyOptions.When.NEVER;
    }

    boolean excludes(TreePath path, EntryKind kind) {
        return options.filter().excludes(path, kind == EntryKind.DIRECTORY);
    }

    /** Returns the root of the source as the user gave it. */
    ByteString root() {
        return root;
    }

    FileQuery where() {
        return options.where();
    }

    CopyOptions.Existing existing() {
        return options.existing();
    }

    boolean isDry() {
        return options.dryRun();
    }

    boolean isDurable() {
        return options.fsync();
    }

    void skipped() {
        progress.entrySkipped();
    }

    RetryPolicy retries() {
        return retries;
    }

    void bytesDone(long count) {
        progress.bytesDone(count);
    }

    void done(TreePath path, EntryKind kind) {
        if (kind == EntryKind.REGULAR) {
            progress.fileDone();
        }
        outcomes.targetWorks();
        outcomes.done(kind == EntryKind.REGULAR ? "copy" : "make", 0, path);
    }

    void directoryDone(TreePath path) {
        progress.directoryDone();
        outcomes.done("directory", 0, path);
    }

    /** Ends the copy because a thread could not open a side of it. The first such error is reported, for the root. */
    void notOpened(Exception cause) {
        if (!isUnopened.getAndSet(true)) {
            failed(TreePath.root(), cause);
        }
        cancel();
    }

    void failed(TreePath path, Exception cause) {
        outcomes.failed(0, path, cause);
    }

    CopyResult result() {
        return outcomes.result(true);
    }
}
