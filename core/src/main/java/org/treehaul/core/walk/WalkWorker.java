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
 * Its methods are for that thread alone, but for {@link #current()}.
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

    // The handler, or what measures it.
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

    /** Returns whether the walk is to end: no new entry may be begun. */
    public boolean isStopped() {
        return run.isStopped();
    }

    /** Returns what this worker is busy with, printable; from any thread. Empty while it waits for work. */
    public Optional<String> current() {
        TreePath path = currentPath;
        return path == null ? Optional.empty() : Optional.of(EntryFailure.display(run.root(currentRoot).path(), path));
    }

    /** Says what this worker is busy with, so that somebody can see where a hung call hangs. */
    public void busyWith(int rootIndex, TreePath path) {
        currentRoot = rootIndex;
        currentPath = path;
    }

    /** Returns the position of the root that this worker is busy with, or was last. */
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

    /** Returns what the walk calls: the handler, measured where times are wanted. */
    WalkHandler<D> called() {
        return Objects.requireNonNull(called);
    }

    /** Returns what the time of this worker goes into; empty unless the options want it measured. */
    public Optional<WorkerTimes> times() {
        return Optional.ofNullable(times);
    }

    /**
     * Puts a part of an entry's work on the frontier, for any worker; the directory is not left before it is done.
     *
     * @param directory the directory that the entry stands in, null for a root
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

    /** Hands the entries that this worker would come to next to whoever is idle: the one in hand will take long. */
    public void giveAwayRest() {
        listing.giveAwayRest();
    }

    /** Keeps the walk from ending, and a directory from being left, until {@link #release}; null for a root's entry. */
    public void hold(@Nullable WalkDirectory<D> directory) {
        run.frontier().hold();
        if (directory != null) {
            directory.addPending(1);
        }
    }

    /** Ends what {@link #hold} began; leaves the directory when this was the last thing it waited for. */
    public void release(@Nullable WalkDirectory<D> directory) {
        release(directory, this);
    }

    /**
     * Ends what {@link #hold} of another worker began, which may be one of another rank in this process.
     */
    public void release(@Nullable WalkDirectory<D> directory, WalkWorker<D> holder) {
        partDone(directory);
        holder.run.frontier().release();
    }

    /** Reports a failure to the handler. */
    public void failed(EntryFailure failure) {
        called().failed(failure);
    }

    /** Counts work for the choice of the number of threads: an entry counts 1 by itself, a large file more. */
    public void worked(long units) {
        work += units;
    }

    /** Returns the work done so far, in entries; from any thread, but then not quite up to date. */
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
            // Only a followed link can lead back to where it stands.
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

    // A directory that is removed answers ENOENT: when it is opened, and on Linux also when it is open and read on. A root
    // was named by the user, who has to hear that it is not there.
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

    // A walk that is stopped may have done half of the part: the directory must not seem complete to another that shares
    // it and was not stopped yet.
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
