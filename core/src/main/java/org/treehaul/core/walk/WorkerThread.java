// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import java.util.Objects;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.frontier.Frontier;
import org.treehaul.core.walk.options.NoFilter;
import org.treehaul.core.walk.options.PathSelection;
import org.treehaul.core.walk.options.SelectedEntries;
import org.treehaul.core.walk.options.SelectedPaths;
import org.treehaul.core.walk.options.Symlinks;
import org.treehaul.core.walk.options.WalkOptions;

/**
 * One thread of a walk: takes work from the frontier until there is none, and calls its handler.
 *
 * @param <D> the type of the value that the handler attaches to each directory
 */
final class WorkerThread<D> implements Work.Runner<D> {

    // Statuses read ahead while each takes long and other workers are idle.
    private static final int FEW_AHEAD = 4;

    private final int index;
    private final WalkRun<D> run;
    private final FileAccess access;
    private final FoundEntry<D> found;
    private final ListingWalk<D> listing;

    private volatile @Nullable TreePath currentPath;
    private volatile int currentRoot;
    private long work;
    // Directories without a status that this worker found, less those that it opened.
    private long unopened;
    private @Nullable WalkHandler<D> handler;

    // The handler, or the wrapper that measures it.
    private @Nullable WalkHandler<D> called;
    private boolean needsDirectoryStatus;
    private boolean readsAhead;
    private boolean seesAhead;
    private final @Nullable WorkerTimes times;

    WorkerThread(int index, WalkRun<D> run, FileAccess access, @Nullable WorkerTimes times) {
        this.index = index;
        this.run = run;
        this.access = access;
        this.times = times;
        this.found = new FoundEntry<>(this);
        this.listing = new ListingWalk<>(this, run, found);
    }

    @Override
    public FileAccess access() {
        return access;
    }

    @Override
    public boolean isStopped() {
        return run.isStopped();
    }

    @Override
    public Optional<String> current() {
        TreePath path = currentPath;
        return path == null ? Optional.empty() : Optional.of(path.below(run.root(currentRoot).path()).toString());
    }

    @Override
    public void busyWith(int rootIndex, TreePath path) {
        currentRoot = rootIndex;
        currentPath = path;
    }

    @Override
    public int currentRoot() {
        return currentRoot;
    }

    void use(WalkHandler<D> chosen) {
        handler = chosen;
        needsDirectoryStatus = chosen.needsDirectoryStatus() || run.options().oneFileSystem()
                || run.options().symlinks() == Symlinks.ALWAYS;
        readsAhead = chosen.readsAhead() && needsAllStatuses(run.options());
        seesAhead = chosen.seesAhead();
        called = times == null ? chosen : new TimedHandler<>(chosen, times);
    }

    // No status is read in vain: not of an entry that is left out or that its name rules out, nor of a followed link.
    private static boolean needsAllStatuses(WalkOptions options) {
        return options.filter() == NoFilter.INSTANCE && options.symlinks() != Symlinks.ALWAYS
                && (options.status() || options.where().isAll() || FoundValues.needStatus(options.where()));
    }

    @Override
    public WalkHandler<D> handler() {
        return Objects.requireNonNull(handler);
    }

    /** Returns the handler that the walk calls, measured if the options ask for times. */
    WalkHandler<D> called() {
        return Objects.requireNonNull(called);
    }

    /** Returns whether the statuses of several entries are read at once. */
    boolean readsAhead() {
        return readsAhead;
    }

    /** Returns whether work of this worker waits, which idle workers can take. */
    boolean hasWaiting() {
        return run.frontier().hasWaiting(index);
    }

    /** Returns how many statuses may be read ahead: others may do a part of what takes long. */
    int mostAhead() {
        return run.isFar() && run.frontier().idle() > 0 ? FEW_AHEAD : Integer.MAX_VALUE;
    }

    /** Returns whether the walk reads these statuses, rather than the handler. */
    boolean seesAhead() {
        return seesAhead;
    }

