// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import java.util.Objects;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;

/**
 * One thread of a walk: takes work from the frontier until there is none, and calls its handler.
 *
 * <p>
 * Only that thread may call its methods, except {@link #current()} and {@link #workDone()}.
 *
 * @param <D> what the handler attaches to each directory
 */
public final class WalkWorker<D> {

    private final int index;
    private final WalkRun<D> run;
    private final FileAccess access;
    private final FoundEntry<D> found;
    private final ListingWalk<D> listing;

    private volatile @Nullable TreePath currentPath;
    private volatile int currentRoot;
    private long work;
    private @Nullable WalkHandler<D> handler;

    // The handler, or the wrapper that measures it.
    private @Nullable WalkHandler<D> called;
    private final @Nullable WorkerTimes times;

    WalkWorker(int index, WalkRun<D> run, FileAccess access, @Nullable WorkerTimes times) {
        this.index = index;
        this.run = run;
        this.access = access;
        this.times = times;
        this.found = new FoundEntry<>(this);
        this.listing = new ListingWalk<>(this, run, found);
    }

    /** Returns file access for this thread. */
    public FileAccess access() {
        return access;
    }

    /** Returns whether the walk is ending: no new entry may begin. */
    public boolean isStopped() {
        return run.isStopped();
    }

    /**
     * Returns the path that this worker is busy with, printable; any thread may call it. Empty while it waits for work.
     */
    public Optional<String> current() {
        TreePath path = currentPath;
        return path == null ? Optional.empty() : Optional.of(EntryFailure.display(run.root(currentRoot).path(), path));
    }

    /** Records the path that this worker is busy with, so that a user can see where a call hangs. */
    public void busyWith(int rootIndex, TreePath path) {
        currentRoot = rootIndex;
        currentPath = path;
    }

    /** Returns the position of the root that this worker is, or was last, busy with. */
    public int currentRoot() {
        return currentRoot;
    }

    void use(WalkHandler<D> chosen) {
        handler = chosen;
        called = times == null ? chosen : new TimedHandler<>(chosen, times);
    }

    /** Returns the handler that this worker calls. */
    public WalkHandler<D> handler() {
        return Objects.requireNonNull(handler);
    }

    /** Returns the handler that the walk calls, measured if the options ask for times. */
    WalkHandler<D> called() {
        return Objects.requireNonNull(called);
    }

    /** Returns how this worker spends its time; empty unless the options ask for it. */
    public Optional<WorkerTimes> times() {
        return Optional.ofNullable(times);
    }

    /**
     * Pushes a part of an entry's work to the frontier, for any worker. The directory is not left before the part is
     * done.
     *
     * @param directory the directory that contains the entry, or null for a root
     */
    public void fork(@Nullable WalkDirectory<D> directory, ForkedTask<D> task) {
        if (directory != null) {
            directory.addPending(1);
        }
        push(new Work.Forked<>(directory, task));
    }

    void push(Work<D> forAny) {
        run.frontier().push(index, forAny);
    }

    /**
     * Gives the entries that this worker would handle next to idle workers, because the current entry will take long.
     */
    public void giveAwayRest() {
        listing.giveAwayRest();
    }

    /**
     * Keeps the walk from ending, and a directory from being left, until {@link #release}; null for a root's entry.
     */
    public void hold(@Nullable WalkDirectory<D> directory) {
        run.frontier().hold();
        if (directory != null) {
            directory.addPending(1);
        }
    }

    /** Ends a {@link #hold}, and leaves the directory if this was the last thing it waited for. */
    public void release(@Nullable WalkDirectory<D> directory) {
        release(directory, this);
    }

    /** Ends a {@link #hold} of another worker, which may belong to another rank in this process. */
    public void release(@Nullable WalkDirectory<D> directory, WalkWorker<D> holder) {
        partDone(directory);
        holder.run.frontier().release();
    }

    /** Reports a failure to the handler. */
    public void failed(EntryFailure failure) {
        called().failed(failure);
    }

    /** Counts work, by which the walk chooses the number of threads: an entry counts 1, a large file more. */
    public void worked(long units) {
        work += units;
    }

    /** Returns the work done so far, in entries. Other threads may call it and get a slightly older value. */
    public long workDone() {
        return work;
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

    void walkRoot(int rootIndex) {
        if (!run.isStopped()) {
            RootWalk.walk(this, run, found, rootIndex);
        }
    }

    void walkDirectory(WalkDirectory<D> directory) {
        if (run.isStopped()) {
            return;
        }
        busyWith(directory.rootIndex(), directory.path());
        FileStatus status;
        try {
            status = directory.handle().open(access);
        } catch (SystemCallException e) {
            fail(directory, e, kindOf(directory, e));
            partDone(directory);
            return;
        }
        try {
            directory.opened(status);
            enterAndList(directory, status);
        } finally {
            directory.handle().release();
        }
        partDone(directory);
    }

    private void enterAndList(WalkDirectory<D> directory, FileStatus status) {
        try {
            // Only a followed link can lead back to a directory above it.
            if (run.options().symlinks() == Symlinks.ALWAYS && directory.standsIn(status)) {
                throw new SystemCallException("open", Errno.ELOOP);
            }
            D attachment = called().enter(directory, this);
            directory.attach(attachment);
            if (attachment == null || isElsewhere(directory, status)) {
                return;
            }
            list(directory);
        } catch (SystemCallException e) {
            fail(directory, e, EntryFailure.Kind.ERROR);
        }
    }

    private void list(WalkDirectory<D> directory) {
        try {
            if (directory.selection == null) {
                listing.list(directory);
            } else if (directory.selection.isOfEntries()) {
                listing.selectAlone(directory, directory.selection);
            } else {
                listing.select(directory, directory.selection);
            }
        } catch (SystemCallException e) {
            fail(directory, e, kindOf(directory, e));
        }
    }

    // A removed directory yields ENOENT when it is opened, and on Linux also when an open one is read further. The user named the root, and
    // must learn that it does not exist.
    private static EntryFailure.Kind kindOf(WalkDirectory<?> directory, SystemCallException e) {
        return e.errno() == Errno.ENOENT && directory.parent() != null
                ? EntryFailure.Kind.VANISHED
                : EntryFailure.Kind.ERROR;
    }

    private boolean isElsewhere(WalkDirectory<D> directory, FileStatus status) {
        return run.options().oneFileSystem() && run.isOtherFileSystem(directory, status);
    }

    void walkSlice(WalkDirectory<D> directory, byte[] slice) {
        if (run.isStopped()) {
            return;
        }
        busyWith(directory.rootIndex(), directory.path());
        try {
            directory.handle().open(access);
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

    void runForked(@Nullable WalkDirectory<D> directory, ForkedTask<D> task) {
        if (!run.isStopped()) {
            if (times == null) {
                task.run(this);
            } else {
                times.run(task, this);
            }
        }
        partDone(directory);
    }

    // A stopped walk may have done only half of the part: the directory must not seem complete to another walk that shares it and was not
    // stopped yet.
    private void partDone(@Nullable WalkDirectory<D> part) {
        WalkDirectory<D> directory = part;
        while (directory != null && !run.isStopped() && directory.partDone()) {
            left(directory);
            directory = directory.parent();
        }
    }

    void leave(WalkDirectory<D> directory) {
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
    }

    private void fail(WalkDirectory<D> directory, SystemCallException e, EntryFailure.Kind kind) {
        called().failed(EntryFailure.of(root(directory), directory.path(), e).as(kind));
    }

    ByteString root(WalkDirectory<D> directory) {
        return run.root(directory.rootIndex()).path();
    }
}
