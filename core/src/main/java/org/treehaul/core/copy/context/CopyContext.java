// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.context;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.data.CopyControl;
import org.treehaul.core.copy.data.CopyRules;
import org.treehaul.core.copy.data.DataMover;
import org.treehaul.core.copy.data.DirectIo;
import org.treehaul.core.copy.data.FileSystemPairs;
import org.treehaul.core.copy.data.WholeFile;
import org.treehaul.core.copy.failure.FailureTranslator;
import org.treehaul.core.copy.failure.RetryPolicy;
import org.treehaul.core.copy.links.EarlierCopies;
import org.treehaul.core.copy.links.HardLinks;
import org.treehaul.core.copy.metadata.MetadataSettings;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.options.Preserve;
import org.treehaul.core.copy.outcome.OutcomeCounter;
import org.treehaul.core.copy.target.Confirmation;
import org.treehaul.core.copy.target.TargetAccess;
import org.treehaul.core.copy.target.TargetRoots;
import org.treehaul.core.copy.target.TemporaryNames;
import org.treehaul.core.copy.target.TemporarySweeper;
import org.treehaul.core.copy.target.WidenedDirectories;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.event.RateLimiter;
import org.treehaul.core.fs.AclListing;
import org.treehaul.core.fs.DirectoryPool;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.ProcessStatus;
import org.treehaul.core.fs.SystemCallException;

/**
 * Settings, rules and shared parts of one copy. Creates the tools of each thread, which get only the parts that they
 * need. Safe for any number of threads.
 */
public final class CopyContext implements AutoCloseable {

    private final @Nullable BatchSettings batch;
    private final @Nullable EarlierCopies earlier;
    private final CopyOptions options;
    private final List<CopyPair> pairs;
    private final ProcessStatus process;
    private final Progress progress;
    private final OutcomeCounter outcomes;
    private final FailureTranslator failures;
    private final RetryPolicy retries;
    private final Confirmation confirmation;
    private final DirectoryPool targets;
    private final List<DirectoryPool> otherPools = new CopyOnWriteArrayList<>();
    private final TargetRoots targetRoots;
    private final MetadataSettings metadata;
    private final HardLinks hardLinks;
    private final FileSystemPairs fileSystems = new FileSystemPairs();
    private final TemporaryNames temporaries;
    private final RateLimiter limiter;
    private final DirectIo direct;
    private final LongAdder newDirectories = new LongAdder();
    private final WidenedDirectories widened = new WidenedDirectories();

    public CopyContext(FileSystemCalls calls, CopyOptions options, List<CopyPair> pairs, ProcessStatus process,
            EventListener listener, Progress progress, Cancellation giveUp, @Nullable BatchSettings batch) {
        this(calls, options, pairs, process, listener, progress, giveUp, batch, null);
    }

    public CopyContext(FileSystemCalls calls, CopyOptions options, List<CopyPair> pairs, ProcessStatus process,
            EventListener listener, Progress progress, Cancellation giveUp, @Nullable BatchSettings batch,
            @Nullable EarlierCopies earlier) {
        this.batch = batch;
        this.earlier = earlier;
        this.options = options;
        this.pairs = List.copyOf(pairs);
        this.process = process;
        this.progress = progress;
        this.failures = new FailureTranslator(this.pairs, batch != null && !batch.isWhole());
        this.outcomes = new OutcomeCounter(failures, options.reportDone(), batch == null ? null : batch.ledger(),
                batch == null ? null : batch.completed(), listener, progress, giveUp);
        this.confirmation = new Confirmation(options, this.pairs);
        this.targets = DirectoryPool.withinLimit(calls, DirectoryPool.LARGEST_BUDGET);
        this.retries = new RetryPolicy(this::closeUnheld);
        this.hardLinks = batch == null ? new HardLinks() : batch.hardLinks();
        this.targetRoots = new TargetRoots(targets, this.pairs, this::entered);
        this.metadata = new MetadataSettings(options, process,
                batch == null || batch.umask() == null ? process.umask() : batch.umask(), new AclListing(), fileSystems,
                batch != null && batch.completed() != null, outcomes::notice);
        this.temporaries = batch == null ? TemporaryNames.of(pairs) : batch.temporaries();
        this.limiter = batch == null || batch.limiter() == null ? RateLimiter.of(options.bandwidth()) : batch.limiter();
        this.direct = new DirectIo(options, calls, outcomes::notice);
    }