    /** Lets the handler handle entries whose statuses were read at once, see {@link WalkHandler#readAhead}. */
    int handleAhead(WalkDirectory<D> directory, int count) {
        return run.options().where().isAll() ? called().readAhead(directory, this, count) : 0;
    }

    @Override
    public Optional<WorkerTimes> times() {
        return Optional.ofNullable(times);
    }

    @Override
    public void fork(@Nullable WalkDirectory<D> directory, ForkedTask<D> task) {
        if (directory != null) {
            directory.addPending(1);
        }
        push(new Work.Forked<>(directory, task));
    }

    void push(Work<D> forAny) {
        called().beforeSharing();
        run.frontier().push(index, forAny);
    }

    @Override
    public void giveAwayRest() {
        listing.giveAwayRest();
    }

    @Override
    public void hold(@Nullable WalkDirectory<D> directory) {
        run.frontier().hold();
        if (directory != null) {
            directory.addPending(1);
        }
    }

    @Override
    public void release(@Nullable WalkDirectory<D> directory) {
        release(directory, this);
    }

    @Override
    public void release(@Nullable WalkDirectory<D> directory, WalkWorker<D> holder) {
        partDone(directory);
        // The walk makes no other workers.
        ((WorkerThread<D>) holder).run.frontier().release();
    }

    @Override
    public void failed(EntryFailure failure) {
        called().failed(failure);
    }

    @Override
    public void worksOn(long fileSystemType) {
        run.worksOn(fileSystemType);
    }

    @Override
    public void worked(long units) {
        work += units;
    }

    @Override
    public long workDone() {
        return work;
    }

    /**
     * Returns the work done so far, by which the number of threads is chosen. A directory whose status is not read
     * counts when it is opened: many that are listed together take no time. Right only as the sum over all workers.
     */
    long timedWork() {
        return work - unopened;
    }

    void listedDirectory() {
        unopened += run.options().status() ? 0 : 1;
    }

    private void openedDirectory() {
        unopened -= run.options().status() ? 0 : 1;
    }

    void loop() throws InterruptedException {
        Frontier<Work<D>> frontier = run.frontier();
        try {
            Work<D> work = next(frontier);
            while (work != null) {
                work.run(this);
                currentPath = null;
                frontier.done();
                work = next(frontier);
            }
        } finally {
            called().finished(this);
            if (times != null) {
                times.end();
            }
        }
    }

    private @Nullable Work<D> next(Frontier<Work<D>> frontier) throws InterruptedException {
        Work<D> work = frontier.poll(index);
        if (work == null && !run.isStopped()) {
            called().idle(this);
            if (times == null) {
                return frontier.take(index);
            }
            long began = System.nanoTime();
            work = frontier.take(index);
            times.waitedSince(began);
        }
        return work;
    }

    @Override
    public void walkRoot(int rootIndex) {
        if (!run.isStopped()) {
            RootWalk.walk(this, run, found, rootIndex);
        }
    }

    @Override
    public void walkDirectory(WalkDirectory<D> directory) {
        if (run.isStopped()) {
            return;
        }
        busyWith(directory.rootIndex(), directory.path());
        openedDirectory();
        try {
            if (needsDirectoryStatus) {
                directory.opened(directory.handle().open(access));
            } else {
                directory.handle().hold(access);
            }
        } catch (SystemCallException e) {
            fail(directory, e, kindOf(directory, e));
            unopened(directory);
            partDone(directory);
            return;
        }
        try {
            enterAndList(directory);
        } finally {
            directory.handle().release();
        }
        partDone(directory);
    }

    // A directory that is held only without its status is never opened again once it was left.
    private void reopen(WalkDirectory<D> directory) throws SystemCallException {
        if (needsDirectoryStatus) {
            directory.handle().acquire(access);
        } else {
            directory.handle().hold(access);
        }
    }

    private void unopened(WalkDirectory<D> directory) {
        try {
            called().unopened(directory, this);
        } catch (SystemCallException e) {
            fail(directory, e, EntryFailure.Kind.ERROR);
        }
    }

    private void enterAndList(WalkDirectory<D> directory) {
        try {
            // Only a followed link can lead back to a directory above it.
            if (run.options().symlinks() == Symlinks.ALWAYS && directory.isBelow(directory.status())) {
                throw new SystemCallException("open", Errno.ELOOP);
            }
            D attachment = called().enter(directory, this);
            directory.attach(attachment);
            if (attachment == null || isElsewhere(directory)) {
                return;
            }
            list(directory);
        } catch (SystemCallException e) {
            fail(directory, e, EntryFailure.Kind.ERROR);
        }
    }

    private void list(WalkDirectory<D> directory) {
        try {
            PathSelection selection = directory.selection;
            // No switch, for which the JVM would make a class at each start.
            if (selection == null) {
                listing.list(directory);
            } else if (selection instanceof SelectedPaths paths) {
                listing.select(directory, paths);
            } else if (selection instanceof SelectedEntries entries) {
                listing.selectAlone(directory, entries);
            }
        } catch (SystemCallException e) {
            fail(directory, e, kindOf(directory, e));
        }
    }

    // A removed directory yields ENOENT when it is opened, and on Linux also when an open one is read further. The user
    // named the root, and must learn that it does not exist.
    private static EntryFailure.Kind kindOf(WalkDirectory<?> directory, SystemCallException e) {
        return e.errno() == Errno.ENOENT && directory.parent() != null
                ? EntryFailure.Kind.VANISHED
                : EntryFailure.Kind.ERROR;
    }

    private boolean isElsewhere(WalkDirectory<D> directory) {
        return run.options().oneFileSystem() && run.isOtherFileSystem(directory, directory.status());
    }

    @Override
    public void walkSlice(WalkDirectory<D> directory, byte[] slice) {
        if (run.isStopped()) {
            return;
        }
        busyWith(directory.rootIndex(), directory.path());
        try {
            reopen(directory);
            try {
                listing.walkSlice(directory, slice);
            } finally {
                directory.handle().release();
            }
        } catch (SystemCallException e) {
            directory.markIncomplete();
            fail(directory, e, kindOf(directory, e));
        }
        partDone(directory);
    }

    @Override
    public void runForked(@Nullable WalkDirectory<D> directory, ForkedTask<D> task) {
        if (!run.isStopped()) {
            if (times == null) {
                task.run(this);
            } else {
                times.enterCallback();
                try {
                    task.run(this);
                } finally {
                    times.leaveCallback();
                }
            }
        }
        partDone(directory);
    }

    // A stopped walk may have done only half of the part: the directory must not seem complete to another walk that
    // shares it and was not stopped yet.
    private void partDone(@Nullable WalkDirectory<D> part) {
        WalkDirectory<D> directory = part;
        while (directory != null && !run.isStopped() && directory.partDone()) {
            left(directory);
            directory = directory.parent();
        }
    }

    @Override
    public void leave(WalkDirectory<D> directory) {
        left(directory);
        partDone(directory.parent());
    }

    private void left(WalkDirectory<D> directory) {
        if (directory.isEntered() && !run.isStopped()) {
            try {
                called().leave(directory, this);
            } catch (SystemCallException e) {
                fail(directory, e, EntryFailure.Kind.ERROR);
            }
        }
        directory.handle().retire();
        if (directory.parent() == null) {
            run.leftRoot(directory.rootIndex());
        }
    }

    private void fail(WalkDirectory<D> directory, SystemCallException e, EntryFailure.Kind kind) {
        called().failed(EntryFailure.of(root(directory), directory.path(), e).as(kind));
    }

    @Override
    public WalkDirectory<D> importedRoot(int rootIndex) throws SystemCallException {
        return run.importedRoot(rootIndex, this);
    }

    @Override
    public void enter(WalkDirectory<D> directory) throws SystemCallException {
        directory.attach(called().enter(directory, this));
    }

    @Override
    public ByteString rootPath(int rootIndex) {
        return run.root(rootIndex).path();
    }

    ByteString root(WalkDirectory<D> directory) {
        return rootPath(directory.rootIndex());
    }
}