    public CopyOptions options() {
        return options;
    }

    public CopyPair pair(int rootIndex) {
        return pairs.get(rootIndex);
    }

    public List<CopyPair> pairs() {
        return pairs;
    }

    public ProcessStatus process() {
        return process;
    }

    /** Returns whether this copies a part of a transfer, whose directories are finished after all parts. */
    public boolean isBatch() {
        return failures.isBatch();
    }

    /** Registers a directory before anything is copied into it. */
    public void entered(FileStatus directory, int descriptor) throws SystemCallException {
        if (batch != null) {
            batch.syncPoints().entered(directory.device(), descriptor);
        }
    }

    /** Returns the earlier copies for one thread, or null if there are none. */
    public EarlierCopies.@Nullable Lookup earlierCopies(FileAccess access) {
        return earlier == null ? null : earlier.open(access);
    }

    /** Counts a directory that was created. */
    public void directoryCreated() {
        newDirectories.increment();
    }

    /** Returns the number of directories that were created. */
    public long newDirectories() {
        return newDirectories.sum();
    }

    /** Returns the directories that get their modes back when the copy ends before they are complete. */
    public WidenedDirectories widened() {
        return widened;
    }

    public Progress progress() {
        return progress;
    }

    /** Returns the counter to which every outcome is reported. */
    public OutcomeCounter outcomes() {
        return outcomes;
    }

    public FailureTranslator failures() {
        return failures;
    }

    public RetryPolicy retries() {
        return retries;
    }

    /** Returns a new pool, whose directories without holders are closed too when the copy runs out of descriptors. */
    public DirectoryPool openPool(FileSystemCalls calls) {
        DirectoryPool pool = DirectoryPool.withinLimit(calls, DirectoryPool.LARGEST_BUDGET);
        otherPools.add(pool);
        return pool;
    }

    /** Closes a pool that {@link #openPool} returned. */
    public void closePool(DirectoryPool pool) {
        otherPools.remove(pool);
        pool.close();
    }

    private boolean closeUnheld() {
        boolean any = targets.closeUnheld();
        for (DirectoryPool pool : otherPools) {
            any |= pool.closeUnheld();
        }
        return any;
    }

    public TargetRoots targetRoots() {
        return targetRoots;
    }

    public HardLinks hardLinks() {
        return hardLinks;
    }

    public FileSystemPairs fileSystems() {
        return fileSystems;
    }

    public MetadataSettings metadata() {
        return metadata;
    }

    public TemporaryNames temporaries() {
        return temporaries;
    }

    public RateLimiter limiter() {
        return limiter;
    }

    /** Returns the opener of files past the page cache. */
    public DirectIo direct() {
        return direct;
    }

    public boolean preserves(Preserve what) {
        return options.preserves(what);
    }

    /** Returns whether the names of a file become links to one copy: it has several, and they are not links anyway. */
    public boolean isGrouped(FileStatus source) {
        return source.linkCount() > 1 && preserves(Preserve.LINKS) && options.form() != CopyOptions.Form.HARD_LINK;
    }

    /** Returns the tools with which one thread creates entries at the destination. */
    public TargetAccess targetAccess(FileAccess access) {
        return TargetAccess.of(options, targetRoots, fileSystems, temporaries, confirmation, access);
    }

    /** Returns the mover of data for one thread. */
    public DataMover mover(FileAccess access, CopyControl control) {
        return new DataMover(options, limiter, progress, access.buffer(), control);
    }

    /** Returns the copier of the data of whole files for one thread. */
    public WholeFile wholeFile(FileAccess access, CopyControl control) {
        return new WholeFile(options, limiter, progress, fileSystems, access.buffer(), control);
    }

    /** Returns the rules for moving data, for one thread. */
    public CopyRules rules(FileAccess access) {
        return new CopyRules(options, fileSystems, access);
    }

    /** Returns the sweeper of temporary files for one thread. */
    public TemporarySweeper sweeper(FileAccess access) {
        return new TemporarySweeper(temporaries, outcomes::notice, access);
    }

    /** Syncs the directories that contain the copies of the roots. */
    public void syncParents(FileAccess access) {
        targetRoots.sync(retries, access, (path, e) -> outcomes.failed(EntryFailure.of(path, TreePath.root(), e)));
    }

    @Override
    public void close() {
        direct.close();
        targetRoots.close();
        targets.close();
    }
}
